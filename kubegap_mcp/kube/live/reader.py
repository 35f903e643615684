"""Live clusters: the contexts of a kubeconfig, or the cluster that this process runs in. Reads, changes nothing.

Nothing heavy is loaded before the first question: the Kubernetes client alone takes longer than the whole start.
"""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from anyio import to_thread

from kubegap_mcp.cluster import Ask, Contexts, Reading
from kubegap_mcp.request_log import RequestLog

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
        self._kubeconfig = kubeconfig
        self._context = context
        self._namespace = namespace
        self._cache_s = cache_s
        self._show_names = show_names
        self._service_account = service_account
        self._log = log or RequestLog()
        # Re-entrant, since close may come from a signal handler in the thread that holds it.
        self._lock = threading.RLock()
        self._opened: Clusters | None = None
        self._closed = False

    async def read(self, ask: Ask) -> Reading:
        """Facts of each kind asked for; raises ConfigError or ClusterUnreachable where nothing could be asked."""
        return await (await self._clusters()).read(ask)

    async def contexts(self) -> Contexts:
        """By name only; none where there is no kubeconfig."""
        return await (await self._clusters()).contexts()

    async def access(
        self, *, context: str | None = None, namespace: str | None = None, deadline_s: float = 30.0
    ) -> "Access":
        """What this user may list, without listing it."""
        return await (await self._clusters()).access(context=context, namespace=namespace, deadline_s=deadline_s)

    async def objects(
        self, *, context: str | None = None, namespace: str | None = None, deadline_s: float = 300.0
    ) -> "LiveObjects":
        """The cluster as a source for a snapshot."""
        return await (await self._clusters()).objects(context=context, namespace=namespace, deadline_s=deadline_s)

    def close(self) -> None:
        """Ends what is under way, plugins included, and deletes the credential files; a later question fails."""
        with self._lock:
            self._closed = True
            opened = self._opened
        if opened is not None:
            opened.close()

    async def _clusters(self) -> "Clusters":
        opened = self._opened
        return opened if opened is not None else await to_thread.run_sync(self._open)

    def _open(self) -> "Clusters":
        from kubegap_mcp.kube.live.clusters import Choices, Clusters  # noqa: PLC0415 (half a second of imports)

        with self._lock:
            opened = self._opened
            if opened is None:
                choices = Choices(
                    kubeconfig=self._kubeconfig,
                    context=self._context,
                    namespace=self._namespace,
                    cache_s=self._cache_s,
                    show_names=self._show_names,
                    service_account=self._service_account,
                    log=self._log,
                )
                opened = self._opened = Clusters(choices)
                if self._closed:
                    opened.close()
            return opened
