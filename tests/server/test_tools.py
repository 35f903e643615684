"""Calls as a client makes them, in memory and in both protocol eras."""

import base64
import inspect
import json
from typing import TYPE_CHECKING, Any, cast

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult, ImageContent, TextContent
from server import answers
from server.fake import FakeApp

from kubegap_checks.text import Text
from kubegap_mcp.app import Kubegap
from kubegap_mcp.errors import ClusterUnreachable, KubegapError, UnknownNameError
from kubegap_mcp.report.models import Answer, ContextPart, ContextsAnswer
from kubegap_mcp.report.text import render
from kubegap_mcp.server import LazyApp, build

if TYPE_CHECKING:
    from kubegap_mcp.settings import Settings

WHERE: dict[str, Any] = {"context": None, "namespace": None, "refresh": False, "lang": None}
CALLS: list[tuple[str, dict[str, Any], str, dict[str, Any], Answer]] = [
    (
        "audit_cluster",
        {},
        "audit",
        {"topics": None, "min_severity": None, "limit": 15, **WHERE},
        answers.AUDIT,
    ),
    *(
        (f"check_{topic}", {}, "check_topic", {"topic": topic, "limit": 3, **WHERE}, answers.TOPIC)
        for topic in ("storage_tiering", "ib_health", "gpu_health")
    ),
    (
        "list_gpu_nodes",
        {},
        "list_gpu_nodes",
        {"verdict": None, "product": None, "selector": None, "limit": 20, "cursor": None, **WHERE},
        answers.NODES,
    ),
    (
        "explain_gap",
        {"id": "gpu_health.gpu_missing"},
        "explain_gap",
        {"id": "gpu_health.gpu_missing", "limit": 10, "cursor": None, **WHERE},
        answers.GAP,
    ),
    (
        "explain_throughput",
        {},
        "explain_throughput",
        {"job": None, "metric": None, "window": None, "expected": None, **WHERE},
        answers.THROUGHPUT,
    ),
    (
        "lookup_incident",
        {},
        "lookup_incident",
        {
            **dict.fromkeys(("id", "query", "symptom", "component", "cause", "organization", "year", "cursor", "lang")),
            "limit": 5,
        },
        answers.INCIDENTS,
    ),
    ("list_contexts", {}, "list_contexts", {"lang": None}, answers.CONTEXTS),
]


async def call(app: FakeApp, era: str, tool: str, arguments: dict[str, Any]) -> CallToolResult:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            return await client.call_tool(tool, arguments)


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def refusal(result: CallToolResult) -> str:
    """What an error says; it never carries structured content, which some clients would show instead."""
    assert result.is_error
    assert result.structured_content is None
    return text(result)


@pytest.mark.parametrize(("tool", "given", "method", "asked", "answer"), CALLS, ids=[row[0] for row in CALLS])
async def test_a_tool_asks_with_the_defaults_and_answers_in_both_channels(
    app: FakeApp, era: str, tool: str, given: dict[str, Any], method: str, asked: dict[str, Any], answer: Answer
) -> None:
    result = await call(app, era, tool, given)
    assert not result.is_error, result.content
    assert app.asked == [(method, asked)]
    assert result.structured_content == answer.model_dump(mode="json", by_alias=True)
    assert text(result) == render(answer, "en")


@pytest.mark.parametrize(("tool", "given", "method", "asked", "answer"), CALLS, ids=[row[0] for row in CALLS])
def test_the_application_takes_what_a_tool_passes_on(
    tool: str, given: dict[str, Any], method: str, asked: dict[str, Any], answer: Answer
) -> None:
    signature = inspect.signature(getattr(Kubegap, method), eval_str=True)
    signature.bind(None, **asked)
    assert signature.return_annotation is type(answer), tool
    for name, value in asked.items():
        default = signature.parameters[name].default
        assert name in {"topic", *given} or default == value, name


async def test_every_argument_reaches_the_application(app: FakeApp, era: str) -> None:
    given = {
        "verdict": "not_ready",
        "product": "H100",
        "selector": "a=b",
        "limit": 7,
        "cursor": "x",
        "context": "lab",
        "namespace": "team-a",
        "refresh": True,
        "lang": "ko",
    }
    result = await call(app, era, "list_gpu_nodes", given)
    assert app.asked == [("list_gpu_nodes", given)]
    assert text(result) == render(answers.NODES, "ko")


async def test_a_picture_comes_after_the_text_only_where_it_is_asked_for(app: FakeApp, era: str) -> None:
    told, image = (await call(app, era, "explain_throughput", {"picture": True, "lang": "ko"})).content
    assert isinstance(told, TextContent)
    assert told.text == render(answers.THROUGHPUT, "ko")
    assert isinstance(image, ImageContent)
    assert image.mime_type == "image/png"
    assert base64.b64decode(image.data) == b"png of 0123456789ab"
    assert "picture" not in app.asked[0][1]
    assert len((await call(app, era, "explain_throughput", {"picture": False})).content) == 1


