"""Live clusters: the contexts of a kubeconfig, or the cluster that this process runs in. Reads, changes nothing.

Nothing heavy is loaded before the first question: the Kubernetes client alone takes longer than the whole start.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from kubegap_mcp.cluster import Ask, Contexts, Reading
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.transport.late import Late

if TYPE_CHECKING:
    from kubegap_mcp.kube.live.access import Access
    from kubegap_mcp.kube.live.clusters import Clusters
    from kubegap_mcp.kube.live.objects import LiveObjects

SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class LiveClusters:
    """One per process; questions may come at the same time, about several contexts too.

    `kubeconfig` goes before KUBECONFIG and ~/.kube/config, `context` before the current one, and `namespace` is
    the one that is asked about where a question names none. `log` is told of every request.
    """

    def __init__(
        self,
        kubeconfig: Path | None = None,
        context: str | None = None,
        namespace: str | None = None,
        *,
        cache_s: float = 60.0,
        show_names: bool = False,
        service_account: Path = SERVICE_ACCOUNT,
        log: RequestLog | None = None,
    ) -> None:
        def opened() -> "Clusters":
            from kubegap_mcp.kube.live.clusters import Choices, Clusters  # noqa: PLC0415 (half a second of imports)

            return Clusters(
                Choices(
                    kubeconfig=kubeconfig,
                    context=context,
                    namespace=namespace,
                    cache_s=cache_s,
                    show_names=show_names,
                    service_account=service_account,
                    log=log or RequestLog(),
                )
            )

        self._clusters = Late(opened)

    async def read(self, ask: Ask) -> Reading:
        """Facts of each kind asked for; raises ConfigError or ClusterUnreachable where nothing could be asked."""
        return await (await self._clusters.get()).read(ask)

    async def contexts(self) -> Contexts:
        """By name only; none where there is no kubeconfig."""
        return await (await self._clusters.get()).contexts()

    async def access(
        self, *, context: str | None = None, namespace: str | None = None, deadline_s: float = 30.0
    ) -> "Access":
        """What this user may list, without listing it."""
        return await (await self._clusters.get()).access(context=context, namespace=namespace, deadline_s=deadline_s)

    async def objects(
        self, *, context: str | None = None, namespace: str | None = None, deadline_s: float = 300.0
    ) -> "LiveObjects":
        """The cluster as a source for a snapshot."""
        return await (await self._clusters.get()).objects(context=context, namespace=namespace, deadline_s=deadline_s)

    def close(self) -> None:
        """Ends what is under way, plugins included, and deletes the credential files; a later question fails."""
        self._clusters.close()
