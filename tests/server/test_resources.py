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
        ("kubegap://rbac", "application/yaml", "kind: ClusterRole"),
    ],
)
async def test_a_page_is_read_by_its_address(app: FakeApp, era: str, uri: str, mime_type: str, starts: str) -> None:
    content = await read(app, era, uri)
    assert content.mime_type == mime_type
    assert content.text.startswith(starts)


async def test_clients_find_the_pages(app: FakeApp, era: str) -> None:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            static = [str(resource.uri) for resource in (await client.list_resources()).resources]
            listed = await client.list_resource_templates()
    assert static == ["kubegap://rbac"]
    templates = [template.uri_template for template in listed.resource_templates]
    assert templates == ["kubegap://incidents/{id}", "kubegap://checks/{id}"]


async def refused(app: FakeApp, era: str, uri: str) -> ErrorData:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
    return caught.value.error


@pytest.mark.parametrize("uri", ["kubegap://incidents/nope", "kubegap://checks/nope"])
async def test_an_unknown_id_is_answered_with_the_next_step(app: FakeApp, era: str, uri: str) -> None:
    app.failure = UnknownNameError(Text(en="there is no such page: try lookup_incident", ko="그런 쪽은 없음"))
    error = await refused(app, era, uri)
    assert error.message == "there is no such page: try lookup_incident"
    assert error.code == INVALID_PARAMS


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
