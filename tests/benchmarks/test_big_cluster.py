"""The benchmark's cluster is one that kubegap reads whole, and its API server answers as the real one does."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.big_apiserver import ApiServer
from benchmarks.big_cluster import PART, big_cluster
from kubegap_mcp.app import Kubegap
from kubegap_mcp.settings import Settings


@pytest.fixture(scope="module")
def server() -> Iterator[ApiServer]:
    with ApiServer(PART * 4, pace=10**10) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join(5)


@pytest.fixture
def kubeconfig(server: ApiServer, tmp_path: Path) -> Path:
    path = tmp_path / "kubeconfig"
    context = {"context": {"cluster": "big", "user": "reader"}, "name": "big"}
    cluster = {"cluster": {"server": server.url}, "name": "big"}
    config = {"contexts": [context], "clusters": [cluster], "users": [{"name": "reader", "user": {}}]}
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "big", **config}))
    return path


async def test_an_audit_reads_all_of_it_and_finds_what_is_sick(kubeconfig: Path):
    audit = await Kubegap(Settings(kubeconfig=kubeconfig)).audit(limit=50)

    assert {unread.reason for unread in audit.coverage.unread} <= {"no_metrics_source"}
    assert {"gpu_health.pod_on_unhealthy_device", "job_recovery.restart_storm"} <= {gap.id for gap in audit.gaps}


async def test_it_has_the_nodes_that_were_asked_for(kubeconfig: Path):
    nodes = await Kubegap(Settings(kubeconfig=kubeconfig)).list_gpu_nodes()

    assert nodes.summary.nodes == PART * 4
    assert nodes.summary.ready > PART * 3


def test_its_objects_are_as_large_and_as_many_as_real_ones():
    lists = big_cluster(PART * 2)
    pods, nodes = lists["v1", "Pod"], lists["v1", "Node"]
    on = Counter(json.loads(pod)["spec"].get("nodeName", "") for pod in pods)

    assert min(map(len, nodes)) > 20_000
    assert sum(map(len, pods)) / len(pods) > 7_000
    assert {count for name, count in on.items() if "-gpu-" in name} <= {11, 12}
    assert len({json.loads(pod)["metadata"]["name"] for pod in pods}) == len(pods)