async def test_the_language_of_the_server_is_that_of_the_text_when_none_is_asked_for(era: str) -> None:
    result = await call(FakeApp(lang="ko"), era, "list_contexts", {})
    assert text(result) == render(answers.CONTEXTS, "ko")


async def test_an_explicit_null_is_an_argument_left_out(app: FakeApp, era: str) -> None:
    result = await call(app, era, "audit_cluster", {"topics": None, "context": None, "lang": None})
    assert not result.is_error


async def test_a_list_of_topics_may_come_as_json_text(app: FakeApp, era: str) -> None:
    await call(app, era, "audit_cluster", {"topics": '["ib_health"]'})
    assert app.asked[0][1]["topics"] == ["ib_health"]


async def test_an_unknown_argument_is_refused_by_its_name(app: FakeApp, era: str) -> None:
    said = refusal(await call(app, era, "check_ib_health", {"cluster": "prod", "limit": 1}))
    assert said == ("check_ib_health has no argument 'cluster': it takes limit, context, namespace, refresh, lang")
    assert app.asked == []


@pytest.mark.parametrize(
    ("tool", "given", "says"),
    [
        ("audit_cluster", {"limit": 51}, "limit: Input should be less than or equal to 50"),
        ("audit_cluster", {"limit": 0}, "limit: Input should be greater than or equal to 1"),
        ("audit_cluster", {"topics": ["weather"]}, "topics: Input should be 'storage_tiering', 'ib_health',"),
        ("audit_cluster", {"topics": []}, "topics: List should have at least 1 item"),
        ("audit_cluster", {"min_severity": "awful"}, "min_severity: Input should be 'low', 'medium', 'high' or"),
        ("list_gpu_nodes", {"verdict": "fine"}, "verdict: Input should be 'ready', 'not_ready' or 'unknown'"),
        ("check_gpu_health", {"context": ""}, "context: String should have at least 1 character"),
        ("check_gpu_health", {"namespace": "x" * 501}, "namespace: String should have at most 500 characters"),
        ("check_gpu_health", {"lang": "fr"}, "lang: Input should be 'en' or 'ko'"),
        ("check_gpu_health", {"limit": "many"}, "limit: Input should be a valid integer"),
        ("explain_gap", {}, "id is missing"),
        ("explain_throughput", {"expected": 0}, "expected: Input should be greater than 0"),
        ("explain_throughput", {"expected": "inf"}, "expected: Input should be a finite number"),
        ("lookup_incident", {"year": 1800}, "year: Input should be greater than or equal to 1990"),
    ],
)
async def test_a_wrong_argument_is_refused_in_one_sentence(
    app: FakeApp, era: str, tool: str, given: dict[str, Any], says: str
) -> None:
    said = refusal(await call(app, era, tool, given))
    assert said.startswith(f"{tool} was called wrongly: {says}")
    assert "\n" not in said
    assert "pydantic" not in said
    assert app.asked == []


GONE = ClusterUnreachable(Text(en="no answer: run kubegap doctor", ko="응답 없음. kubegap doctor를 실행한다"))
NO_SUCH = UnknownNameError(Text(en="no such", ko="그런 것은 없음"))


@pytest.mark.parametrize("tool", [row[0] for row in CALLS])
@pytest.mark.parametrize("failure", [GONE, NO_SUCH])
async def test_an_expected_failure_is_told_as_it_is(app: FakeApp, era: str, tool: str, failure: KubegapError) -> None:
    app.failure = failure
    given = {"id": "x"} if tool == "explain_gap" else {}
    assert refusal(await call(app, era, tool, given)) == failure.text.en
    assert refusal(await call(app, era, tool, {**given, "lang": "ko"})) == failure.text.ko


async def test_a_failure_is_told_in_the_servers_language_where_a_call_names_none(era: str) -> None:
    app = FakeApp(lang="ko")
    app.failure = GONE
    assert refusal(await call(app, era, "list_contexts", {})) == GONE.text.ko
    assert refusal(await call(app, era, "list_contexts", {"lang": "en"})) == GONE.text.en


