"""The plugin and the bundle, judged by the tools of those who will run them."""

import json
from collections.abc import Iterator
from pathlib import Path

import make_packaging
import pytest
from agents.clients import INSTALLED, node
from agents.stand_in import World
from distribution.machine import ROOT, Machine
from server.names import NAMES

import kubegap_mcp

CLAUDE = str(INSTALLED / ".bin" / "claude")
MCPB = [str(node()), str(INSTALLED / ".bin" / "mcpb")]


@pytest.fixture
def quiet(machine: Machine) -> Iterator[Machine]:
    with World() as world:
        yield machine.offline(world.url)
        assert world.asked == []


def test_claude_code_finds_nothing_to_mend_in_the_marketplace_and_the_plugin(quiet: Machine) -> None:
    for folder in (ROOT, ROOT / "packaging" / "claude-plugin"):
        assert "Validation passed" in quiet.run(CLAUDE, "plugin", "validate", "--strict", str(folder))


def test_claude_code_installs_the_plugin_and_starts_its_server(machine: Machine, quiet: Machine) -> None:
    """The plugin runs uvx. Its version is not published yet: uvx finds it beside the index, and has it in its cache."""
    machine.run("uvx", f"kubegap-mcp@{kubegap_mcp.__version__}", "--version")
    quiet.run(CLAUDE, "plugin", "marketplace", "add", str(ROOT))
    quiet.run(CLAUDE, "plugin", "install", "kubegap@kubegap")
    listed = quiet.run(CLAUDE, "mcp", "list")
    assert "plugin:kubegap:kubegap" in listed
    assert "Connected" in listed


def test_mcpb_packs_a_bundle_that_starts(machine: Machine, tmp_path: Path) -> None:
    folder = make_packaging.bundle(tmp_path / "bundle")
    machine.run(*MCPB, "validate", str(folder / "manifest.json"))
    machine.run(*MCPB, "pack", str(folder), str(tmp_path / "kubegap.mcpb"))
    machine.run(*MCPB, "unpack", str(tmp_path / "kubegap.mcpb"), str(tmp_path / "unpacked"))
    config = json.loads((tmp_path / "unpacked" / "manifest.json").read_text(encoding="utf-8"))["server"]["mcp_config"]
    arguments = [word.replace("${__dirname}", str(tmp_path / "unpacked")) for word in config["args"]]
    assert machine.serves([str(machine.tools / config["command"]), *arguments, "--demo"]) == NAMES
