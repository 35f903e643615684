"""A real Prometheus that holds two clusters: etcd, API servers, claims and pods of the other one are none of ours."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import anyio
import pytest
from metrics import prometheus_server

from kubegap_checks import catalog
from kubegap_checks.facts.metrics import (
    ApiServerLoad,
    ContainerMemory,
    EtcdLoad,
    Exported,
    LinkErrors,
    Measured,
    VolumeFill,
)
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, came
from kubegap_mcp.app import Kubegap
from kubegap_mcp.cluster import Ask
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.settings import Settings
from tests.whole_clusters.objects import NOW, Object, write
from tests.whole_clusters.parts.jobs import volcano
from tests.whole_clusters.parts.nodes import H100, gfd, node
from tests.whole_clusters.parts.site import Site

SITE = Site(gpus=("gpu-0", "gpu-1"), system=(), asks={"nvidia.com/gpu": 8}, idle=frozenset())
FIGURES = (ApiServerLoad, ContainerMemory, EtcdLoad, LinkErrors, VolumeFill)
GIB = 1024.0**3
Said = tuple[str, dict[str, str], Callable[[float], float]]  # a series, and its value after so many hours
MEASURING = tuple(check for check in catalog.load() if check.measures)


def objects() -> Iterator[Object]:
    for name in SITE.gpus:
        yield node(name, gfd(H100, 8), {"nvidia.com/gpu": 8, "rdma/hca": 8}, storage="900Gi")
    yield from volcano(SITE)


def cluster(net: str, nodes: tuple[str, ...], percent: float, **labels: str) -> Iterator[Said]:
    """What each exporter of one cluster says: everything is so full, and each port loses its link in every hour."""
    control = {"instance": f"10.{net}.0.1:2381", "job": "etcd", **labels}
    api = {"instance": f"10.{net}.0.1:6443", "job": "apiserver", **labels}
    for place, name in enumerate(nodes):
        at = {"instance": f"10.{net}.1.{place}:9100", "job": "node", **labels}
        kubelet = {"instance": f"10.{net}.1.{place}:10250", "job": "kubelet", "node": name, **labels}
        pod = {"namespace": SITE.team, "pod": f"llm-worker-{place}", "container": "trainer", "id": f"/{net}/{place}"}
        yield "node_uname_info", {**at, "nodename": name}, lambda _: 1
        yield "node_infiniband_link_downed_total", {**at, "device": "mlx5_0", "port": "1"}, lambda hours: hours + 7
        yield "container_memory_working_set_bytes", {**kubelet, **pod}, lambda hours: (percent + 10 * hours) * GIB
        yield "container_memory_rss", {**kubelet, **pod}, lambda _: GIB
        claim = {"namespace": SITE.team, "persistentvolumeclaim": "checkpoints"}
        yield "kubelet_volume_stats_used_bytes", {**kubelet, **claim}, lambda _: percent
        yield "kubelet_volume_stats_capacity_bytes", {**kubelet, **claim}, lambda _: 100
    yield "etcd_mvcc_db_total_size_in_bytes", control, lambda _: percent
    yield "etcd_server_quota_backend_bytes", control, lambda _: 100
    seats = {**api, "priority_level": "system"}
    yield "apiserver_flowcontrol_current_executing_seats", seats, lambda _: percent
    yield "apiserver_flowcontrol_nominal_limit_seats", seats, lambda _: 100


WORLDS: Mapping[str, tuple[Iterator[Said], ...]] = {
    "alone": (cluster("1", SITE.gpus, 40, world="alone"),),
    "told apart": (
        cluster("1", SITE.gpus, 40, world="told apart", cluster="a"),
        cluster("2", ("b-0", "b-1", "b-2"), 97, world="told apart", cluster="b"),
    ),
    # As in a Prometheus that federates from others: what it scrapes itself has no external labels.
    "federated": (
        cluster("1", SITE.gpus, 40, world="federated"),
        cluster("2", ("b-0", "b-1", "b-2"), 97, world="federated", k8s_cluster_name="b"),
    ),
    "namesakes": (
        cluster("1", SITE.gpus, 40, world="namesakes", cluster="a"),
        cluster("2", SITE.gpus, 97, world="namesakes", cluster="b"),
    ),
    "without a label": (
        cluster("1", SITE.gpus, 40, world="without a label"),
        cluster("2", ("b-0", "b-1", "b-2"), 97, world="without a label"),
    ),
}


def openmetrics() -> str:
    """Seven hours of all of them, each five minutes."""
    end, lines = int(NOW.timestamp()), dict[str, list[str]]()
    for world in WORLDS.values():
        for name, labels, value in (series for part in world for series in part):
            told = ",".join(f'{key}="{text}"' for key, text in labels.items())
            lines.setdefault(name, [f"# TYPE {name} unknown"]).extend(
                f"{name}{{{told}}} {value(7 - back / 12)} {end - back * 300}" for back in range(84, -1, -1)
            )
    return "\n".join([*(line for some in lines.values() for line in some), "# EOF", ""])


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    prometheus_server.needed()
    with prometheus_server.started(openmetrics(), tmp_path_factory.mktemp("prometheus")) as url:
        yield url


def read(url: str, folder: Path, selector: str) -> Facts:
    metrics = Metrics(source_for(MetricsSettings(url=url, selector=selector)), clock=lambda: NOW)
    kubegap = Kubegap(Settings(snapshot=write(objects(), folder)))
    kinds = frozenset(
        {*FIGURES, Exported, Node, Pod, *catalog.reads(check for check in catalog.load() if check.measures)}
    )
    try:
        return anyio.run(lambda: metrics.read(kubegap.reader, Ask(kinds=kinds))).facts
    finally:
        metrics.close()


def figures(facts: Facts, record: type[Measured], quantity: str) -> list[float]:
    return sorted(round(row.value) for row in came(facts.seen(record))[0] if row.quantity == quantity)


def asked_to_select(facts: Facts, record: type[Measured]) -> bool:
    return any(item.cause and "set selector" in item.remedy.en for item in facts.unread(record))


@pytest.mark.parametrize(
    ("world", "more"),
    [
        ("alone", ""),
        ("told apart", ""),
        ("federated", ""),
        ("told apart", ', cluster="a"'),
        ("namesakes", ', cluster="a"'),
    ],
)
def test_every_figure_is_of_this_cluster(world: str, more: str, prometheus: str, tmp_path: Path) -> None:
    facts = read(prometheus, tmp_path, f'world="{world}"{more}')

    assert figures(facts, EtcdLoad, "etcd_size") == [40]
    assert figures(facts, ApiServerLoad, "api_seats") == [40]
    assert figures(facts, VolumeFill, "claim_bytes") == [40]
    assert figures(facts, ContainerMemory, "working_set") == [110 * GIB] * 2
    assert [row.node for row in facts.known(LinkErrors)] == list(SITE.gpus)
    assert not any(asked_to_select(facts, record) for record in FIGURES)


def test_the_other_cluster_is_another_where_it_is_the_one_that_is_asked_about(prometheus: str, tmp_path: Path) -> None:
    """The source holds the figures of our nodes' namesakes, but none of this cluster: nobody of it is named."""
    facts = read(prometheus, tmp_path, 'world="told apart", cluster="b"')
    for record in (EtcdLoad, ApiServerLoad, VolumeFill, LinkErrors):
        assert not came(facts.seen(record))[0]


