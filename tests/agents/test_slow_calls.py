"""A cluster that answers nobody: calls that outlive the client's patience, and calls that a person breaks off."""

import json
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import pytest
from agents.clients import CLAUDE_CODE, CODEX, GEMINI, LONGEST_S, Client, Machine, end
from agents.conversations import CONVERSATIONS, Conversation
from agents.direct import Direct, ask, timeless
from agents.script import Ask
from agents.stand_in import Model
from agents.test_sessions import FORMS
from fake_apiserver import FakeApiServer, slow

HANGS = Ask("list_gpu_nodes")
NEEDS_NO_CLUSTER = Ask("lookup_incident", {"query": "weka s3 eviction", "limit": 1})
PATIENCE_S = 4


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Direct:
    return ask(tmp_path_factory.mktemp("direct"), [NEEDS_NO_CLUSTER], "--lang", "en")


@dataclass(frozen=True, slots=True)
class Hanging:
    api: FakeApiServer
    kubeconfig: str


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[Hanging]:
    with FakeApiServer(faults={"nodes": slow(60)}) as api:
        yield Hanging(api, str(api.kubeconfig(tmp_path)))


def answer_of(direct: Direct, client: Client) -> str:
    (answer,) = direct.answers
    assert answer.structured
    return timeless(FORMS[client.name].answer(answer.structured, answer.text))


def be_impatient(machine: Machine, client: Client) -> None:
    """As a person sets it in the entry that `kubegap register` wrote."""
    if client is CODEX:
        path = machine.home / ".codex" / "config.toml"
        text, count = re.subn(r"tool_timeout_sec = \d+", f"tool_timeout_sec = {PATIENCE_S}", path.read_text("utf-8"))
        assert count == 1
        path.write_text(text, encoding="utf-8")
        return
    path = machine.home / (".claude.json" if client is CLAUDE_CODE else ".gemini/settings.json")
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["mcpServers"]["kubegap"]["timeout"] = PATIENCE_S * 1000
    path.write_text(json.dumps(settings), encoding="utf-8")


@pytest.mark.parametrize(
    ("client", "said"),
    [
        (CLAUDE_CODE, "timed out after 4s"),
        (CODEX, "timed out awaiting tools/call after 4s"),
        (GEMINI, "Request timed out"),
    ],
    ids=lambda value: value.name if isinstance(value, Client) else "",
)
def test_a_call_that_outlives_the_clients_patience_leaves_the_server_well(
    client: Client, said: str, machine: Machine, hanging: Hanging, direct: Direct
) -> None:
    machine.register(client, "--kubeconfig", hanging.kubeconfig)
    be_impatient(machine, client)
    with Model(client.form, [[HANGS], [NEEDS_NO_CLUSTER]]) as model:
        machine.run(client, model)

    shown = model.shown()
    assert said in shown["call_0_0"]
    assert timeless(shown["call_1_0"]) == answer_of(direct, client)
    assert machine.alive() == []


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda one: one.client.name)
def test_a_call_that_is_broken_off_leaves_the_server_well(
    conversation: type[Conversation], machine: Machine, hanging: Hanging, direct: Direct
) -> None:
    client = conversation.client
    machine.register(client, "--kubeconfig", hanging.kubeconfig)
    with Model(client.form, [[HANGS], [NEEDS_NO_CLUSTER]]) as model, conversation(machine, model) as talk:
        ends = talk.say("how are the nodes?")
        hanging.api.wait_for("nodes", LONGEST_S)
        talk.interrupt()
        ends()
        talk.say("has anyone had this?")()

    assert timeless(model.shown()["call_1_0"]) == answer_of(direct, client)
    assert not gone_after(machine, 3)


@pytest.mark.parametrize("client", [CLAUDE_CODE, CODEX, GEMINI], ids=lambda client: client.name)
def test_an_agent_that_is_ended_in_a_call_leaves_no_server_behind(
    client: Client, machine: Machine, hanging: Hanging
) -> None:
    machine.register(client, "--kubeconfig", hanging.kubeconfig)
    with Model(client.form, [[HANGS]]) as model:
        process = machine.start(client, model)
        try:
            if process.stdin:
                process.stdin.close()
            hanging.api.wait_for("nodes", LONGEST_S)
            process.send_signal(signal.SIGINT)
            process.wait(20)
            assert not gone_after(machine, 3)
        finally:
            end(process)


def gone_after(machine: Machine, seconds: float) -> list[str]:
    """What still runs when the time is up."""
    ends = monotonic() + seconds
    while (alive := machine.alive()) and monotonic() < ends:
        sleep(0.05)
    return alive
