"""How the server introduces itself, in both protocol eras."""

import anyio
from mcp import Client
from server.fake import FakeApp

import kubegap_mcp
from kubegap_mcp.server import build
from kubegap_mcp.server.build import INSTRUCTIONS


async def test_the_server_gives_its_name_version_and_instructions(app: FakeApp, era: str) -> None:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            assert client.server_info
            assert (client.server_info.name, client.server_info.version) == ("kubegap", kubegap_mcp.__version__)
            assert client.server_info.icons is None
            assert client.instructions == INSTRUCTIONS


async def test_the_catalogue_is_announced_as_static(app: FakeApp, era: str) -> None:
    with anyio.fail_after(5):
        async with Client(build(app.lazy()), mode=era) as client:
            capabilities = client.server_capabilities
    assert capabilities.tools
    assert capabilities.prompts
    assert capabilities.resources
    changes = [capabilities.tools.list_changed, capabilities.prompts.list_changed, capabilities.resources.list_changed]
    assert not any(changes)


async def test_lists_may_be_kept_for_an_hour_where_the_protocol_can_say_so(app: FakeApp) -> None:
    with anyio.fail_after(5):
        async with Client(build(app.lazy())) as client:
            listed = await client.list_tools()
    assert (listed.ttl_ms, listed.cache_scope) == (3_600_000, "public")
