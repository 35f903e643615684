"""Pages: incidents, checks, and the rights that are needed."""

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, ErrorData, TextResourceContents
from server.fake import FakeApp

from kubegap_checks.text import Text
from kubegap_mcp.errors import PackagedDataError, UnknownNameError
from kubegap_mcp.server import build


async def read(app: FakeApp, era: str, uri: str) -> TextResourceContents:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content


@pytest.mark.parametrize(
    ("uri", "mime_type", "starts"),
    [
        ("kubegap://incidents/2024-lab-lost-gpu", "text/markdown", "# A lost GPU"),
        ("kubegap://checks/gpu_health.gpu_missing", "text/markdown", "# Fewer GPUs"),
        ("kubegap://throughput/0123456789ab", "image/svg+xml", "<svg>0123456789ab"),
        ("kubegap://rbac", "application/yaml", "kind: ClusterRole"),
        ("kubegap://requests", "application/json", "{"),
    ],
)
async def test_a_page_is_read_by_its_address(app: FakeApp, era: str, uri: str, mime_type: str, starts: str) -> None:
    content = await read(app, era, uri)
    assert content.mime_type == mime_type
    assert content.text.startswith(starts)


@pytest.mark.parametrize("page", ["incidents/2024-lab-lost-gpu", "checks/gpu_health.gpu_missing"])
@pytest.mark.parametrize(
    ("servers", "query", "told"),
    [
        pytest.param("en", "", "en", id="the server's"),
        pytest.param("ko", "", "ko", id="the server's, Korean"),
        pytest.param("en", "?lang=ko", "ko", id="Korean of an English server"),
        pytest.param("ko", "?lang=en", "en", id="English of a Korean server"),
        pytest.param("en", "?lang=en", "en", id="the server's by name"),
    ],
)
async def test_a_page_is_told_in_the_language_asked_for(
    era: str, page: str, servers: str, query: str, told: str
) -> None:
    app = FakeApp(lang=servers)
    await read(app, era, f"kubegap://{page}{query}")
    assert [asked["lang"] for _, asked in app.asked] == [told]


async def test_clients_find_the_pages(app: FakeApp, era: str) -> None:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            static = [str(resource.uri) for resource in (await client.list_resources()).resources]
            listed = await client.list_resource_templates()
    assert static == ["kubegap://rbac", "kubegap://requests"]
    templates = [template.uri_template for template in listed.resource_templates]
    pages = ["kubegap://incidents/{id}{?lang}", "kubegap://checks/{id}{?lang}"]
    assert templates == [*pages, "kubegap://throughput/{id}"]
    for template in listed.resource_templates:
        assert template.description
        assert ("?lang=en or ?lang=ko" in template.description) == (template.uri_template in pages)


async def refused(app: FakeApp, era: str, uri: str) -> ErrorData:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
    return caught.value.error


@pytest.mark.parametrize("uri", ["kubegap://incidents/nope", "kubegap://checks/nope", "kubegap://throughput/nope"])
async def test_an_unknown_id_is_answered_with_the_next_step(app: FakeApp, era: str, uri: str) -> None:
    app.failure = UnknownNameError(Text(en="there is no such page: try lookup_incident", ko="그런 쪽은 없음"))
    error = await refused(app, era, uri)
    assert error.message == "there is no such page: try lookup_incident"
    assert error.code == INVALID_PARAMS


@pytest.mark.parametrize("page", ["incidents/2024-lab-lost-gpu", "checks/gpu_health.gpu_missing"])
@pytest.mark.parametrize("lang", ["fr", "KO", "", "ko-KR"])
async def test_a_wrong_language_is_refused_in_one_sentence(era: str, page: str, lang: str) -> None:
    app = FakeApp()
    error = await refused(app, era, f"kubegap://{page}?lang={lang}")
    assert error.message == f"there is no language '{lang}': ask with ?lang=en or ?lang=ko, or leave it out"
    assert error.code == INVALID_PARAMS
    assert app.asked == []
    error = await refused(FakeApp(lang="ko"), era, f"kubegap://{page}?lang={lang}")
    assert error.message == f"없는 언어: '{lang}'. ?lang=en이나 ?lang=ko를 쓰거나 lang을 뺀다"


async def test_a_failure_is_told_in_the_language_asked_for(app: FakeApp, era: str) -> None:
    app.failure = UnknownNameError(Text(en="there is no such page", ko="그런 쪽은 없음"))
    assert (await refused(app, era, "kubegap://checks/nope?lang=ko")).message == "그런 쪽은 없음"


async def test_a_failure_is_told_in_the_servers_language(era: str) -> None:
    app = FakeApp(lang="ko")
    app.failure = UnknownNameError(Text(en="there is no such page", ko="그런 쪽은 없음"))
    assert (await refused(app, era, "kubegap://checks/nope")).message == "그런 쪽은 없음"
    app.failure = PackagedDataError(Text(en="a record does not parse", ko="기록이 깨짐"))
    assert (await refused(app, era, "kubegap://rbac")).message == "기록이 깨짐"


async def test_a_packaged_fault_is_told_and_a_crash_is_not(app: FakeApp, era: str) -> None:
    app.failure = PackagedDataError(Text(en="a record does not parse: please report it", ko="기록이 깨짐"))
    assert (await refused(app, era, "kubegap://rbac")).message == "a record does not parse: please report it"
    app.failure = RuntimeError("token abc")
    assert "abc" not in (await refused(app, era, "kubegap://rbac")).message
