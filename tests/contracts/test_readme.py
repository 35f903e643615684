"""What the READMEs show is what the program prints."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from kubegap_mcp.cli.arguments import parser

ROOT = Path(__file__).parent.parent.parent
READMES = ["README.md", "README.ko.md"]
GUIDES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/guides/*.md"))


@pytest.mark.parametrize("name", ["README.md", "README.ko.md"])
def test_the_transcript_is_what_the_audit_of_the_demo_prints(name: str) -> None:
    block = re.search(r"```console\n\$ kubegap (?P<words>.*)\n(?P<shown>(?:.*\n)+?)```", _text(name))
    assert block, "the README opens with a transcript"
    printed = _printed(block["words"].split(), name)
    place = 0
    for part in block["shown"].split("...\n"):
        found = printed.find(part, place)
        assert found >= 0, f"not printed: {part}"
        place = found + len(part)


@pytest.mark.parametrize("name", ["docs/guides/first-audit.md", "docs/guides/first-audit.ko.md"])
def test_the_gap_that_the_guide_explains_is_one_of_the_demo(name: str) -> None:
    (shown,) = re.findall(r"```text\n(.*?)```", _text(name), re.DOTALL)
    assert shown in _printed(["audit", "--demo"], name)


@pytest.mark.parametrize("name", [*READMES, *GUIDES, "incident_library/README.md"])
def test_every_command_shown_is_one_that_kubegap_takes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in _commands(name):
        try:
            parser().parse_args(words)
        except SystemExit:
            pytest.fail(f"kubegap {' '.join(words)}: {capsys.readouterr().err}")


@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a POSIX shell")
@pytest.mark.parametrize("name", READMES)
def test_the_commands_about_own_records_run_one_after_another(name: str, tmp_path: Path) -> None:
    (block,) = (block for block in re.findall(r"```sh\n(.*?)```", _text(name), re.DOTALL) if "template >" in block)
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    ran = subprocess.run(
        ["/bin/sh", "-e", "-c", block],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("name", READMES)
def test_the_readme_shows_what_people_need_first(name: str) -> None:
    assert {"audit", "nodes", "incidents", "checks", "doctor", "rbac"} <= {words[0] for words in _commands(name)}


@pytest.mark.parametrize("name", [name for name in GUIDES if not name.endswith(".ko.md")])
def test_a_guide_is_the_same_in_both_languages(name: str) -> None:
    korean = name.replace(".md", ".ko.md")
    assert re.findall(r"```(?:sh|toml)\n.*?```", _plain(name), re.DOTALL) == re.findall(
        r"```(?:sh|toml)\n.*?```", _plain(korean), re.DOTALL
    )
    for pattern in (r"^#+", r"^\|", r"^- "):  # as many headings, rows of tables, and points of lists
        assert len(re.findall(pattern, _text(name), re.MULTILINE)) == len(
            re.findall(pattern, _text(korean), re.MULTILINE)
        )


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_is_linked_from_the_readme_of_its_language(name: str) -> None:
    assert f"]({name})" in _text("README.ko.md" if name.endswith(".ko.md") else "README.md")


def test_both_languages_show_the_same_commands_to_set_up_and_register() -> None:
    wanted = re.compile(r"^(?:make|claude|codex) .*?(?= {2,}#|$)", re.MULTILINE)

    commands = wanted.findall(_text("README.md"))
    assert commands == wanted.findall(_text("README.ko.md"))
    # Claude Code's default scope is the folder in which it was said: nobody asks from a checkout of kubegap.
    assert any(command.startswith("claude mcp add --scope user kubegap -- ") for command in commands)
    assert any(command.startswith("codex mcp add kubegap --env KUBECONFIG=") for command in commands)


@pytest.mark.parametrize(
    "page",
    [
        path.relative_to(ROOT).as_posix()
        for path in (
            *ROOT.glob("*.md"),
            *ROOT.glob("docs/**/*.md"),
            *ROOT.glob("packaging/**/*.md"),
            *ROOT.glob("incident_library/*.md"),
        )
    ],
)
def test_every_link_to_a_file_leads_to_one(page: str) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", _text(page))
    missing = [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]
    assert missing == []


def _commands(name: str) -> list[list[str]]:
    """The words of each `kubegap ...` in the page's shell blocks; NAME and the like stay as they are."""
    blocks = "".join(re.findall(r"```sh\n(.*?)```", _text(name), re.DOTALL))
    lines = re.findall(r"^ *kubegap (.*)", blocks, re.MULTILINE)
    return [shlex.split(re.split(" [|>] ", line)[0], comments=True) for line in lines]


def _plain(name: str) -> str:
    """Without what a shell does not run: comments may be in another language."""
    return re.sub(r" *# .*", "", _text(name))


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _printed(words: list[str], page: str) -> str:
    """What `kubegap` prints in the language of the page."""
    language = [] if "--lang" in words else ["--lang", "ko" if page.endswith(".ko.md") else "en"]
    return subprocess.run(
        [sys.executable, "-m", "kubegap_mcp", *words, *language],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=True,
    ).stdout
