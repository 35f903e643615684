"""Whose a series is, where a source may hold several clusters: learnt from the series that name nodes of this one."""

import pytest

from kubegap_mcp.metrics.clusters import Clusters
from kubegap_mcp.metrics.join import Nodes
from kubegap_mcp.metrics.port import Series

NODES = ("gpu-1", "gpu-2", "cp-1")
GPU = "DCGM_FI_DEV_XID_ERRORS"
KUBELET = "kubelet_volume_stats_used_bytes"
ETCD = "etcd_mvcc_db_total_size_in_bytes"
WEKA = "weka_overview_activity_object_download_bytespersec"
AMD = "gpu_ecc_uncorrect_total"


def series(name: str, **labels: str) -> Series:
    return Series(labels={"__name__": name, **labels}, points=((0, 1),))


def uname(nodename: str, instance: str, **labels: str) -> Series:
    return series("node_uname_info", nodename=nodename, instance=instance, **labels)


def clusters(*published: Series, where: tuple[Series, ...] = ()) -> Clusters:
    return Clusters(published, where, Nodes(NODES, where))


def whose(made: Clusters, exporter: str = "etcd", of: str = "cluster", **labels: str) -> str:
    return made.whose(labels, exporter, of)


OURS = (series(GPU, node="gpu-1", cluster="a"), series(KUBELET, node="gpu-2", cluster="a"))
OTHERS = (series(GPU, node="b-1", cluster="b"), series(ETCD, instance="10.9.0.1:2381", cluster="b"))


@pytest.mark.parametrize("of", ["cluster", "claim", "pod"])
def test_what_goes_with_the_names_of_our_nodes_is_ours_and_the_rest_is_not(of: str):
    made = clusters(*OURS, *OTHERS)

    assert whose(made, of=of, cluster="a") == "ours"
    assert whose(made, of=of, cluster="b") == "others"
    assert whose(made, of=of) == "others"  # as it would be of the cluster that the source itself runs in
    assert made.matchers == 'cluster=~"a"'
    assert not made.namesakes


def test_another_cluster_of_which_no_node_is_heard_shows_too():
    made = clusters(*OURS, series(ETCD, instance="10.9.0.1:2381", cluster="b"))

    assert whose(made, cluster="b") == "others"
    assert whose(made, cluster="a") == "ours"


@pytest.mark.parametrize(
    "published",
    [
        pytest.param((), id="nothing is published"),
        pytest.param((series(GPU, node="gpu-1"), series(ETCD, instance="10.0.0.1:2381")), id="no label at all"),
        pytest.param((*OURS, series(ETCD, cluster="a")), id="one value everywhere"),
        pytest.param((*OURS, series(ETCD)), id="a label that scrapes of nodes alone have"),
        pytest.param((series(GPU, node="gpu-1"), series(GPU, node="gpu-2", cluster="a")), id="half of the nodes"),
        pytest.param(
            (series(GPU, node="gpu-1", cluster="east"), series(GPU, node="gpu-2", cluster="west"), series(ETCD)),
            id="pools of one cluster, told apart by the label",
        ),
        pytest.param((series(ETCD, cluster="a"), series(ETCD)), id="no node is heard, and one value"),
        pytest.param(
            (*OURS, series(WEKA, cluster="fast")), id="a storage that names its own cluster by the same label"
        ),
        pytest.param(
            (series(AMD, hostname="gpu-1", cluster_name="amdgpu-k8s-metrics-exporter"), series(ETCD)),
            id="AMD's exporter, whose example names a cluster",
        ),
        pytest.param((*OURS, series(GPU, node="login-1", cluster="a")), id="a machine beside the cluster"),
        pytest.param((series(GPU, node="gpu-1"), series(GPU, node="login-1")), id="such a machine without labels"),
        pytest.param((*OURS, series(GPU, node="gpu-1", cluster="a", prometheus_replica="1")), id="two replicas"),
    ],
)
def test_a_source_of_one_cluster_is_not_taken_for_one_of_several(published: tuple[Series, ...]):
    made = clusters(*published)

    for labels in ({}, {"cluster": "a"}, {"cluster": "anything"}):
        assert whose(made, **labels) == "ours"
    assert made.matchers == ""


def test_a_cluster_without_the_label_beside_one_that_bears_it():
    """As in a Prometheus that federates from another cluster."""
    made = clusters(series(GPU, node="gpu-1"), series(GPU, node="b-1", cluster="b"))

    assert (whose(made), whose(made, cluster="b")) == ("ours", "others")
    assert made.matchers == 'cluster=~""'


def test_the_cluster_that_bears_the_label_beside_one_without_it():
    made = clusters(series(GPU, node="gpu-1", cluster="a"), series(GPU, node="b-1"))

    assert (whose(made, cluster="a"), whose(made)) == ("ours", "others")


def test_pools_of_this_cluster_beside_another_cluster():
    pools = (series(GPU, node="gpu-1", cluster="a/x.y"), series(GPU, node="gpu-2", cluster="a-z"))
    made = clusters(*pools, *OTHERS)

    assert [whose(made, cluster=one) for one in ("a/x.y", "a-z", "b")] == ["ours", "ours", "others"]
    assert made.matchers == 'cluster=~"a-z|a/x\\\\.y"'


