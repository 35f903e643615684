"""What each healthy cluster has, whoever runs it. Add here what no well-run cluster lacks."""

from collections.abc import Iterable, Mapping

from tests.whole_clusters.objects import Object
from tests.whole_clusters.parts.burn_in import cron_job
from tests.whole_clusters.parts.control_plane import flow_control, node_lease
from tests.whole_clusters.parts.monitoring import observed
from tests.whole_clusters.parts.queueing import priority_classes, quota
from tests.whole_clusters.parts.site import Site, namespaces

TRAINER_LABELS: Mapping[str, str] = {"app": "llm"}


def everywhere(site: Site) -> Iterable[Object]:
    yield from around_any_run(site)
    yield from tested("burn-in")


def around_any_run(site: Site) -> Iterable[Object]:
    """All but the burn-in, which the sick ones may lack."""
    yield from namespaces("monitoring", "gpu-operator", "kueue-system", "burn-in", site.team)
    yield from priority_classes()
    yield from observed(site, TRAINER_LABELS)
    yield from quota(site, {name: count * len(site.trains_on) for name, count in site.asks.items() if "gpu" in name})
    yield from map(node_lease, site.nodes)
    yield from flow_control()


def tested(namespace: str) -> Iterable[Object]:
    """What is idle is tested every night."""
    yield from cron_job("dcgm-diag", namespace, "nvcr.io/nvidia/cloud-native/dcgm:4.4.1-2-ubuntu22.04")
