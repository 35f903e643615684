"""Every client and every kind of file that other people have: theirs stays byte for byte, ours comes and goes."""

import itertools
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cli.register.conftest import Register
from cli.register.machine import (
    BACKUP,
    CLAUDE_LOCAL,
    CLAUDE_USER,
    CODEX_USER,
    COMMENTED_FILES,
    GEMINI,
    JSON_FILES,
    TARGETS,
    TOML_FILES,
    TRAILING_COMMAS,
    VSCODE,
    Target,
    filled,
)

BOM = b"\xef\xbb\xbf"
NAMES = [f"{target.client} {target.scope}" for target in TARGETS]


def files_of(target: Target) -> dict[str, str]:
    if target.is_toml:
        return TOML_FILES
    commented = COMMENTED_FILES if target.reads_comments else {}
    return JSON_FILES | commented | (TRAILING_COMMAS if target.reads_trailing_commas else {})


CASES = [
    pytest.param(target, text, id=f"{target.client} {target.scope}, {name}")
    for target in TARGETS
    for name, text in files_of(target).items()
]
# One of each way to look for a file's entry; the other clients' differ only in the path.
ONE_OF_EACH = [case for case in CASES if case.values[0] in {CLAUDE_USER, CLAUDE_LOCAL, CODEX_USER, VSCODE}]


def entry_in(content: bytes, target: Target, project: Path) -> Any:
    text = content.decode("utf-8-sig")
    if target.is_toml:
        return tomllib.loads(text).get("mcp_servers", {}).get("kubegap")
    from kubegap_mcp.registration.json_places import parse  # noqa: PLC0415

    found = parse(text, comments=True, trailing_commas=True).data
    for key in target.keys:
        found = found.get(project.as_posix() if key == "PROJECT" else key, {})
    return found.get("kubegap")


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.mark.parametrize(("mark", "newline"), [(b"", b"\n"), (BOM, b"\r\n")], ids=["as it is", "byte order mark, CRLF"])
@pytest.mark.parametrize(("target", "text"), CASES)
def test_it_comes_stays_and_goes(
    target: Target, text: str, mark: bytes, newline: bytes, home: Path, project: Path, program: str, register: Register
) -> None:
    mark = mark if target.reads_mark else b""
    before = mark + filled(text, target, project).encode().replace(b"\n", newline)
    path = target.file(home, project)
    put(path, before)

    code, out, err = register(target.words("--yes"))
    assert (code, err) == (0, "")
    assert f"{path} is written" in out
    after = path.read_bytes()
    assert entry_in(after, target, project)["command"] == program
    assert path.with_name(path.name + BACKUP).read_bytes() == before
    if text.strip():
        # One stretch of bytes is new, the rest stands where it stood; blanks in an empty object are all that may go.
        head, tail = shared(before, after)
        assert before[head : len(before) - tail].strip() == b""
        if newline == b"\r\n" and text.count("\n") > 1:
            assert after.count(b"\n") == after.count(b"\r\n")

    assert register(target.words("--yes"))[:2] == (0, f"{path}: nothing to change\n")
    assert path.read_bytes() == after

    code, _, err = register(target.words("--remove", "--yes"))
    assert (code, err) == (0, "")
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == [path.name]
    assert register(target.words("--remove", "--yes"))[:2] == (0, f"{path}: nothing to change\n")


@pytest.mark.parametrize(("target", "text"), ONE_OF_EACH)
def test_removal_keeps_what_was_changed_meanwhile(
    target: Target, text: str, home: Path, project: Path, register: Register
) -> None:
    path = target.file(home, project)
    put(path, filled(text, target, project).encode())
    register(target.words("--yes"))
    added = b"# later\n" if target.is_toml else b"\n "
    path.write_bytes(path.read_bytes() + added)
    wanted = path.with_name(path.name + BACKUP).read_bytes() + added

    code, _, err = register(target.words("--remove", "--yes"))

    assert (code, err) == (0, "")
    assert entry_in(path.read_bytes(), target, project) is None
    if text.strip():
        assert squeezed(path.read_bytes()) == squeezed(wanted)
        assert path.with_name(path.name + BACKUP).exists()


def shared(before: bytes, after: bytes) -> tuple[int, int]:
    """How many bytes both begin with, and how many of the rest of `before` both end with."""
    head = same(before, after)
    return head, same(before[head:][::-1], after[head:][::-1])


def same(one: bytes, other: bytes) -> int:
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def squeezed(content: bytes) -> bytes:
    return b"".join(content.split())


@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_without_a_file_one_is_made_and_taken_away_again(
    target: Target, home: Path, project: Path, register: Register
) -> None:
    path = target.file(home, project)

    assert register(target.words("--yes", "--demo"))[0] == 0
    assert entry_in(path.read_bytes(), target, project)["args"] == ["--demo", "--lang", "en"]
    if target.scope != "project":
        assert path.stat().st_mode & 0o777 == 0o600
    assert register(target.words("--yes", "--context", "prod"))[0] == 0
    assert entry_in(path.read_bytes(), target, project)["args"] == ["--context", "prod", "--lang", "en"]
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == [path.name]
    assert register(target.words("--yes", "--remove"))[0] == 0
    assert not path.exists()


