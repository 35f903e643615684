"""What the READMEs show is what the program prints."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", ["README.md", "README.ko.md"])
def test_the_transcript_is_what_the_audit_of_the_demo_prints(name: str) -> None:
    block = re.search(r"```console\n\$ kubegap (?P<words>.*)\n(?P<shown>(?:.*\n)+?)```", _text(name))
    assert block, "the README opens with a transcript"
    printed = subprocess.run(
        [sys.executable, "-m", "kubegap_mcp", *block["words"].split(), *_language(name)],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=True,
    ).stdout
    place = 0
    for part in block["shown"].split("...\n"):
        found = printed.find(part, place)
        assert found >= 0, f"not printed: {part}"
        place = found + len(part)


@pytest.mark.parametrize("name", ["README.md", "README.ko.md"])
def test_every_command_shown_exists(name: str) -> None:
    blocks = "".join(re.findall(r"```sh\n((?:.*\n)+?)```", _text(name)))
    commands = set(re.findall(r"^kubegap ([a-z]+)", blocks, re.MULTILINE))
    for command in commands:
        subprocess.run(
            [sys.executable, "-m", "kubegap_mcp", command, "--help"], capture_output=True, timeout=30, check=True
        )
    assert {"audit", "nodes", "incidents", "checks", "doctor", "rbac"} <= commands


def test_both_languages_show_the_same_commands_to_set_up_and_register() -> None:
    wanted = re.compile(r"^(?:make|claude|codex) .*?(?= {2,}#|$)", re.MULTILINE)

    commands = wanted.findall(_text("README.md"))
    assert commands == wanted.findall(_text("README.ko.md"))
    # Claude Code's default scope is the folder in which it was said: nobody asks from a checkout of kubegap.
    assert any(command.startswith("claude mcp add --scope user kubegap -- ") for command in commands)
    assert any(command.startswith("codex mcp add kubegap --env KUBECONFIG=") for command in commands)


@pytest.mark.parametrize(
    "page", [path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))]
)
def test_every_link_to_a_file_leads_to_one(page: str) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", _text(page))
    missing = [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert missing == []


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _language(name: str) -> list[str]:
    return [] if name == "README.ko.md" else ["--lang", "en"]