@pytest.mark.parametrize(
    ("tool", "given", "says"),
    [
        ("check_ib_health", {"cluster": "lab"}, "check_ib_health에 없는 인자: 'cluster'. 쓸 수 있는 인자: limit,"),
        ("explain_gap", {}, "explain_gap 호출이 잘못됨: id 인자가 없음"),
        ("check_ib_health", {"limit": 0}, "check_ib_health 호출이 잘못됨: limit: 1 이상이어야 함"),
        ("check_ib_health", {"limit": 1000}, "check_ib_health 호출이 잘못됨: limit: 100 이하여야 함"),
        ("check_ib_health", {"limit": "many"}, "check_ib_health 호출이 잘못됨: limit: 정수여야 함"),
        ("check_ib_health", {"refresh": "maybe"}, "check_ib_health 호출이 잘못됨: refresh: true나 false여야 함"),
        ("check_ib_health", {"context": ""}, "check_ib_health 호출이 잘못됨: context: 비어 있음"),
        ("check_ib_health", {"context": "x" * 501}, "check_ib_health 호출이 잘못됨: context: 500자 이하여야 함"),
        ("check_ib_health", {"context": 7}, "check_ib_health 호출이 잘못됨: context: 문자열이어야 함"),
        ("audit_cluster", {"topics": 7}, "audit_cluster 호출이 잘못됨: topics: 목록이어야 함"),
        ("explain_throughput", {"expected": -1}, "explain_throughput 호출이 잘못됨: expected: 0보다 커야 함"),
        ("explain_throughput", {"expected": "much"}, "explain_throughput 호출이 잘못됨: expected: 숫자여야 함"),
        ("explain_throughput", {"expected": "nan"}, "explain_throughput 호출이 잘못됨: expected: 유한한 숫자여야 함"),
        ("audit_cluster", {"min_severity": "bad"}, "audit_cluster 호출이 잘못됨: min_severity: 'low', 'medium', "),
    ],
)
async def test_a_wrong_argument_is_refused_in_korean_too(
    app: FakeApp, era: str, tool: str, given: dict[str, Any], says: str
) -> None:
    said = refusal(await call(app, era, tool, {**given, "lang": "ko"}))
    assert said.startswith(says)
    assert app.asked == []


async def test_a_wrong_language_is_refused_in_the_servers(era: str) -> None:
    said = refusal(await call(FakeApp(lang="ko"), era, "list_contexts", {"lang": "fr"}))
    assert said.startswith("list_contexts 호출이 잘못됨: lang: 'en', 'ko' 중 하나여야 함.")


async def test_a_fault_of_kubegap_tells_the_log_and_not_the_client(
    app: FakeApp, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    app.failure = RuntimeError("token abc at /home/someone")
    said = refusal(await call(app, era, "audit_cluster", {}))
    assert "fault of kubegap itself" in said
    assert "abc" not in said
    assert "someone" not in said
    assert "token abc" in caplog.text


async def test_an_answer_that_does_not_fit_its_model_is_not_sent(app: FakeApp, era: str) -> None:
    app.instead = answers.CONTEXTS.model_copy(update={"source": "elsewhere"})
    assert "fault of kubegap itself" in refusal(await call(app, era, "list_contexts", {}))


async def test_an_answer_that_clients_would_cut_is_refused_with_the_way_on(app: FakeApp, era: str) -> None:
    contexts = [ContextPart(name=f"클러스터-{number}", current=False) for number in range(900)]
    app.instead = ContextsAnswer(contexts=contexts, in_use=None, source="kubeconfig", notes=[])
    assert len(json.dumps(app.instead.model_dump(mode="json"), ensure_ascii=False)) < 50_000
    said = refusal(await call(app, era, "list_contexts", {}))
    assert "over the 30,000" in said
    assert "limit" in said
    assert "next_cursor" in said


async def test_an_audit_reports_progress_in_order(app: FakeApp, era: str) -> None:
    seen: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        await anyio.lowlevel.checkpoint()
        assert message is None
        seen.append((progress, total))

    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            result = await client.call_tool("audit_cluster", {}, progress_callback=note)
    assert not result.is_error
    assert seen == [(1, 3), (2, 3), (3, 3)]


async def test_calls_run_at_the_same_time(app: FakeApp, era: str) -> None:
    app.hold = anyio.Event()
    results: list[CallToolResult] = []
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client, anyio.create_task_group() as group:

            async def ask(tool: str) -> None:
                results.append(await client.call_tool(tool, {}))

            for tool in ("audit_cluster", "check_ib_health", "check_gpu_health", "list_gpu_nodes"):
                group.start_soon(ask, tool)
            while app.waiting < 4:
                await anyio.lowlevel.checkpoint()
            app.hold.set()
    assert [result.is_error for result in results] == [False] * 4


async def test_the_application_is_loaded_once_and_only_for_a_call(era: str) -> None:
    loaded: list[FakeApp] = []
    app = FakeApp()

    def load(_: "Settings") -> Kubegap:
        loaded.append(app)
        return cast("Kubegap", app)

    lazy = LazyApp(app.settings, load)
    with anyio.fail_after(5):
        async with Client(build(lazy), mode=era) as client:
            await client.list_tools()
            await client.list_prompts()
            await client.list_resources()
            assert loaded == []
            async with anyio.create_task_group() as group:
                for _ in range(4):
                    group.start_soon(client.call_tool, "list_contexts", {})
    assert loaded == [app]
