"""The metrics source that the settings name, opened with its first question: importing this loads no transport."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.port import Answer, MetricsSource, Query
from kubegap_mcp.metrics.settings import MetricsSettings, Service
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.transport.late import Late

if TYPE_CHECKING:
    from kubegap_mcp.metrics.endpoint import Endpoint
    from kubegap_mcp.metrics.prometheus import Prometheus


Through = Callable[[Service], "Endpoint"]


def _no_cluster(service: Service) -> "Endpoint":
    raise LookupError(f"{service.resource_name} is reached through a cluster: readers.metrics_source_for knows one")


def source_for(
    settings: MetricsSettings | None,
    *,
    cache_s: float = 60.0,
    log: RequestLog | None = None,
    through: Through = _no_cluster,
) -> MetricsSource | None:
    """None where none was chosen; raises ConfigError for a file that is not there.

    `cache_s` is how long an answer may be given again; the log is told of each request. `through` makes the way to a
    service of the cluster.
    """
    if settings is None:
        return None
    for name in ("password_file", "token_file", "ca_file"):
        _refuse_absent(name, getattr(settings, name))

    def endpoint() -> "Endpoint":
        if settings.service is not None:
            return through(settings.service)
        from kubegap_mcp.metrics.over_http import OverHttp  # noqa: PLC0415 (with the first question)

        return OverHttp(settings, log)

    return LazySource(endpoint, cache_s=cache_s, selector=settings.selector)


class LazySource:
    """`close` may come from a signal path."""

    def __init__(self, endpoint: Callable[[], "Endpoint"], *, cache_s: float, selector: str = "") -> None:
        self.selector = selector
        self.at: datetime | None = None

        def opened() -> "Prometheus":
            from kubegap_mcp.metrics.prometheus import Prometheus  # noqa: PLC0415

            return Prometheus(endpoint(), cache_s=cache_s)

        self._prometheus = Late(opened)

    async def names(self, *, deadline_s: float, refresh: bool = False) -> frozenset[str]:
        return await (await self._prometheus.get()).names(deadline_s=deadline_s, refresh=refresh)

    async def ask(self, query: Query, *, at: datetime, deadline_s: float, refresh: bool = False) -> Answer:
        return await (await self._prometheus.get()).ask(query, at=at, deadline_s=deadline_s, refresh=refresh)

    def close(self) -> None:
        self._prometheus.close()


def _refuse_absent(name: str, path: Path | None) -> None:
    if path is not None and not path.is_file():
        raise ConfigError(
            Text(
                en=f"{name} for Prometheus names a file that is not there: correct it",
                ko=f"Prometheus의 {name}에 적힌 파일이 없음. 바로잡는다",
            )
        )
