"""The wheel and the sdist, installed as people do it, in an empty home."""

import pytest
from distribution.machine import Machine
from server.names import NAMES

import kubegap_mcp

VERSION = f"kubegap {kubegap_mcp.__version__}\n"


@pytest.mark.parametrize("installer", ["uv tool install, the wheel", "pipx install, the sdist"])
def test_what_was_installed_serves_and_registers_itself(installer: str, machine: Machine) -> None:
    if installer.startswith("uv"):
        machine.run("uv", "tool", "install", machine.wheel)
    else:
        machine.run("pipx", "install", machine.sdist)
    programs = machine.home / ".local" / "bin"
    assert machine.run("kubegap", "--version") == VERSION
    assert machine.serves([str(programs / "kubegap-mcp"), "--demo"]) == NAMES
    shown = machine.run("kubegap", "register", "codex", "--dry-run", "--lang", "en")
    assert f'command = "{programs / "kubegap-mcp"}"' in shown
    assert "Fast tier of a tiered filesystem nearly full" in machine.run("kubegap", "audit", "--demo", "--lang", "en")


def test_uvx_serves_without_installing_and_is_not_registered(machine: Machine) -> None:
    passing = ["uvx", "--from", machine.wheel]
    assert machine.run(*passing, "kubegap-mcp", "--version").endswith(VERSION)
    assert machine.serves([str(machine.tools / "uvx"), *passing[1:], "kubegap-mcp", "--demo"]) == NAMES
    refused = machine.run(*passing, "kubegap", "register", "codex", "--yes", "--lang", "en", fails=True)
    assert "goes when its cache is emptied" in refused
