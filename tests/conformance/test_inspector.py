"""The official MCP Inspector's command line against `kubegap-mcp` as it is installed, in both eras of the protocol."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from agents.clients import INSTALLED, node
from server.names import NAMES

PROGRAM = str(Path(sys.executable).with_name("kubegap-mcp"))
IS_ERROR = 5
ERAS = ["legacy", "modern"]


def inspect(home: Path, era: str, method: str, *options: str) -> tuple[int, Any, str]:
    """Exit code, the answer, and what was said on stderr."""
    inspector = [str(node()), str(INSTALLED / ".bin" / "mcp-inspector"), "--cli", PROGRAM, "--demo"]
    ran = subprocess.run(
        [*inspector, "--protocol-era", era, "-q", "--format", "json", "--method", method, *options],
        cwd=home,
        env={"HOME": str(home), "PATH": f"{node().parent}:/usr/bin:/bin"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    answer = json.loads(ran.stdout)["result"] if ran.returncode == 0 else None
    return ran.returncode, answer, ran.stderr


@pytest.mark.parametrize("era", ERAS)
def test_its_strict_checks_find_no_error_in_any_tool(era: str, tmp_path: Path) -> None:
    code, answer, said = inspect(tmp_path, era, "tools/list", "--strict")
    assert code == 0, said
    assert [tool["name"] for tool in answer["tools"]] == NAMES
    # What it warns of is "object or null" in outlines of answers, which is JSON Schema as the protocol has it.
    assert re.search(r"^0 errors, \d+ warnings across \d+ tools", said, re.MULTILINE)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", ["audit_cluster", "list_gpu_nodes", "lookup_incident"])
def test_a_tool_answers_in_both_channels(name: str, era: str, tmp_path: Path) -> None:
    code, answer, said = inspect(tmp_path, era, "tools/call", "--tool-name", name)
    assert code == 0, said
    assert answer["structuredContent"]["schema"] == 1
    assert answer["content"][0]["text"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--tool-name", "check_gpu_health", "--tool-arg", "context=nowhere"], id="no such context"),
        pytest.param(["--tool-name", "audit_cluster", "--tool-arg", "clustr=x"], id="no such argument"),
        pytest.param(["--tool-name", "delete_cluster"], id="no such tool"),
    ],
)
def test_a_call_that_fails_is_told_as_such(options: list[str], era: str, tmp_path: Path) -> None:
    assert inspect(tmp_path, era, "tools/call", *options)[0] == IS_ERROR


@pytest.mark.parametrize("era", ERAS)
def test_resources_and_prompts_are_listed_and_read(era: str, tmp_path: Path) -> None:
    templates = inspect(tmp_path, era, "resources/templates/list")[1]["resourceTemplates"]
    assert {one["uriTemplate"].split("{")[0] for one in templates} == {
        "kubegap://incidents/",
        "kubegap://checks/",
        "kubegap://throughput/",
    }
    resources = inspect(tmp_path, era, "resources/list")[1]["resources"]
    assert "kubegap://rbac" in [resource["uri"] for resource in resources]
    (page,) = inspect(tmp_path, era, "resources/read", "--uri", "kubegap://incidents/IL-0129")[1]["contents"]
    assert page["text"].startswith("#")
    prompts = inspect(tmp_path, era, "prompts/list")[1]["prompts"]
    assert len(prompts) == 3
    asked = ["--prompt-name", prompts[0]["name"], "--prompt-args", "lang=ko"]
    assert "한국어" in inspect(tmp_path, era, "prompts/get", *asked)[1]["messages"][0]["content"]["text"]
