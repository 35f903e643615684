"""Pages that a client may attach: incidents, checks, and the rights that kubegap needs."""

from typing import TYPE_CHECKING, Any

from anyio import to_thread
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from kubegap_mcp.errors import KubegapError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server import MCPServer

    from kubegap_mcp.app import Kubegap
    from kubegap_mcp.server.lazy import LazyApp


def add_resources(server: "MCPServer[Any]", lazy: "LazyApp") -> None:
    async def page(make: "Callable[[Kubegap], str]") -> str:
        try:
            app = await lazy.get()
            return await to_thread.run_sync(make, app, abandon_on_cancel=True)
        except UnknownNameError as error:
            raise ResourceNotFoundError(error.of(lazy.lang(None))) from error
        except KubegapError as error:
            raise ResourceError(error.of(lazy.lang(None))) from error

    @server.resource(
        "kubegap://incidents/{id}",
        name="incident",
        title="Incident",
        description="One public incident in full; ids come from lookup_incident.",
        mime_type="text/markdown",
    )
    async def incident(id: str) -> str:  # noqa: A002 (the contract's name)
        return await page(lambda app: app.incident_page(id))

    @server.resource(
        "kubegap://checks/{id}",
        name="check",
        title="Check",
        description="One check: why it matters, what it reads, the fix, look-alikes; ids come from audit_cluster.",
        mime_type="text/markdown",
    )
    async def check(id: str) -> str:  # noqa: A002 (the contract's name)
        return await page(lambda app: app.check_page(id))

    @server.resource(
        "kubegap://rbac",
        name="rbac",
        title="ClusterRole",
        description="The least ClusterRole with which every check can read what it needs.",
        mime_type="application/yaml",
    )
    async def rbac() -> str:
        return await page(lambda app: app.rbac())
