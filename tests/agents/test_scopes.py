"""Every scope that `kubegap register` knows, in files that other people had before: the real clients read them."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace

import pytest
from agents.clients import CLAUDE_CODE, CODEX, GEMINI, Client, Machine
from agents.direct import ask, timeless
from agents.script import Ask
from agents.stand_in import Model
from agents.test_sessions import FORMS
from server.names import NAMES

CALL = Ask("lookup_incident", {"query": "weka s3 eviction", "limit": 1})
MARK = b"\xef\xbb\xbf"
GEMINI_WITHOUT_SETTINGS = replace(GEMINI, settings={})

Before = Callable[[Machine], None]


def nothing(_: Machine) -> None:
    pass


def repository(machine: Machine) -> None:
    subprocess.run(["git", "init", "-q", str(machine.project)], check=True)  # noqa: S607 (whichever git is there)


def trusted(machine: Machine) -> None:
    repository(machine)
    write(machine, ".codex/config.toml", f'[projects."{machine.project}"]\ntrust_level = "trusted"\n'.encode())


def write(machine: Machine, path: str, content: bytes) -> None:
    (machine.home / path).parent.mkdir(parents=True, exist_ok=True)
    (machine.home / path).write_bytes(content)


@pytest.mark.parametrize(
    ("client", "scope", "before"),
    [
        pytest.param(CLAUDE_CODE, "local", nothing, id="Claude Code, local"),
        pytest.param(CLAUDE_CODE, "local", repository, id="Claude Code, local, in a repository"),
        pytest.param(CLAUDE_CODE, "project", repository, id="Claude Code, project"),
        pytest.param(CODEX, "project", trusted, id="Codex, a trusted project"),
    ],
)
def test_what_was_registered_in_this_scope_is_started(
    client: Client, scope: str, before: Before, machine: Machine
) -> None:
    before(machine)
    machine.register(client, "--demo", "--scope", scope)

    assert answered(machine, client)


def test_codex_starts_nothing_of_a_project_that_it_does_not_trust(machine: Machine) -> None:
    repository(machine)
    machine.register(CODEX, "--demo", "--scope", "project")
    with Model(CODEX.form, [[CALL]]) as model:
        machine.run(CODEX, model)

    assert model.tools() == {}


JSON = '{\n  "제목": "가",   \n  "mcpServers": {\n    "other": {"command": "/bin/false"}\n  }\n}\n'
TOML = '# 한글   \n[mcp_servers.other]\t\ncommand = "/bin/false"\n'


@pytest.mark.parametrize(
    ("client", "path", "text"),
    [
        pytest.param(CLAUDE_CODE, ".claude.json", MARK.decode() + JSON, id="Claude Code"),
        pytest.param(CODEX, ".codex/config.toml", MARK.decode() + TOML, id="Codex"),
        pytest.param(
            GEMINI_WITHOUT_SETTINGS,
            ".gemini/settings.json",
            "// 한글  \n" + json.dumps(json.loads(GEMINI.settings[".gemini/settings.json"]), indent=2),
            id="Gemini CLI",
        ),
    ],
)
def test_a_file_of_another_system_with_marks_comments_and_letters_is_read(
    client: Client, path: str, text: str, machine: Machine
) -> None:
    write(machine, path, text.replace("\n", "\r\n").encode())
    machine.register(client, "--demo")

    assert answered(machine, client)


@pytest.mark.parametrize("text", [MARK.decode() + "{}", '{"a": {},}'], ids=["a byte order mark", "a trailing comma"])
def test_gemini_stops_at_what_register_refuses_for_it(text: str, machine: Machine) -> None:
    write(machine, ".gemini/settings.json", text.encode())
    with Model(GEMINI.form, []) as model, pytest.raises(AssertionError, match=r"is not valid JSON|in JSON at"):
        machine.run(GEMINI, model)


def test_gemini_starts_nothing_in_a_folder_that_it_does_not_trust(machine: Machine) -> None:
    machine.register(GEMINI, "--demo")
    untrusting = {name: value for name, value in GEMINI.variables.items() if "TRUST" not in name}
    client = replace(GEMINI, variables=untrusting)
    with Model(client.form, []) as model:
        listing = machine.start(client, model, [*client.program, "mcp", "list"])
        said = b"".join(part or b"" for part in listing.communicate(b"", timeout=60)).decode()

    assert "folder is untrusted" in said
    assert "Disabled" in said


def answered(machine: Machine, client: Client) -> bool:
    """Whether the model got all tools, and the answer to its call whole."""
    with Model(client.form, [[CALL]]) as model:
        machine.run(client, model)
    (direct,) = ask(machine.home, [CALL], "--demo", "--lang", "en").answers
    assert direct.structured
    wanted = timeless(FORMS[client.name].answer(direct.structured, direct.text))
    assert set(model.tools()) == set(NAMES)
    assert timeless(model.shown()["call_0_0"]) == wanted
    return machine.alive() == []
