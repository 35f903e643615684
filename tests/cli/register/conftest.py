import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from kubegap_mcp.cli import main
from kubegap_mcp.cli.arguments import parser

Register = Callable[..., tuple[int, str, str]]

# Making it takes longer than all that a command does here.
PARSER = cache(parser)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with spaces and Korean letters, a project in it, and nothing of this machine's own."""
    folder = tmp_path / "사용자 home"
    (folder / "my 프로젝트").mkdir(parents=True)
    for name in (
        "KUBECONFIG",
        "CODEX_HOME",
        "CLAUDE_CONFIG_DIR",
        "KUBEGAP_LANG",
        "KUBEGAP_CONFIG",
        "AWS_SESSION_TOKEN",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("PATH", str(folder / "bin"))
    monkeypatch.chdir(folder / "my 프로젝트")
    return folder


@pytest.fixture
def project(home: Path) -> Path:
    return home / "my 프로젝트"


@pytest.fixture
def program(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is registered: the program beside the one that runs."""
    path = home / "bin" / "kubegap-mcp"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\nexit 7\n")
    path.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(path.with_name("kubegap"))])
    return str(path)


@pytest.fixture
def register(home: Path, program: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Register:
    assert home
    assert program
    monkeypatch.setattr(sys.modules["kubegap_mcp.cli.main"], "parser", PARSER)

    def run(words: list[str]) -> tuple[int, str, str]:
        code = main(words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run