@pytest.mark.parametrize("words", [["--dry-run"], [], ["--dry-run", "--yes"]], ids=["dry run", "nobody to ask", "both"])
@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_nothing_is_written_unasked(
    target: Target, words: list[str], home: Path, project: Path, register: Register
) -> None:
    path = target.file(home, project)
    before = sorted(home.rglob("*"))
    code, out, err = register(target.words(*words))

    assert sorted(home.rglob("*")) == before
    assert out.startswith(f"--- /dev/null\n+++ {path}\n@@ -0,0 +1,")
    assert (code, err.count("--yes")) == ((0, 0) if words else (2, 1))


@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_a_link_is_followed_and_kept(
    target: Target, home: Path, project: Path, tmp_path: Path, register: Register
) -> None:
    path, real = target.file(home, project), tmp_path / "dotfiles" / "settings"
    put(real, b"")
    real.chmod(0o640)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(real)

    register(target.words("--yes"))

    assert path.is_symlink()
    assert entry_in(real.read_bytes(), target, project)
    assert real.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in real.parent.iterdir()] == ["settings"]
    register(target.words("--yes", "--remove"))
    assert (path.is_symlink(), real.read_bytes()) == (True, b"")


@pytest.mark.parametrize("target", TARGETS, ids=NAMES)
def test_a_read_only_file_is_left_alone(target: Target, home: Path, project: Path, register: Register) -> None:
    path = target.file(home, project)
    put(path, b"")
    path.chmod(0o444)

    code, _, err = register(target.words("--yes"))

    assert (code, path.read_bytes()) == (2, b"")
    assert (err.startswith(f"kubegap: {path} is read-only"), err.count("\n")) == (True, 1)
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == [path.name]


UNREADABLE = {
    "not UTF-8": b"\xff\xfe\x00",
    "cut off": b'{"mcpServers": {"a": ',
    "a merge conflict": b"<<<<<<< HEAD\n{}\n=======\n",
}
BAD_JSON = {
    "a list": b"[]",
    "two documents": b"{}{}",
    "a number that is none": b'{"a": 01}',
    "an escape that is none": b'{"a": "\\x"}',
    "a key without quotes": b"{a: 1}",
    "deeper than anyone needs": b'{"a": ' + b"[" * 20000 + b"]" * 20000 + b"}",
}
BAD_TOML = {
    "a table twice": b"[a]\n[a]\n",
    "the entry in one line": b'[mcp_servers]\nkubegap = {command = "x"}\n',
    "servers in one line": b'mcp_servers = {a = {command = "x"}}\n',
    "the entry in two parts": b'[mcp_servers.kubegap]\ncommand = "x"\n[a]\n[mcp_servers.kubegap.env]\nA = "b"\n',
    "servers that are none": b"mcp_servers = 3\n",
    "an entry that is none": b"[mcp_servers]\nkubegap = 3\n",
}


@pytest.mark.parametrize(
    ("target", "content"),
    [
        pytest.param(target, content, id=f"{target.client} {target.scope}, {name}")
        for target in TARGETS
        for name, content in (UNREADABLE | (BAD_TOML if target.is_toml else BAD_JSON)).items()
    ],
)
def test_what_cannot_be_edited_is_left_alone_and_the_entry_is_printed(
    target: Target, content: bytes, home: Path, project: Path, register: Register
) -> None:
    path = target.file(home, project)
    put(path, content)

    code, out, err = register(target.words("--yes"))

    assert (code, path.read_bytes()) == (2, content)
    assert (err.startswith(f"kubegap: {path} was left as it is, since "), err.count("\n")) == (True, 1)
    assert entry_in(out.encode(), target, project)
    assert [file.name for file in path.parent.iterdir() if file.is_file()] == [path.name]


@pytest.mark.parametrize(
    ("target", "text", "what"),
    [
        *((CLAUDE_LOCAL, text, "comments or trailing commas") for text in COMMENTED_FILES.values()),
        *((CLAUDE_LOCAL, text, "comments or trailing commas") for text in TRAILING_COMMAS.values()),
        *((GEMINI, text, "trailing commas") for text in TRAILING_COMMAS.values()),
        (GEMINI, BOM.decode() + "{}", "a byte order mark"),
    ],
)
def test_what_the_client_itself_does_not_read_is_named_as_the_reason(
    target: Target, text: str, what: str, home: Path, project: Path, register: Register
) -> None:
    path = target.file(home, project)
    put(path, filled(text, target, project).encode())
    before = path.read_bytes()

    code, _, err = register(target.words("--yes"))

    assert (code, path.read_bytes()) == (2, before)
    assert f"{what}, which its client does not read" in err
    assert f"{what}, which its client does not read" in register(["register", "--check", "--lang", "en"])[1]


@pytest.mark.parametrize(
    "text",
    ['{"mcpServers": {}, "mcpServers": {}}', '{"mcpServers": []}', '{"mcpServers": {"kubegap": "x"}}'],
    ids=["twice the key", "no object", "an entry that is none"],
)
def test_json_that_could_be_understood_two_ways_is_left_alone(text: str, home: Path, register: Register) -> None:
    put(home / ".claude.json", text.encode())

    code, out, _ = register(["register", "claude-code", "--yes"])

    assert (code, (home / ".claude.json").read_text()) == (2, text)
    assert json.loads(out)["mcpServers"]["kubegap"]
