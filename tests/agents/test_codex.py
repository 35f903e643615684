"""What is particular to Codex: models that write code against the tools, and how it cuts for one it does not know."""

import json

from agents.clients import CODEX, CODEX_CODE, Machine
from agents.direct import ask, timeless
from agents.script import Ask, Own
from agents.stand_in import Model
from agents.test_sessions import CALLS
from server.names import NAMES

from kubegap_mcp.report import client_forms
from kubegap_mcp.report.client_forms import compact


def script(code: str) -> Own:
    return Own({"type": "custom_tool_call", "name": "exec", "input": code})


def definition_of(name: str) -> Own:
    return script(f'text(ALL_TOOLS.find(t => t.name === "mcp__kubegap__{name}").description)')


def test_a_model_that_writes_code_finds_every_tool_with_its_types(machine: Machine) -> None:
    machine.register(CODEX_CODE, "--demo")
    with Model(CODEX_CODE.form, [[definition_of(name)] for name in NAMES]) as model:
        machine.run(CODEX_CODE, model)

    shown = model.shown()
    direct = ask(machine.home, [], "--demo", "--lang", "en")
    for number, name in enumerate(NAMES):
        printed = shown[f"call_{number}_0"].partition("Output:\n\n")[2].rstrip("\n")
        assert printed == client_forms.CODEX_CODE.definition(direct.tools[name], direct.instructions), name


def test_before_it_looks_it_sees_the_first_line_of_the_instructions(machine: Machine) -> None:
    machine.register(CODEX_CODE, "--demo")
    with Model(CODEX_CODE.form, []) as model:
        machine.run(CODEX_CODE, model)

    told = json.dumps(model.requests[0], ensure_ascii=False)
    first, rest = ask(machine.home, [], "--demo", "--lang", "en").instructions.split("\n", 1)
    assert f"mcp__kubegap: {first}" in told
    assert rest[:30] not in told


def test_a_script_gets_every_answer_whole_and_calls_two_at_once(machine: Machine) -> None:
    machine.register(CODEX_CODE, "--demo")
    calls = [*CALLS, Ask("audit_cluster"), Ask("list_gpu_nodes")]
    turns = [[script(f"printed(await {called(one)});{PRINTED}")] for one in CALLS]
    both = ", ".join(called(one) for one in calls[-2:])
    turns.append([script(f"for (const r of await Promise.all([{both}])) printed(r);{PRINTED}")])
    with Model(CODEX_CODE.form, turns) as model:
        machine.run(CODEX_CODE, model)

    direct = ask(machine.home, calls, "--demo", "--lang", "en").answers
    wanted = [one.text if one.structured is None else timeless(compact(one.structured)) for one in direct]
    assert [line for shown in model.shown().values() for line in printed(timeless(shown))] == wanted


PRINTED = "function printed(r) { text(r.isError ? r.content[0].text : JSON.stringify(r.structuredContent)) }"


def called(one: Ask) -> str:
    return f"tools.mcp__kubegap__{one.tool}({json.dumps(one.arguments)})"


def printed(shown: str) -> list[str]:
    """What a script has printed, a line each; the client's own words come before."""
    return [line for line in shown.partition("Output:\n")[2].split("\n") if line]


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