def test_two_labels_that_both_tell():
    ours, other = ({"cluster": name, "clusterID": f"{name}-id"} for name in ("a", "b"))
    made = clusters(series(GPU, node="gpu-1", **ours), series(ETCD, **other))

    assert whose(made, **ours) == "ours"
    assert whose(made, **other) == "others"
    assert whose(made, cluster="a", clusterID="b-id") == "others"
    assert made.matchers == 'cluster=~"a", clusterID=~"a-id"'


def test_nodes_of_two_clusters_that_have_one_name_tell_nothing():
    made = clusters(series(GPU, node="gpu-1", cluster="a"), series(GPU, node="gpu-1", cluster="b"))

    assert made.namesakes
    assert made.matchers is None
    assert {whose(made, cluster=one) for one in ("a", "b", "c")} == {"unclear"}
    assert 'as cluster="NAME"' in made.unclear.remedy.en


def test_so_does_one_name_with_and_without_the_label():
    assert clusters(series(GPU, node="gpu-1", cluster="a"), series(GPU, node="gpu-1")).namesakes


def test_addresses_of_two_clusters_that_are_the_same_tell_nothing():
    """Kubelets without a name, at addresses that a node_exporter of one cluster alone tells."""
    where = (uname("gpu-1", "10.0.0.1:9100", cluster="a"),)
    both = (series(KUBELET, instance="10.0.0.1:10250", cluster=one) for one in ("a", "b"))

    assert clusters(*both, where=where).namesakes


def test_a_series_of_no_node_teaches_nothing_of_our_nodes():
    """That of another cluster's etcd, at an address that a node of ours has as well."""
    where = (uname("cp-1", "10.0.0.1:9100", cluster="a"),)
    made = clusters(series(ETCD, instance="10.0.0.1:2381", cluster="b"), where=where)

    assert whose(made, cluster="b") == "others"


def test_several_clusters_of_which_no_node_is_ours_are_unclear():
    made = clusters(series(ETCD, cluster="a"), series(ETCD, cluster="b"))

    assert {whose(made, cluster=one) for one in ("a", "b")} == {"unclear"}
    assert made.matchers is None


def test_what_an_exporter_writes_itself_is_no_clusters_name_but_by_chance_ours():
    made = clusters(*OURS, *OTHERS)

    assert whose(made, "weka_export", cluster="fast") == "unclear"
    assert whose(made, "weka_export", cluster="a") == "ours"  # external labels, where its own had another name


def test_what_an_exporter_writes_itself_teaches_nothing():
    made = clusters(
        series(AMD, hostname="gpu-1", cluster_name="everywhere-the-same"),
        series(GPU, node="gpu-2", cluster_name="a"),
        series(GPU, node="b-1", cluster_name="b"),
    )

    assert whose(made, cluster_name="everywhere-the-same") == "others"
    assert whose(made, "amd_exporter", "node", cluster_name="everywhere-the-same") == "unclear"  # its node tells
    assert made.matchers == 'cluster_name=~"a"'


KUBELETS = tuple(series(KUBELET, node=name) for name in ("gpu-1", "gpu-2", "b-1", "b-2"))
CONTROL = uname("cp-1", "10.0.0.1:9100")


def test_without_labels_kubelets_of_other_nodes_show_that_there_is_another_cluster():
    made = clusters(*KUBELETS, series(ETCD, instance="10.9.0.1:2381"), where=(CONTROL,))

    assert whose(made) == "unclear"
    assert whose(made, "kubelet", "claim") == "unclear"
    assert whose(made, "cadvisor", "pod", node="gpu-1") == "ours"
    assert whose(made, "cadvisor", "pod", node="b-1") == "unclear"
    assert made.matchers is None
    assert "selector" in made.unclear.remedy.en


def test_then_what_runs_on_our_control_plane_is_ours():
    made = clusters(*KUBELETS, series(ETCD, instance="10.0.0.1:2381"), where=(CONTROL,))
    assert whose(made) == "ours"


def test_then_what_runs_on_our_control_plane_and_elsewhere_is_unclear():
    both = (series(ETCD, instance=f"{address}:2381") for address in ("10.0.0.1", "10.9.0.1"))
    assert whose(clusters(*KUBELETS, *both, where=(CONTROL,))) == "unclear"


@pytest.mark.parametrize(
    "published",
    [
        pytest.param(
            (*(series(KUBELET, node=f"n-{one}") for one in range(20)), series(KUBELET, node="just-left")),
            id="a node has just left",
        ),
        pytest.param(
            tuple(series(KUBELET, instance=f"10.1.0.{one}:10250") for one in range(9)), id="no kubelet names its node"
        ),
        pytest.param((series(KUBELET, node="n-1"), series(GPU, node="b-1")), id="no kubelet, but a machine beside it"),
    ],
)
def test_without_labels_little_shows_no_other_cluster(published: tuple[Series, ...]):
    made = Clusters(published, (), Nodes([f"n-{one}" for one in range(20)]))
    assert whose(made) == "ours"
