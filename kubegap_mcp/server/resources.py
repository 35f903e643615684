"""Pages that a client may attach: incidents, checks, curves, and the rights that kubegap needs."""

from typing import TYPE_CHECKING, Any

from anyio import to_thread
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from kubegap_checks.text import Text
from kubegap_mcp.errors import KubegapError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server import MCPServer

    from kubegap_checks.text import Lang
    from kubegap_mcp.app import Kubegap
    from kubegap_mcp.server.lazy import LazyApp

_LANG = "?lang=en or ?lang=ko; default: the server's."


def add_resources(server: "MCPServer[Any]", lazy: "LazyApp") -> None:
    async def page(make: "Callable[[Kubegap, Lang], str]", asked: str | None = None) -> str:
        """The page in the language asked for; a failure is told in the same."""
        lang = lazy.lang("ko" if asked == "ko" else "en" if asked == "en" else None)
        try:
            if asked not in {None, lang}:
                raise _no_language(str(asked))
            app = await lazy.get()
            return await to_thread.run_sync(make, app, lang, abandon_on_cancel=True)
        except UnknownNameError as error:
            raise ResourceNotFoundError(error.of(lang)) from error
        except KubegapError as error:
            raise ResourceError(error.of(lang)) from error

    @server.resource(
        "kubegap://incidents/{id}{?lang}",
        name="incident",
        title="Incident",
        description=f"One public incident in full; ids come from lookup_incident. {_LANG}",
        mime_type="text/markdown",
    )
    async def incident(id: str, lang: str | None = None) -> str:  # noqa: A002 (the contract's name)
        return await page(lambda app, told: app.incident_page(id, told), lang)

    @server.resource(
        "kubegap://checks/{id}{?lang}",
        name="check",
        title="Check",
        description="One check: why it matters, what it reads, the fix, look-alikes; ids come from audit_cluster. "
        f"{_LANG}",
        mime_type="text/markdown",
    )
    async def check(id: str, lang: str | None = None) -> str:  # noqa: A002 (the contract's name)
        return await page(lambda app, told: app.check_page(id, told), lang)

    @server.resource(
        "kubegap://throughput/{id}",
        name="throughput",
        title="Throughput curve",
        description="The curve of an explain_throughput answer with its marks; the answer's notes name it.",
        mime_type="image/svg+xml",
    )
    async def throughput(id: str) -> str:  # noqa: A002 (the contract's name)
        return await page(lambda app, _: app.pictures.svg(id))

    @server.resource(
        "kubegap://rbac",
        name="rbac",
        title="ClusterRole",
        description="The least ClusterRole with which every check can read what it needs.",
        mime_type="application/yaml",
    )
    async def rbac() -> str:
        return await page(lambda app, _: app.rbac())

    @server.resource(
        "kubegap://requests",
        name="requests",
        title="Requests",
        description="What this server asked last: time, method, path, status, bytes, ms. All are reads.",
        mime_type="application/json",
    )
    async def requests() -> str:
        return await page(lambda app, _: app.requests_page())


def _no_language(asked: str) -> UnknownNameError:
    named = repr(asked[:60])
    return UnknownNameError(
        Text(
            en=f"there is no language {named}: ask with ?lang=en or ?lang=ko, or leave it out",
            ko=f"없는 언어: {named}. ?lang=en이나 ?lang=ko를 쓰거나 lang을 뺀다",
        )
    )
