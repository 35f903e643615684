"""Answers become records of the nodes, pods and claims of this cluster; what lacks is told, and is never nothing."""

import pytest
from metrics.answers import CLUSTER, CUT, DOWNED, TIMED_OUT, WHERE, answered, joined, lost, part, series, whole

from kubegap_checks.facts.metrics import (
    ApiServerLoad,
    ContainerMemory,
    DiskLatency,
    EtcdLoad,
    Exported,
    ExporterSeen,
    GpuErrors,
    LinkErrors,
    VolumeFill,
)
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Partial, Unread
from kubegap_mcp.metrics.plan import Plan, plan
from kubegap_mcp.metrics.port import Answer, Series
from kubegap_mcp.metrics.reader import NO_SOURCE
from kubegap_mcp.metrics.rows import Answered, rows
from tests.checks.build import facts, forbidden, node, pod

XID = "DCGM_FI_DEV_XID_ERRORS"


def test_a_device_of_a_node():
    told = answered(
        LinkErrors, DOWNED, series(f"link_downed/{DOWNED}", 14, Hostname="gpu-1", device="mlx5_0", port="1")
    )
    assert whole(joined(LinkErrors, told)) == (
        LinkErrors(quantity="link_downed", node="gpu-1", part="mlx5_0/1", value=14),
    )


def test_a_gpu_beside_the_pod_that_holds_it():
    one = series(f"xid/{XID}", 79, node="gpu-1", gpu="3", pod="dcgm-x", exported_namespace="ml", exported_pod="train-0")
    assert whole(joined(GpuErrors, answered(GpuErrors, XID, one))) == (
        GpuErrors(quantity="xid", node="gpu-1", namespace="ml", pod="train-0", part="GPU 3", value=79),
    )


def test_a_node_that_only_its_address_tells():
    told = answered(LinkErrors, DOWNED, series(f"link_downed/{DOWNED}", instance="10.0.0.2:9400"))
    assert [row.node for row in whole(joined(LinkErrors, told))] == ["gpu-2"]


def test_series_of_another_cluster_are_left_out():
    mine, other = (series(f"link_downed/{DOWNED}", Hostname=name) for name in ("gpu-1", "elsewhere-1"))
    assert [row.node for row in whole(joined(LinkErrors, answered(LinkErrors, DOWNED, mine, other)))] == ["gpu-1"]


def test_where_no_series_is_of_a_node_here_it_is_another_cluster_that_was_asked():
    told = answered(LinkErrors, DOWNED, series(f"link_downed/{DOWNED}", Hostname="elsewhere-1"))

    unread = lost(joined(LinkErrors, told))

    assert (unread.what.en, unread.reason) == ("error counters of fabric links", "invalid")
    assert unread.remedy.en.startswith("no label of these series names a node of this cluster")


def published(*names: str) -> Answered:
    made = plan(Exported, frozenset({DOWNED}), "")
    some = tuple(Series(labels={"__name__": DOWNED, "node": name}, points=((0, 8),)) for name in names)
    return Answered(plan=made, answers=(Answer(series=some),))


@pytest.mark.parametrize(("names", "kind"), [(("gpu-1", "elsewhere-1"), tuple), (("elsewhere-1",), Unread)])
def test_where_one_source_watches_several_clusters_errors_of_the_others_are_none_here(
    names: tuple[str, ...], kind: type
):
    told = answered(LinkErrors, DOWNED, series(f"link_downed/{DOWNED}", Hostname="elsewhere-1"))

    found = rows({LinkErrors: told, Exported: published(*names)}, WHERE, CLUSTER)

    assert isinstance(found[LinkErrors], kind)


def test_where_nothing_rose_there_are_no_rows():
    assert whole(joined(LinkErrors, answered(LinkErrors, DOWNED))) == ()


