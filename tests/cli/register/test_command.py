"""The conversation: what is shown, asked, refused, and where each client keeps its file."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli.register.conftest import Register
from cli.register.machine import BACKUP, CLAUDE_LOCAL, CLAUDE_USER, CODEX_USER, Target

from kubegap_mcp.registration import files
from kubegap_mcp.registration.places import repository


@pytest.mark.parametrize(("answer", "written"), [("y\n", 1), ("예\n", 1), ("n\n", 0), ("\n", 0), ("", 0)])
def test_someone_at_a_terminal_is_asked(
    answer: str, written: int, home: Path, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True, readline=lambda: answer))
    code, out, _ = register(CODEX_USER.words())

    assert code == 0
    assert "Write this? [y/N] " in out
    assert (home / ".codex" / "config.toml").exists() == bool(written)
    assert ("Nothing was changed." in out) != bool(written)


SECRETS_IN_JSON = {
    "a value": '{\n  "apiKey": "sk-1",\n  "n": 1\n}\n',
    "in one line": '{"apiKey": "sk-1", "mcpServers": {"git": {"command": "x", "env": {"TOKEN": "sk-2"}}}}',
    "on the line of the servers": '{\n  "mcpServers": {"git": {"env": {"TOKEN": "sk-1"}}},\n  "b": "sk-2"\n}\n',
    "in a list": '{\n  "mcpServers": {\n    "git": {"args": ["--token", "sk-1"]}\n  },\n  "c": [\n    "sk-2"\n  ]\n}\n',
    "a list after the brace": '{\n  "keys": [\n    "sk-1"\n  ]\n}\n',
    "long": '{"key":"' + "sk-" * 999 + '","mcpServers":{"a":{"command":"x"}}}',
    "of our own entry": '{"mcpServers": {"kubegap": {"command": "x", "env": {"TOKEN": "sk-1", "HOME": "$HOME"}}}}',
    "of our own entry, on lines": '{\n  "mcpServers": {\n    "kubegap": {\n      "env": {\n        "TOKEN": "sk-1"\n'
    '      },\n      "command": "x"\n    }\n  }\n}\n',
    "headers": '{"mcpServers": {"kubegap": {"url": "http://x", "headers": {"Authorization": "Bearer sk-1"}}}}',
}
SECRETS_IN_TOML = {
    "a value": "[a.env]\nTOKEN = 'sk-1'\n",
    "a list": '[a]\nargs = ["--token", "sk-1"]\n',
    "a list of lines": '[a]\nargs = [\n  "sk-1",\n]\n',
    "a list of headers' looks": 'a = [\n["sk-1"],\n["sk-2"]\n]\n',
    "a text of lines": 'a = """\nsk-1\nTOKEN=sk-2"""\n',
    "a comment": "# it's TOKEN = 'sk-1'\na = 1 # sk-2\n",
    "of our own entry": '[mcp_servers.kubegap]\ncommand = "x"\n[mcp_servers.kubegap.env]\nTOKEN = "sk-1"\n',
}


@pytest.mark.parametrize(
    ("target", "text"),
    [
        *(pytest.param(CLAUDE_USER, text, id=f"JSON, {name}") for name, text in SECRETS_IN_JSON.items()),
        *(pytest.param(CODEX_USER, text, id=f"TOML, {name}") for name, text in SECRETS_IN_TOML.items()),
    ],
)
def test_the_change_shows_no_setting_of_others(
    target: Target, text: str, home: Path, project: Path, program: str, register: Register
) -> None:
    path = target.file(home, project)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)

    there = register(target.words("--dry-run"))[1]
    register(target.words("--yes"))
    gone = register(target.words("--remove", "--dry-run"))[1]

    assert "sk-" not in there + gone
    assert program in there
    assert any(line.startswith("-") and program in line for line in gone.splitlines()[2:])


def test_the_change_shows_where_it_is_and_its_neighbours_by_their_keys(home: Path, register: Register) -> None:
    (home / ".claude.json").write_text('{\n  "apiKey": "sk-1",\n  "n": 1\n}\n')
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("[a]\nb = 1\n\n[mcp_servers.\"git\"]\nTOKEN = 'sk-2'\n")

    claude = register(CLAUDE_USER.words("--dry-run"))[1].splitlines()
    codex = register(CODEX_USER.words("--dry-run"))[1].splitlines()

    assert claude[2:5] == ["@@ -1,3 +1,17 @@", " {", '+  "mcpServers": {']
    assert claude[-2:] == ['   "apiKey": …,', '   "n": …']
    assert codex[2].startswith("@@ -4,2 +4,")
    assert codex[3:7] == [' [mcp_servers."git"]', " TOKEN = …", "+", "+[mcp_servers.kubegap]"]


def test_of_a_file_in_one_line_only_the_entry_is_shown(home: Path, program: str, register: Register) -> None:
    (home / ".claude.json").write_text('{"key":"' + "s" * 999 + '","mcpServers":{"a":{"command":"x"}}}')

    _, out, _ = register(CLAUDE_USER.words("--dry-run"))

    head, old, new = out.splitlines()[2:]
    assert (head, old) == ("@@ -1 +1 @@", "-…")
    assert new.startswith(f'+…"kubegap":{{"type":"stdio","command":"{program}","args":')
    assert new.endswith("}…")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["register"], "claude-code, codex, gemini, cursor, vscode, or --check", id="no client"),
        pytest.param(["register", "gemini", "--scope", "project"], "give user", id="no such scope"),
        pytest.param(["register", "codex", "--demo", "--snapshot", "."], "exclude each other", id="two sources"),
        pytest.param(["register", "codex", "--snapshot", "gone"], "gone", id="no such snapshot"),
        pytest.param(["register", "codex", "--prometheus", "http://ann:pw@p"], "password_file", id="a password"),
        pytest.param(["register", "codex", "--prometheus", "p:9090"], "not the base", id="no address"),
        pytest.param(["register", "gemini", "--required"], "only Codex", id="an option of another client"),
    ],
)
def test_each_refusal_is_one_sentence(words: list[str], said: str, home: Path, register: Register) -> None:
    before = sorted(home.rglob("*"))
    code, out, err = register([*words, "--lang", "en"])

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert sorted(home.rglob("*")) == before


def test_it_speaks_korean(home: Path, register: Register) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("[")

    code, _, err = register(["register", "codex", "--yes", "--lang", "ko"])

    assert code == 2
    assert "그대로 둠" in err


def test_the_homes_that_clients_take_from_variables(
    home: Path, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(home / "cx"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "cc"))
    register(CODEX_USER.words("--yes"))
    register(CLAUDE_USER.words("--yes"))

    assert (home / "cx" / "config.toml").exists()
    assert (home / "cc" / ".claude.json").exists()


def test_claude_code_files_a_project_under_its_repository(tmp_path: Path) -> None:
    main, tree, module = tmp_path / "main", tmp_path / "tree", tmp_path / "main" / "module"
    for folder in (main / ".git", main / "a" / "b", tree, module):
        folder.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {main}/.git/worktrees/tree\n")
    (module / ".git").write_text("gitdir: ../.git/modules/module\n")

    assert repository(main / "a" / "b") == main
    assert repository(tree) == main
    assert repository(module) == module
    assert repository(tmp_path) == tmp_path


@pytest.mark.parametrize(
    "folder", ["cache/uv/archive-v0/x/bin", "cache/uv/builds-v0/x/bin", ".local/pipx/.cache/x/bin"]
)
def test_a_program_that_goes_with_its_cache_is_not_registered(
    folder: str, home: Path, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = home / folder / "kubegap-mcp"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.setattr("sys.argv", [str(program)])

    code, _, err = register(CODEX_USER.words("--yes"))

    assert code == 2
    assert "uv tool install" in err


def test_without_the_program_nothing_is_registered(
    home: Path, register: Register, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(program).unlink()
    monkeypatch.setattr("sys.executable", str(home / "python"))

    code, _, err = register(CODEX_USER.words("--yes"))

    assert code == 2
    assert "was not found" in err


def test_a_link_to_the_program_is_registered_as_it_is(home: Path, register: Register, program: str) -> None:
    real = Path(program).rename(home / "tool")
    Path(program).symlink_to(real)
    register(CLAUDE_USER.words("--yes"))

    servers = json.loads((home / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]
    assert servers["kubegap"]["command"] == program


def test_a_file_that_changes_while_one_thinks_is_left_alone(home: Path, register: Register) -> None:
    path = home / ".claude.json"
    path.write_text("{}")

    def think() -> str:
        path.write_text('{"new": 1}')
        return "y\n"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True, readline=think))
        code, _, err = register(CLAUDE_USER.words())

    assert (code, path.read_text()) == (2, '{"new": 1}')
    assert "has changed meanwhile" in err


def test_an_older_backup_is_never_written_over(home: Path, register: Register) -> None:
    path = home / ".claude.json"
    first, second = path.with_name(path.name + BACKUP), path.with_name(path.name + BACKUP + ".2")
    path.write_text("{}")
    register(CLAUDE_USER.words("--yes"))
    path.write_text('{"later": 1}')
    register(CLAUDE_USER.words("--yes"))

    assert (first.read_text(), second.read_text()) == ("{}", '{"later": 1}')
    register(CLAUDE_USER.words("--yes", "--demo"))
    register(CLAUDE_USER.words("--yes", "--remove"))
    assert (path.read_text(), first.read_text(), second.exists()) == ('{"later": 1}', "{}", False)


def test_a_backup_is_as_private_as_its_file(home: Path, register: Register) -> None:
    path = home / ".claude.json"
    path.write_text('{"token": "x"}')
    path.chmod(0o600)
    register(CLAUDE_USER.words("--yes"))

    assert path.with_name(path.name + BACKUP).stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_failure_halfway_leaves_the_file_as_it_was(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / "settings"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(files.ConfigError, match="No space left"):
        files.replace(path, b"old", b"new", private=True)

    assert path.read_bytes() == b"old"
    assert [file.name for file in home.iterdir() if file.is_file()] == ["settings"]


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def circle(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [Path.mkdir, circle, pipe, endless])
def test_what_is_no_file_is_told(make: Callable[[Path], None], home: Path, register: Register) -> None:
    path = home / ".claude.json"
    make(path)

    code, _, err = register(CLAUDE_USER.words("--yes"))

    assert code == 2
    assert (f"{path} cannot be read" in err, err.count("\n")) == (True, 1)
    code, out, _ = register(["register", "claude-code", "--check", "--lang", "en"])
    assert code == 1
    assert (out.count("cannot be read"), out.count("\n")) == (2, 2)  # its scopes user and local


@pytest.mark.parametrize("first", [CLAUDE_USER, CLAUDE_LOCAL])
@pytest.mark.parametrize("text", ["{}", '{\n  "theme": "dark"\n}\n', '{"mcpServers": {}}'])
def test_two_scopes_of_one_file_go_in_any_order(first: Target, text: str, home: Path, register: Register) -> None:
    path = home / ".claude.json"
    path.write_text(text)
    for target in (CLAUDE_USER, CLAUDE_LOCAL):
        register(target.words("--yes"))
    for target in (first, CLAUDE_LOCAL if first is CLAUDE_USER else CLAUDE_USER):
        register(target.words("--yes", "--remove"))

    assert path.read_text() == text


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such a name cannot be made")
@pytest.mark.parametrize("target", [CLAUDE_LOCAL, CODEX_USER])
def test_a_path_that_is_not_utf8_is_told(
    target: Target, home: Path, project: Path, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project / os.fsdecode(b"b\xff d")
    folder.mkdir()
    (folder / "config").write_text("{}")
    monkeypatch.chdir(folder)

    code, _, err = register(target.words("--yes", "--kubeconfig", "config"))

    assert code == 2
    assert "a path that the entry needs is not UTF-8" in err
    assert not target.file(home, project).exists()
