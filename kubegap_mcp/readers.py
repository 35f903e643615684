"""Which readers the settings ask for; each is imported only where it is used, since the clients are heavy."""

# ruff: noqa: PLC0415

from typing import TYPE_CHECKING

from kubegap_checks.text import Text
from kubegap_mcp.cluster import ClusterReader
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.port import MetricsSource
from kubegap_mcp.metrics.settings import Service
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.settings import Settings

if TYPE_CHECKING:
    from kubegap_mcp.metrics.endpoint import Endpoint


def reader_for(settings: Settings, log: RequestLog | None = None) -> ClusterReader:
    """The packaged demo, a snapshot, or a live cluster, whose requests the log is told of."""
    given = [("--demo", settings.demo), ("--snapshot", settings.snapshot), ("--kubeconfig", settings.kubeconfig)]
    chosen = [option for option, value in given if value]
    if len(chosen) > 1:
        raise ConfigError(
            Text(
                en=f"{' and '.join(chosen)} exclude each other: give one of them",
                ko=f"함께 쓸 수 없는 옵션: {', '.join(chosen)}. 하나만 준다",
            )
        )
    if settings.demo:
        from kubegap_mcp.demo import open_demo

        return open_demo()
    if settings.snapshot:
        from kubegap_mcp.kube.snapshots.reader import open_snapshot

        return open_snapshot(settings.snapshot, show_names=settings.show_names)
    from kubegap_mcp.kube.live import LiveClusters

    return LiveClusters(
        kubeconfig=settings.kubeconfig,
        context=settings.context,
        namespace=settings.namespace,
        cache_s=settings.cache_s,
        show_names=settings.show_names,
        log=log,
    )


def metrics_source_for(
    settings: Settings, log: RequestLog | None = None, reader: ClusterReader | None = None
) -> MetricsSource | None:
    """The source that was chosen, else what a snapshot holds of one; None where there is neither.

    Raises ConfigError for a file that is not there.
    """
    from kubegap_mcp.metrics.source import source_for

    if settings.metrics is None and (settings.snapshot or settings.demo):
        return _kept_in(reader)

    def through(service: Service) -> "Endpoint":
        from kubegap_mcp.kube.live.service_proxy import through_service

        return through_service(service, settings.kubeconfig, settings.context, log)

    return source_for(settings.metrics, cache_s=settings.cache_s, log=log, through=through)


def _kept_in(reader: ClusterReader | None) -> MetricsSource | None:
    from kubegap_mcp.kube.snapshots.reader import SnapshotReader
    from kubegap_mcp.metrics.recorded import KeptSource

    return KeptSource(reader.metrics) if isinstance(reader, SnapshotReader) else None
