"""What each tool does: it passes the question on and sends the answer back. Calls may run at the same time."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult

from kubegap_mcp.server import arguments as args
from kubegap_mcp.server.progress import reporting
from kubegap_mcp.server.result import reply

if TYPE_CHECKING:
    from kubegap_mcp.server.lazy import LazyApp
    from kubegap_mcp.server.topics import TopicName

Handler = Callable[..., Awaitable[CallToolResult]]


class Handlers:
    def __init__(self, lazy: "LazyApp") -> None:
        self._lazy = lazy

    def check(self, topic: "TopicName") -> Handler:
        """The handler of `check_<topic>`."""

        async def check_topic(
            *,
            limit: args.Findings = 3,
            context: args.Context = None,
            namespace: args.Namespace = None,
            refresh: args.Refresh = False,
            lang: args.Lang = None,
        ) -> CallToolResult:
            return await reply(
                self._lazy,
                lang,
                lambda app: app.check_topic(
                    topic, limit=limit, context=context, namespace=namespace, refresh=refresh, lang=lang
                ),
            )

        return check_topic

    async def audit_cluster(
        self,
        *,
        topics: args.Topics = None,
        min_severity: args.MinSeverity = None,
        limit: args.Gaps = 15,
        context: args.Context = None,
        namespace: args.Namespace = None,
        refresh: args.Refresh = False,
        lang: args.Lang = None,
        ctx: Context[Any, Any],
    ) -> CallToolResult:
        return await reply(
            self._lazy,
            lang,
            lambda app: reporting(
                ctx,
                lambda progress: app.audit(
                    topics=topics,
                    min_severity=min_severity,
                    limit=limit,
                    context=context,
                    namespace=namespace,
                    refresh=refresh,
                    lang=lang,
                    progress=progress,
                ),
            ),
        )

    async def list_gpu_nodes(
        self,
        *,
        verdict: args.NodeVerdict = None,
        product: args.Product = None,
        selector: args.Selector = None,
        limit: args.Nodes = 20,
        cursor: args.Cursor = None,
        context: args.Context = None,
        namespace: args.Namespace = None,
        refresh: args.Refresh = False,
        lang: args.Lang = None,
    ) -> CallToolResult:
        return await reply(
            self._lazy,
            lang,
            lambda app: app.list_gpu_nodes(
                verdict=verdict,
                product=product,
                selector=selector,
                limit=limit,
                cursor=cursor,
                context=context,
                namespace=namespace,
                refresh=refresh,
                lang=lang,
            ),
        )

    async def explain_gap(
        self,
        *,
        id: args.GapId,  # noqa: A002 (the contract's name)
        limit: args.GapFindings = 10,
        cursor: args.Cursor = None,
        context: args.Context = None,
        namespace: args.Namespace = None,
        refresh: args.Refresh = False,
        lang: args.Lang = None,
    ) -> CallToolResult:
        return await reply(
            self._lazy,
            lang,
            lambda app: app.explain_gap(
                id, limit=limit, cursor=cursor, context=context, namespace=namespace, refresh=refresh, lang=lang
            ),
        )

    async def explain_throughput(
        self,
        *,
        job: args.Job = None,
        metric: args.Metric = None,
        window: args.Window = None,
        expected: args.Expected = None,
        picture: args.Picture = False,
        context: args.Context = None,
        namespace: args.Namespace = None,
        refresh: args.Refresh = False,
        lang: args.Lang = None,
    ) -> CallToolResult:
        return await reply(
            self._lazy,
            lang,
            lambda app: app.explain_throughput(
                job=job,
                metric=metric,
                window=window,
                expected=expected,
                context=context,
                namespace=namespace,
                refresh=refresh,
                lang=lang,
            ),
            picture=(lambda app, answer: app.pictures.png(answer.picture)) if picture else None,
        )

    async def lookup_incident(
        self,
        *,
        id: args.IncidentId = None,  # noqa: A002 (the contract's name)
        query: args.Query = None,
        symptom: args.Symptom = None,
        component: args.Component = None,
        cause: args.Cause = None,
        organization: args.Organization = None,
        year: args.Year = None,
        limit: args.Hits = 5,
        cursor: args.Cursor = None,
        lang: args.Lang = None,
    ) -> CallToolResult:
        return await reply(
            self._lazy,
            lang,
            lambda app: app.lookup_incident(
                id=id,
                query=query,
                symptom=symptom,
                component=component,
                cause=cause,
                organization=organization,
                year=year,
                limit=limit,
                cursor=cursor,
                lang=lang,
            ),
        )

    async def list_contexts(self, *, lang: args.Lang = None) -> CallToolResult:
        return await reply(self._lazy, lang, lambda app: app.list_contexts(lang=lang))
