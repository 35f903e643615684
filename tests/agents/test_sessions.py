"""Whole sessions of the real clients: what `kubegap register` wrote starts, and its answers reach the model."""

import pytest
from agents.clients import (
    CLAUDE_CODE,
    CLAUDE_CODE_SEARCHING,
    CODEX,
    CODEX_SEARCHING,
    GEMINI,
    Client,
    Machine,
)
from agents.direct import Direct, ask, timeless
from agents.script import Ask, Turn
from agents.stand_in import Model
from server.names import NAMES

from kubegap_mcp.report import client_docs, client_forms

# The calls that the pages about clients show, and one that is an error; in one turn, so that they are made at once.
CALLS = [
    *(Ask(name, client_docs.EXAMPLES.get(name, {})) for name in NAMES),
    Ask("audit_cluster", {"lang": "ko"}),
    Ask("check_gpu_health", {"context": "nowhere"}),
]
# What a model that Codex does not know gets of an answer (seen).
CUT_BY_CODEX = 12_000
FORMS = {
    "claude-code": client_forms.CLAUDE_CODE,
    "codex": client_forms.CODEX,
    "gemini": client_forms.GEMINI_CLI,
}
SETUPS = [CLAUDE_CODE, CLAUDE_CODE_SEARCHING, CODEX, CODEX_SEARCHING, GEMINI]


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> Direct:
    return ask(tmp_path_factory.mktemp("direct"), CALLS, "--demo", "--lang", "en")


@pytest.mark.parametrize("client", SETUPS, ids=lambda client: client.title)
def test_the_model_receives_every_definition_and_every_answer_whole(
    client: Client, machine: Machine, direct: Direct
) -> None:
    machine.register(client, "--demo")
    turns: list[Turn] = [CALLS] if client.search is None else [client.search, CALLS]
    with Model(client.form, turns) as model:
        machine.run(client, model)

    form = FORMS[client.name]
    defined = {name: _essential(tool) for name, tool in model.tools().items()}
    assert defined == {name: form.definition(tool, direct.instructions) for name, tool in direct.tools.items()}
    assert direct.instructions in model.form.told(model.requests[-1])
    shown = model.shown()
    for place, (one, answer) in enumerate(zip(CALLS, direct.answers, strict=True)):
        seen = timeless(shown[f"call_{len(turns) - 1}_{place}"])
        if answer.structured is None:
            assert answer.text in seen, one
            continue
        wanted = timeless(form.answer(answer.structured, answer.text))
        if client is CODEX and len(wanted) > CUT_BY_CODEX:
            assert "tokens truncated" in seen, one  # test_codex has how
        else:
            assert seen == wanted, one
    assert machine.alive() == []


def _essential(tool: dict[str, object]) -> dict[str, object]:
    """Without what the client adds for its vendor's API alone."""
    return {
        key: value
        for key, value in tool.items()
        if key not in {"cache_control", "defer_loading", "eager_input_streaming"}
    }