def test_where_two_clusters_have_nodes_of_one_name_no_figure_is_told(prometheus: str, tmp_path: Path) -> None:
    facts = read(prometheus, tmp_path, 'world="namesakes"')

    for record in (*FIGURES, Exported):
        assert not came(facts.seen(record))[0]
        assert asked_to_select(facts, record)
    verdicts = {check.id: check.run(facts) for check in MEASURING}
    assert not any(verdict.findings for verdict in verdicts.values())
    assert "set selector" in verdicts["ib_health.link_errors_rising"].unread[0].remedy.en


def test_where_no_label_tells_them_apart_only_what_names_a_node_is_told(prometheus: str, tmp_path: Path) -> None:
    facts = read(prometheus, tmp_path, 'world="without a label"')

    assert [row.node for row in facts.known(LinkErrors)] == list(SITE.gpus)
    assert figures(facts, ContainerMemory, "working_set") == [110 * GIB] * 2  # whose series name the nodes
    for record in (EtcdLoad, ApiServerLoad, VolumeFill):
        assert not came(facts.seen(record))[0]
        assert asked_to_select(facts, record)


@pytest.mark.parametrize("world", ["told apart", "without a label"])
def test_a_full_etcd_elsewhere_is_no_gap_here(world: str, prometheus: str, tmp_path: Path) -> None:
    facts = read(prometheus, tmp_path, f'world="{world}"')
    statuses = {
        check.id: check.run(facts).status
        for check in catalog.load()
        if check.measures and check.topic == "control_plane"
    }
    assert set(statuses.values()) == {"unknown"}  # neither exporter publishes all of its group here