def test_a_course_keeps_its_points():
    names = "node_disk_read_time_seconds_total node_disk_reads_completed_total"
    points = ((0.0, 0.001), (600.0, 0.2))
    course = Series(
        labels={"kubegap": "disk_read_latency/node_disk_read_time_seconds_total", "node": "gpu-1"}, points=points
    )

    (row,) = whole(joined(DiskLatency, answered(DiskLatency, names, course)))

    assert (row.value, row.points) == (0.2, points)


def test_a_claim_is_known_by_its_own_labels():
    used = "kubelet_volume_stats_used_bytes"
    one = series(f"claim_bytes/{used}", 0.9, namespace="ml", persistentvolumeclaim="data")

    (row,) = whole(
        joined(VolumeFill, answered(VolumeFill, f"{used} kubelet_volume_stats_capacity_bytes", one), facts())
    )

    assert (row.namespace, row.claim, row.value) == ("ml", "data", 0.9)


def test_labels_that_the_table_keeps_and_no_others():
    name = "apiserver_flowcontrol_rejected_requests_total"
    one = series(f"apf_refused_spans/{name}", priority_level="system", instance="10.0.0.1:6443", job="")
    told = answered(ApiServerLoad, name, one)

    (row,) = part(joined(ApiServerLoad, told)).rows

    assert row == ApiServerLoad(quantity="apf_refused_spans", labels={"priority_level": "system"}, value=1)


def test_a_term_that_was_not_asked_for_is_no_row():
    mine, other = (series(term, Hostname="gpu-1") for term in (f"link_downed/{DOWNED}", "other/term"))
    assert len(whole(joined(LinkErrors, answered(LinkErrors, DOWNED, mine, other)))) == 1


MEMORY = "container_memory_working_set_bytes container_memory_rss"
GROWTH = "working_set_growth/container_memory_working_set_bytes"


def test_memory_of_pods_with_accelerators_only():
    held, other = (series(GROWTH, 2e9, namespace="ml", pod=name, container="main") for name in ("train-0", "web-0"))
    (row,) = whole(joined(ContainerMemory, answered(ContainerMemory, MEMORY, held, other)))
    assert (row.namespace, row.pod, row.container) == ("ml", "train-0", "main")


def test_memory_of_pods_that_could_not_be_read_is_not_the_whole():
    told = answered(ContainerMemory, MEMORY, series(GROWTH, namespace="ml", pod="train-0"))

    made = part(joined(ContainerMemory, told, facts(node("gpu-1"), unread=(Pod,))))

    assert made == Partial((), (forbidden(Pod),))


def test_memory_of_pods_in_the_namespaces_that_were_read():
    told = answered(ContainerMemory, MEMORY, series(GROWTH, namespace="ml", pod="train-0"))
    some = CLUSTER.but(Pod, Partial((pod("train-0", "ml"),), (forbidden(Pod),)))

    made = part(joined(ContainerMemory, told, some))

    assert [row.pod for row in made.rows] == ["train-0"]  # type: ignore[attr-defined]
    assert made.unread == (forbidden(Pod),)


def test_without_nodes_nothing_is_known_of_nodes_and_the_rest_stays():
    no_nodes = facts(unread=(Node,))
    etcd = answered(EtcdLoad, "etcd_server_leader_changes_seen_total")

    assert joined(LinkErrors, answered(LinkErrors, DOWNED, series("x", Hostname="gpu-1")), no_nodes) == forbidden(Node)
    assert isinstance(joined(EtcdLoad, etcd, no_nodes), Partial)


def test_no_series_at_all_says_what_to_collect():
    unread = lost(joined(LinkErrors, answered(LinkErrors, "up")))

    assert unread.reason == "invalid"
    assert unread.remedy.en == (
        "the metrics source has no series for it: scrape node_exporter (its infiniband collector) on GPU nodes"
    )


def test_no_source_is_passed_on():
    assert joined(LinkErrors, NO_SOURCE) == NO_SOURCE


