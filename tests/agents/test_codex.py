"""What is particular to Codex: models that write code against the tools, and how it cuts for one it does not know."""

from agents.clients import CODEX, CODEX_CODE, Machine
from agents.direct import ask, timeless
from agents.script import Ask, Own
from agents.stand_in import Model
from server.names import NAMES

from kubegap_mcp.report.client_forms import compact


def script(code: str) -> Own:
    return Own({"type": "custom_tool_call", "name": "exec", "input": code})


def lines(shown: str) -> list[str]:
    """What the script has printed: one line of JSON each, after the client's own three lines."""
    return [line for line in shown.split("\n") if line.startswith(("{", "["))]


def test_a_model_that_writes_code_finds_the_tools_and_their_fields(machine: Machine) -> None:
    machine.register(CODEX_CODE, "--demo")
    both = "await Promise.all([tools.mcp__kubegap__audit_cluster({}), tools.mcp__kubegap__list_gpu_nodes({})])"
    turns = [
        [script('text(JSON.stringify(ALL_TOOLS.filter(t => t.name.startsWith("mcp__kubegap__"))))')],
        [script(f"for (const r of {both}) text(JSON.stringify(r.structuredContent))")],
    ]
    with Model(CODEX_CODE.form, turns) as model:
        machine.run(CODEX_CODE, model)

    shown = model.shown()
    direct = ask(machine.home, [Ask("audit_cluster"), Ask("list_gpu_nodes")], "--demo", "--lang", "en")
    listing = shown["call_0_0"]
    for name in NAMES:
        assert f"mcp__kubegap__{name}" in listing or "tokens truncated" in listing
    assert "by_severity?: " in listing  # the outline of the answer has become a type
    assert lines(timeless(shown["call_1_0"])) == [timeless(compact(one.structured)) for one in direct.answers]


def test_for_a_model_that_it_does_not_know_codex_cuts_a_long_answer_in_the_middle(machine: Machine) -> None:
    machine.register(CODEX, "--demo")
    whole = Ask("lookup_incident", {"id": "IL-0129"})
    with Model(CODEX.form, [[whole]]) as model:
        machine.run(CODEX, model)

    (shown,) = model.shown().values()
    (answer,) = ask(machine.home, [whole], "--demo", "--lang", "en").answers
    head, cut, tail = shown.split("\n", 2)[2].partition("…")
    assert cut
    assert "tokens truncated" in tail
    assert compact(answer.structured).startswith(head)
    assert len(head) > 5000
