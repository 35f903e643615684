"""Which node or pod a series is of, whatever its labels are called."""

import pytest

from kubegap_mcp.metrics.join import Nodes, PodName, Pods
from kubegap_mcp.metrics.port import Series

NAMES = ("gpu-1", "gpu-2", "Big-3", "cp-1.example.com", "twin-1.a.example.com", "twin-1.b.example.com", "10.0.0.7")
TOLD = (
    Series(labels={"nodename": "gpu-1", "instance": "10.0.0.1:9100"}, points=((0, 1),)),
    Series(labels={"nodename": "gpu-2", "instance": "[fd00::2]:9100"}, points=((0, 1),)),
    Series(labels={"nodename": "of-another-cluster", "instance": "10.0.0.9:9100"}, points=((0, 1),)),
    Series(labels={"nodename": "gpu-2"}, points=((0, 1),)),
)


@pytest.mark.parametrize(
    ("labels", "node"),
    [
        pytest.param({"node": "gpu-1"}, "gpu-1", id="a monitor's node"),
        pytest.param({"Hostname": "gpu-1"}, "gpu-1", id="dcgm-exporter"),
        pytest.param({"hostname": "gpu-1"}, "gpu-1", id="a newer dcgm-exporter"),
        pytest.param({"kubernetes_node": "gpu-1"}, "gpu-1", id="a relabelled target"),
        pytest.param({"nodename": "gpu-1"}, "gpu-1", id="node_uname_info"),
        pytest.param({"exported_node": "gpu-1"}, "gpu-1", id="a label that the target has as well"),
        pytest.param({"host_name": "gpu-1"}, "gpu-1", id="weka/export"),
        pytest.param({"instance": "gpu-1"}, "gpu-1", id="a name as instance"),
        pytest.param({"instance": "gpu-1:9100"}, "gpu-1", id="a name with a port"),
        pytest.param({"instance": "10.0.0.1:9400"}, "gpu-1", id="the address of a node, with another exporter's port"),
        pytest.param({"instance": "10.0.0.1"}, "gpu-1", id="the address without a port"),
        pytest.param({"instance": "[fd00::2]:9400"}, "gpu-2", id="IPv6"),
        pytest.param({"instance": "fd00::2"}, "gpu-2", id="IPv6 without a port"),
        pytest.param({"instance": "10.0.0.7:9100"}, "10.0.0.7", id="a node that is called by its address"),
        pytest.param({"Hostname": "gpu-1.example.com"}, "gpu-1", id="the whole host name of a short node name"),
        pytest.param({"Hostname": "cp-1"}, "cp-1.example.com", id="the short host name of a whole node name"),
        pytest.param({"Hostname": "twin-1"}, "", id="a short host name that two nodes have"),
        pytest.param({"Hostname": "twin-1.b.example.com"}, "twin-1.b.example.com", id="the whole name of one of them"),
        pytest.param({"Hostname": "GPU-1"}, "gpu-1", id="upper case"),
        pytest.param({"Hostname": "big-3"}, "Big-3", id="lower case"),
        pytest.param({"node": "scraper-host", "Hostname": "gpu-1"}, "gpu-1", id="a label that names no node is passed"),
        pytest.param({"node": "gpu-2", "Hostname": "gpu-1"}, "gpu-2", id="the first that names a node decides"),
        pytest.param({"instance": "10.0.0.9:9100"}, "", id="a node of another cluster"),
        pytest.param({"instance": "10.9.9.9:9100"}, "", id="an address that nothing tells of"),
        pytest.param({"pod": "gpu-1"}, "", id="a pod called like a node"),
        pytest.param({"instance": ""}, "", id="an empty label"),
        pytest.param({"instance": ":9100"}, "", id="a port alone"),
        pytest.param({}, "", id="no label"),
    ],
)
def test_the_node_of_a_series(labels: dict[str, str], node: str):
    assert Nodes(NAMES, TOLD).of(labels) == node


def test_without_addresses_a_name_still_tells():
    assert Nodes(NAMES).of({"Hostname": "gpu-1"}) == "gpu-1"
    assert Nodes(NAMES).of({"instance": "10.0.0.1:9400"}) == ""


HELD = (("ml", "train-0"), ("monitoring", "gpu-burn"))


@pytest.mark.parametrize(
    ("labels", "pod"),
    [
        pytest.param(
            {"namespace": "ml", "pod": "train-0", "container": "main"}, PodName("ml", "train-0", "main"), id="its own"
        ),
        pytest.param(
            {
                "namespace": "monitoring",
                "pod": "dcgm-exporter-x",
                "container": "exporter",
                "exported_namespace": "ml",
                "exported_pod": "train-0",
                "exported_container": "main",
            },
            PodName("ml", "train-0", "main"),
            id="beside the exporter's own pod",
        ),
        pytest.param({"namespace": "ml", "pod": "train-0"}, PodName("ml", "train-0"), id="without a container"),
        pytest.param({"namespace": "monitoring", "pod": "dcgm-exporter-x"}, None, id="the exporter's own pod"),
        pytest.param({"namespace": "other", "pod": "train-0"}, None, id="the same name in another namespace"),
        pytest.param({"pod": "train-0"}, None, id="no namespace"),
        pytest.param({"namespace": "ml"}, None, id="no pod"),
        pytest.param(
            {"namespace": "monitoring", "pod": "gpu-burn", "exported_namespace": "gone", "exported_pod": "old"},
            PodName("monitoring", "gpu-burn"),
            id="an exported pod that is gone",
        ),
    ],
)
def test_the_pod_of_a_series(labels: dict[str, str], pod: PodName | None):
    assert Pods(HELD).of(labels) == pod


def test_an_address_at_which_two_machines_run_tells_neither():
    """Two clusters in one source, whose nodes have the same addresses."""
    foreign = Series(labels={"nodename": "b-1", "instance": "10.0.0.1:9100"}, points=((0, 1),))
    nodes = Nodes(NAMES, (*TOLD, foreign))

    assert nodes.of({"instance": "10.0.0.1:9400"}) == ""
    assert nodes.of({"instance": "[fd00::2]:9400"}) == "gpu-2"


def test_a_host_that_one_label_spells_in_two_ways_is_only_its_very_name():
    """gpu-1 of this cluster, and gpu-1 of the domain of another in the same source."""
    hosts = ("gpu-1", "gpu-1.b.example", "gpu-2.b.example")
    spelled = [Series(labels={"Hostname": name}, points=((0, 1),)) for name in hosts]
    nodes = Nodes(NAMES, TOLD, spelled)

    assert nodes.of({"Hostname": "gpu-1.b.example"}) == ""
    assert nodes.of({"Hostname": "gpu-1"}) == "gpu-1"
    assert nodes.of({"Hostname": "gpu-2.b.example"}) == "gpu-2"  # the only spelling there is
    assert nodes.of({"node": "gpu-1.b.example"}) == "gpu-1"  # this label spells it in one way
