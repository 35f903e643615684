"""Prompts: kubegap's own words in two languages, with the person's arguments and nothing from a cluster."""

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import TextContent
from server.fake import FakeApp
from server.names import NAMES

from kubegap_mcp.server import build

PROMPTS = ["audit", "throughput_drop", "ready_for_training"]


async def get(app: FakeApp, era: str, name: str, given: dict[str, str]) -> str:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            (message,) = (await client.get_prompt(name, given)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


async def test_clients_find_the_prompts_and_no_argument_is_required(app: FakeApp, era: str) -> None:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            prompts = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == PROMPTS
    for prompt in prompts:
        assert prompt.title
        assert [(argument.name, argument.required) for argument in prompt.arguments or []] == [
            ("lang", False),
            ("context", False),
        ]


@pytest.mark.parametrize("name", PROMPTS)
async def test_a_prompt_names_only_tools_that_exist(app: FakeApp, era: str, name: str) -> None:
    for lang in ("en", "ko"):
        said = await get(app, era, name, {"lang": lang})
        words = {word.strip(".,") for word in said.split() if "_" in word}
        assert words
        assert words <= set(NAMES)


async def test_the_language_is_that_asked_for_or_the_server_s(era: str) -> None:
    assert (await get(FakeApp(), era, "audit", {})).startswith("Audit this")
    assert (await get(FakeApp(), era, "audit", {"lang": "ko"})).startswith("kubegap 으로")
    assert (await get(FakeApp(lang="ko"), era, "audit", {})).startswith("kubegap 으로")


async def test_a_context_is_passed_on_by_name(app: FakeApp, era: str) -> None:
    assert 'context="lab-1"' in await get(app, era, "audit", {"context": "lab-1"})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"lang": "fr"}, "lang must be en or ko"),
        ({"context": "a\nb"}, "context must be the name of a kubeconfig context"),
        ({"context": "x" * 254}, "context must be the name of a kubeconfig context"),
        ({"cluster": "lab"}, "the prompt audit has no argument 'cluster': it takes lang, context"),
    ],
)
async def test_a_wrong_argument_is_refused_in_one_sentence(
    app: FakeApp, era: str, given: dict[str, str], says: str
) -> None:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            with pytest.raises(MCPError) as caught:
                await client.get_prompt("audit", given)
    assert caught.value.error.message.startswith(says)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"lang": "fr"}, "lang은 en이나 ko여야 함"),
        ({"lang": "ko", "context": "a\nb"}, "context는 kubeconfig 컨텍스트의 이름이어야 함"),
        ({"lang": "ko", "cluster": "lab"}, "프롬프트 audit에 없는 인자: 'cluster'. 쓸 수 있는 인자: lang, context"),
        ({"lang": "en", "cluster": "lab"}, "the prompt audit has no argument 'cluster'"),
    ],
)
async def test_a_wrong_argument_is_refused_in_the_language_asked_for_else_the_servers(
    era: str, given: dict[str, str], says: str
) -> None:
    with anyio.fail_after(5):
        async with Client(build(FakeApp(lang="ko").lazy()), mode=era) as client:
            with pytest.raises(MCPError) as caught:
                await client.get_prompt("audit", given)
    assert caught.value.error.message.startswith(says)
