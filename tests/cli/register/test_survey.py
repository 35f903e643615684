"""`kubegap register --check`: each client of the machine in a line, and whether its entry would start."""

import json
import sys
from pathlib import Path

import pytest
from cli.register.conftest import Register
from cli.register.machine import CODEX_USER

from kubegap_mcp.registration import probe

ROOT = Path(__file__).parents[3]
PACKAGES = ":".join(str(ROOT / folder) for folder in ("", "checks", "incident_library"))

ANSWERS = """\
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        tools = [{"name": name} for name in sorted(os.environ) if name.startswith(("MINE", "OTHER"))]
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": tools}}), flush=True)
"""


def server(home: Path, code: str, name: str = "server") -> str:
    path = home / name
    path.write_text(f"#!{sys.executable}\n{code}")
    path.chmod(0o755)
    return str(path)


def claude(home: Path, **entry: object) -> None:
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"kubegap": entry}}))


def test_the_installed_server_starts_from_what_was_registered(home: Path, register: Register) -> None:
    claude(home, command=sys.executable, args=["-m", "kubegap_mcp", "serve", "--demo"], env={"PYTHONPATH": PACKAGES})

    code, out, err = register(["register", "--check", "--lang", "en"])

    assert (code, err) == (0, "")
    assert out.startswith(f"claude-code user, {home / '.claude.json'}: starts, ")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param("raise SystemExit('no such context')", "it ended at once: no such context", id="ends"),
        pytest.param("print('hello', flush=True); input()", "something else than MCP", id="talks"),
        pytest.param("import time; time.sleep(60)", "did not answer within", id="hangs"),
        pytest.param("import sys; sys.stdin.close(); sys.stdout.close()", "it ended at once", id="hangs up"),
        pytest.param(ANSWERS, "it lists no tools", id="has no tools"),
    ],
)
def test_an_entry_that_does_not_start_is_told_with_the_mend(
    code: str, said: str, home: Path, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "START_S", 2.0 if "sleep" not in code else 0.3)
    claude(home, command=server(home, code))

    result, out, err = register(["register", "--check", "--lang", "en"])

    assert (result, err, out.count("\n")) == (1, "", 1)
    assert said in out
    assert "kubegap register claude-code --scope user" in out


@pytest.mark.parametrize(
    ("entry", "said", "code"),
    [
        pytest.param({"command": "/gone/kubegap-mcp"}, "there is no program /gone/kubegap-mcp", 1, id="gone"),
        pytest.param({"url": "http://127.0.0.1:1"}, "starts no program", 1, id="a URL"),
        pytest.param({"command": "x", "disabled": True}, "switched off", 0, id="off"),
    ],
)
def test_an_entry_that_cannot_start(
    entry: dict[str, object], said: str, code: int, home: Path, register: Register
) -> None:
    claude(home, **entry)

    result, out, _ = register(["register", "--check", "--lang", "en"])

    assert result == code
    assert said in out


def test_a_file_that_the_client_cannot_read_is_broken(home: Path, register: Register) -> None:
    (home / ".claude.json").write_text("{")

    code, out, _ = register(["register", "--check", "--lang", "en"])

    assert code == 1
    assert "it is not JSON from line 1 on; correct it" in out


def test_clients_that_are_here_without_an_entry_are_named_and_others_are_not(home: Path, register: Register) -> None:
    assert register(["register", "--check", "--lang", "en"])[:2] == (
        0,
        "No client was found: claude-code, codex, gemini, cursor, vscode.\n",
    )
    (home / ".codex").mkdir()
    server(home / "bin", "", "gemini")

    assert register(["register", "--check", "--lang", "en"])[:2] == (
        0,
        "codex: no kubegap entry: kubegap register codex\ngemini: no kubegap entry: kubegap register gemini\n",
    )
    assert "vscode: kubegap 항목 없음" in register(["register", "vscode", "--check", "--lang", "ko"])[1]


def test_each_server_gets_the_variables_that_its_client_gives(
    home: Path, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in lists one tool for each variable that it sees."""
    for name in ("MINE_1", "MINE_2", "OTHER"):
        monkeypatch.setenv(name, "x")
    program = server(home, ANSWERS)
    (home / ".codex").mkdir()
    entry = f'[mcp_servers.kubegap]\ncommand = "{program}"\nenv_vars = ["MINE_1", "MINE_2"]\n'
    (home / ".codex" / "config.toml").write_text(entry, encoding="utf-8")
    claude(home, command=program, env={"MINE_3": "${OTHER:-}"})

    code, out, _ = register(["register", "--check", "--lang", "en"])

    assert code == 0
    assert [line.split(": ")[1] for line in out.splitlines()] == ["starts, 4 tools", "starts, 2 tools"]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("${A}", "1"),
        ("${A:-2}", "1"),
        ("${B:-2}", "2"),
        ("${B:-}", ""),
        ("${env:A}/x", "1/x"),
        ("$A", "1"),
        ("$B", ""),
        ("a$", "a$"),
    ],
)
def test_variables_are_filled_in_as_clients_do(text: str, seen: str) -> None:
    assert probe.given("cursor", {"env": {"N": text}}, {"A": "1"}) == {"A": "1", "N": seen}


def test_what_gemini_hides_is_seen_only_where_it_is_named() -> None:
    environment = {"AWS_SESSION_TOKEN": "t", "AWS_SECRET_ACCESS_KEY": "s", "AWS_PROFILE": "p"}
    entry = {"env": {"AWS_SESSION_TOKEN": "$AWS_SESSION_TOKEN"}}

    assert probe.given("gemini", entry, environment) == {"AWS_PROFILE": "p", "AWS_SESSION_TOKEN": "t"}


def test_what_was_registered_for_codex_is_found_by_the_check(home: Path, register: Register, program: str) -> None:
    register(CODEX_USER.words("--yes"))

    code, out, _ = register(["register", "codex", "--check", "--lang", "en"])

    assert code == 1
    assert f"codex user, {home / '.codex' / 'config.toml'}: broken, it ended at once" in out
    assert program


def test_in_the_home_itself_a_file_is_looked_at_once(
    home: Path, register: Register, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(CODEX_USER.words("--yes"))
    monkeypatch.chdir(home)

    out = register(["register", "--check", "--lang", "en"])[1]

    assert out.count("config.toml") == 1
    assert program


def test_what_the_client_asks_before_it_starts_a_server_is_said(home: Path, register: Register) -> None:
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"kubegap": {"command": server(home, ANSWERS)}}}))
    path.write_text(path.read_text().replace("}}}", ', "env": {"MINE": "x"}}}}'))

    code, out, _ = register(["register", "gemini", "--check", "--lang", "en"])

    assert code == 0
    assert "starts, 1 tools; Gemini CLI starts servers only in a folder that it was told to trust" in out