def test_a_question_that_got_no_answer_says_why():
    made = plan(LinkErrors, frozenset({DOWNED}), "")
    assert joined(LinkErrors, Answered(plan=made, unread=(TIMED_OUT,))) == TIMED_OUT


def test_an_answer_to_a_part_of_the_question_is_a_part():
    one = series(f"link_downed/{DOWNED}", Hostname="gpu-1")
    made = part(joined(LinkErrors, answered(LinkErrors, DOWNED, one, unread=(TIMED_OUT,))))
    assert (len(made.rows), made.unread) == (1, (TIMED_OUT,))


def test_what_a_source_left_out_is_told_once():
    made = plan(LinkErrors, frozenset({DOWNED}), "")
    told = Answered(plan=made, answers=(Answer(lacks=(CUT,)), Answer(lacks=(CUT,))))

    (unread,) = part(joined(LinkErrors, told)).unread

    assert (unread.what.en, unread.remedy) == ("error counters of fabric links", CUT)


def test_an_essential_quantity_without_series_is_named_with_the_names_it_goes_by():
    told = answered(EtcdLoad, "etcd_server_leader_changes_seen_total")

    unread = part(joined(EtcdLoad, told)).unread

    assert [one.what.en.split(":")[0][:30] for one in unread] == [
        "size of the database beside it",
        "99th percentile of the time th",
        "99th percentile of the time th",
    ]
    assert unread[0].remedy.en == (
        "the metrics source has none of etcd_mvcc_db_total_size_in_bytes: collect one of them"
    )


def test_how_many_series_a_node_publishes_under_which_name():
    found = whole(joined(Exported, published("gpu-1", "elsewhere-1")))

    assert found == (
        Exported(quantity="link_downed", node="gpu-1", labels={"series": DOWNED}, value=8),
        Exported(quantity="link_downed", labels={"series": DOWNED}, value=8),
    )


def test_when_an_exporter_was_heard_on_a_node():
    told = answered(ExporterSeen, "node_uname_info", series("node_exporter/node_uname_info", 30, nodename="gpu-1"))
    assert whole(joined(ExporterSeen, told)) == (ExporterSeen(quantity="node_exporter", node="gpu-1", value=30),)


@pytest.mark.parametrize("value", [1e308, -1e308, 1e20, -1.0, 61.0])
def test_a_time_that_is_none_or_to_come_says_of_no_exporter_when_it_was_heard(value: float):
    heard = (series("node_exporter/node_uname_info", one, nodename=f"gpu-{at}") for at, one in ((1, value), (2, 9)))
    assert [row.node for row in whole(joined(ExporterSeen, answered(ExporterSeen, "node_uname_info", *heard)))] == [
        "gpu-2"
    ]


def test_what_is_no_measure_is_refused():
    with pytest.raises(TypeError, match="Node is nothing"):
        rows({Node: Answered(plan=Plan(record=LinkErrors, queries=(), terms={}))}, WHERE, CLUSTER)  # type: ignore[dict-item]


def test_etcd_and_claims_of_a_source_that_watches_other_nodes_are_not_this_clusters():
    size = "etcd_mvcc_db_total_size_in_bytes"
    names = (
        f"{size} etcd_server_quota_backend_bytes kubelet_volume_stats_used_bytes kubelet_volume_stats_capacity_bytes"
    )
    etcd = answered(EtcdLoad, names, series(f"etcd_size/{size}", 99))
    claim = answered(VolumeFill, names, series("claim_bytes/kubelet_volume_stats_used_bytes", 99, namespace="ml"))
    for host, elsewhere in (("of-another-cluster", True), ("gpu-1", False)):
        exported = answered(Exported, DOWNED, Series(labels={"__name__": DOWNED, "node": host}, points=((60, 8),)))
        made = rows({EtcdLoad: etcd, VolumeFill: claim, Exported: exported}, Answer(), CLUSTER)
        for record in (EtcdLoad, VolumeFill):
            assert isinstance(made[record], Unread) is elsewhere
