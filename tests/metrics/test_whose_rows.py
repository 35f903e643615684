"""Figures of another cluster in the same source are none of this one, whatever they are of."""

from typing import Any

from metrics.answers import CLUSTER, DOWNED, TIMED_OUT, WHERE, answered, counted, lost, part, series, whole

from kubegap_checks.facts.metrics import EtcdLoad, Exported, LinkErrors
from kubegap_mcp.metrics.port import Answer, Series
from kubegap_mcp.metrics.rows import Answered, rows

ETCD_SIZE = "etcd_mvcc_db_total_size_in_bytes"
ETCD_NAMES = f"{ETCD_SIZE} etcd_server_quota_backend_bytes {DOWNED}"


def exported_by(*some: Series, **more: Any) -> Answered:
    return answered(Exported, ETCD_NAMES, *some, **more)


def both_clusters(**more: Any) -> Answered:
    """Our node and our etcd, and a node and the etcd of another cluster."""
    return exported_by(
        *(counted(DOWNED, node=name, cluster=cluster) for name, cluster in (("gpu-1", "a"), ("b-1", "b"))),
        *(counted(ETCD_SIZE, instance="10.0.0.1:2381", cluster=cluster) for cluster in ("a", "b")),
        **more,
    )


def etcd(**clusters: float) -> Answered:
    """How full the etcd of each cluster is."""
    rows = (series(f"etcd_size/{ETCD_SIZE}", value, job="etcd", cluster=name) for name, value in clusters.items())
    return answered(EtcdLoad, ETCD_NAMES, *rows)


def test_of_two_clusters_only_ours_counts_whatever_the_figure_is_of():
    downed = (series(f"link_downed/{DOWNED}", 3, Hostname="gpu-1", cluster=name) for name in ("a", "b"))

    found = rows(
        {EtcdLoad: etcd(a=40, b=99), LinkErrors: answered(LinkErrors, DOWNED, *downed), Exported: both_clusters()},
        WHERE,
        CLUSTER,
    )

    assert [(row.quantity, row.value) for row in part(found[EtcdLoad]).rows] == [("etcd_size", 40)]  # type: ignore[attr-defined]
    assert [row.node for row in whole(found[LinkErrors])] == ["gpu-1"]
    assert {(row.quantity, row.node) for row in whole(found[Exported])} == {("link_downed", "gpu-1"), ("etcd_size", "")}


def test_an_etcd_that_the_other_cluster_alone_publishes_is_none_here():
    published = exported_by(
        counted(DOWNED, node="gpu-1", cluster="a"), counted(ETCD_SIZE, instance="10.9.0.1:2381", cluster="b")
    )

    found = rows({EtcdLoad: etcd(b=99), Exported: published}, WHERE, CLUSTER)

    assert part(found[EtcdLoad]).rows == ()
    assert [row.quantity for row in whole(found[Exported])] == ["link_downed"]  # so that what lacks shows


def test_where_nothing_tells_whose_it_is_it_is_unread_and_says_what_to_set():
    published = exported_by(*(counted(ETCD_SIZE, instance="10.0.0.1:2381", cluster=name) for name in ("a", "b")))

    made = part(rows({EtcdLoad: etcd(a=40, b=99), Exported: published}, Answer(), CLUSTER)[EtcdLoad])

    assert made.rows == ()
    assert made.unread[0].cause
    assert made.unread[0].remedy.en == (
        'the metrics source holds several clusters: set selector under [prometheus], as cluster="NAME", so that only '
        "the series of this one are asked"
    )


def test_where_nodes_of_two_clusters_have_one_name_nothing_is_read():
    published = exported_by(*(counted(DOWNED, node="gpu-1", cluster=name) for name in ("a", "b")))
    downed = answered(LinkErrors, DOWNED, series(f"link_downed/{DOWNED}", 3, Hostname="gpu-1", cluster="b"))

    found = rows({LinkErrors: downed, EtcdLoad: etcd(a=40), Exported: published}, WHERE, CLUSTER)

    assert {lost(made).what.en for made in found.values()} == {"which cluster these metrics are of"}


def test_where_it_is_not_known_who_publishes_what_could_be_of_anybody_is_unread():
    downed = answered(LinkErrors, DOWNED, series(f"link_downed/{DOWNED}", 3, Hostname="gpu-1"))
    for published in (TIMED_OUT, both_clusters(unread=(TIMED_OUT,))):
        found = rows({LinkErrors: downed, EtcdLoad: etcd(a=99), Exported: published}, WHERE, CLUSTER)

        assert found[EtcdLoad] == TIMED_OUT
        assert [row.node for row in whole(found[LinkErrors])] == ["gpu-1"]
