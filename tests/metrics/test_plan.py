"""Which queries a group becomes, given the series that exist."""

import re

import pytest
from metrics.table_samples import names

from kubegap_checks.facts.metrics import (
    DiskLatency,
    EtcdLoad,
    Exported,
    ExporterSeen,
    GpuActivity,
    GpuErrors,
    LinkErrors,
    Measured,
    TierReads,
    VolumeFill,
    measured_records,
)
from kubegap_checks.facts.nodes import Node
from kubegap_checks.signals.quantities import groups, metric_exporters, quantities
from kubegap_mcp.metrics.plan import NODE_LABELS, of_clusters, picked, plan

DOWNED = "node_infiniband_link_downed_total"
SELECTOR = 'cluster="a", tenant=~"x|y"'


def written(record: type[Measured], *some: str, selector: str = "") -> list[str]:
    return [query.promql for query in plan(record, frozenset(some) or names(), selector).queries]


def selectors(promql: str) -> list[str]:
    """The matchers of each series in an expression, "" where it has none; strings that are no matchers left out."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: found.group() if "=" in before(promql, found) else '""', promql)
    known = "|".join(sorted(map(re.escape, names()), key=len, reverse=True))
    return [found[1] or "" for found in re.finditer(rf"(?<![\w/])(?:{known})(?!\w)(?:\{{([^}}]*)\}})?", bare)]


def before(promql: str, found: re.Match[str]) -> str:
    return promql[max(0, found.start() - 2) : found.start()]


def test_a_group_is_one_expression_whose_terms_say_which_row_they_are():
    made = plan(LinkErrors, frozenset({DOWNED}), "")

    (query,) = made.queries
    assert query.promql == (
        "max by (kubegap, node, Hostname, hostname, kubernetes_node, nodename, exported_node, host_name, instance, "
        "namespace, pod, container, exported_namespace, exported_pod, exported_container, "
        "cluster, k8s_cluster_name, cluster_name, clusterID, device, port) "
        f'(label_replace(increase({DOWNED}[360m]) > 0, "kubegap", "link_downed/{DOWNED}", "", ""))'
    )
    assert (query.span_s, query.step_s) == (0, 0)
    assert made.terms[f"link_downed/{DOWNED}"].quantity.id == "link_downed"


def test_only_what_exists_is_asked_for():
    assert written(LinkErrors, "up") == []
    assert written(LinkErrors, DOWNED, "rdma_link_downed_total")[0].count("label_replace") == 2


def test_a_quotient_is_asked_for_only_where_both_series_exist():
    used, capacity = "kubelet_volume_stats_used_bytes", "kubelet_volume_stats_capacity_bytes"

    assert written(VolumeFill, used) == []
    (promql,) = written(VolumeFill, used, capacity)
    assert f"{used} / {capacity}" in promql


def test_what_is_asked_for_over_time_is_asked_apart_with_its_steps():
    (query,) = plan(DiskLatency, names(), "").queries
    assert (query.span_s, query.step_s) == (6 * 3600, 600)
    assert {query.step_s for query in plan(TierReads, names(), "").queries} == {600}


def test_a_unit_that_differs_is_brought_to_that_of_the_quantity():
    (promql,) = written(EtcdLoad, "apiserver_storage_size_bytes")
    assert f"(max by ({', '.join(of_clusters())}) (apiserver_storage_size_bytes)) * 9.31323e-10" in promql


def test_an_essential_quantity_without_series_is_missing():
    assert [one.id for one in plan(EtcdLoad, frozenset({"apiserver_storage_size_bytes"}), "").missing] == [
        "etcd_size",
        "etcd_fsync",
        "etcd_commit",
    ]
    assert plan(EtcdLoad, names(), "").missing == ()
    assert plan(GpuErrors, frozenset({"up"}), "").missing == ()  # whose nodes need an Xid, objects tell


@pytest.mark.parametrize("record", measured_records())
def test_the_owners_selector_is_in_every_selector_of_every_expression(record: type[Measured]):
    for promql in written(record, selector=SELECTOR):
        found = selectors(promql) if record is not Exported else re.findall(r"\{([^}]*)\}", promql)
        assert found
        assert all(SELECTOR in one for one in found), promql


@pytest.mark.parametrize("record", measured_records())
def test_nothing_of_the_tables_own_language_is_left(record: type[Measured]):
    for promql in written(record, selector=SELECTOR):
        assert not re.search(r"\{(?:series|other|window|nodes)\}", promql)
        assert promql.count("(") == promql.count(")")


@pytest.mark.parametrize("record", measured_records())
def test_no_query_is_longer_than_proxies_take(record: type[Measured]):
    # What stands around the expressions, and the owner's selector, come on top of 3,000 letters.
    assert all(len(promql) < 3_500 for promql in written(record))


def test_a_group_that_is_too_long_becomes_several_queries_that_ask_for_everything_once():
    made = plan(LinkErrors, names(), SELECTOR)

    assert len(made.queries) > 1
    asked = [found for query in made.queries for found in re.findall(r'"kubegap", "([^"]+)"', query.promql)]
    assert sorted(asked) == sorted(made.terms)


def test_all_groups_together_are_few_queries():
    every = {query for record in measured_records() for query in plan(record, names(), "").queries}
    assert len(every) <= 40


def test_what_nodes_publish_is_one_look_at_the_names():
    made = plan(Exported, frozenset({DOWNED, "node_disk_read_time_seconds_total", "up"}), 'cluster="a"')

    (query,) = made.queries
    by = ", ".join(("__name__", *NODE_LABELS, *of_clusters()))
    assert query.promql == f'count by ({by}) ({{__name__=~"{DOWNED}", cluster="a"}} > -Inf)'
    assert list(made.terms) == [DOWNED]


def test_an_exporter_is_heard_by_its_witnesses_now_or_within_the_window():
    (query,) = plan(ExporterSeen, frozenset({"node_uname_info", "up"}), 'cluster="a"').queries

    one = 'timestamp(node_uname_info{cluster="a"})'
    assert f"{one} or max_over_time({one}[360m:5m])" in query.promql
    assert '"kubegap", "node_exporter/node_uname_info"' in query.promql
    assert plan(ExporterSeen, frozenset({"up"}), "").queries == ()


def test_where_a_node_has_many_witnesses_one_of_them_is_looked_back_at():
    (query,) = plan(ExporterSeen, frozenset({"DCGM_FI_DEV_GPU_TEMP"}), 'cluster="a"').queries

    now = 'timestamp(DCGM_FI_DEV_GPU_TEMP{cluster="a"})'
    before = 'timestamp(DCGM_FI_DEV_GPU_TEMP{gpu="0", cluster="a"})'
    assert f"{now} or max_over_time({before}[360m:5m])" in query.promql


def test_what_no_metrics_source_is_asked_for_is_refused():
    with pytest.raises(TypeError, match="Node is nothing"):
        plan(Node, names(), "")  # type: ignore[arg-type]


def test_each_group_has_its_record_and_each_row_its_group_and_exporter():
    plurals = {record.KIND.plural for record in measured_records()}

    assert {one.id for one in groups()} == plurals
    assert {one.group for one in quantities()} == plurals - {"exported", "exporter_seen"}
    exporters = {one.id for one in metric_exporters()}
    assert {series.exporter for one in quantities() for series in one.series} <= exporters


def test_who_publishes_is_asked_of_what_stands_for_each_group():
    """Every series of every node would take Prometheus as long as all rules together."""
    errors = [one for one in quantities() if one.group == "link_errors"]
    of_node_exporter = [s.name for one in errors for s in one.series if s.exporter == "node_exporter"]
    others = ["rdma_link_downed_total", "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_SM_CLOCK"]

    made = plan(Exported, frozenset([*of_node_exporter, *others]), "")

    wanted = {"node_infiniband_link_downed_total", "rdma_link_downed_total"}  # the first that each exporter has
    assert set(made.terms) == wanted | {"DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_SM_CLOCK"}  # what is essential


UTIL, ENGINE = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
TENSOR, AMD_BUSY = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gpu_umc_activity"


def refuting(*some: str) -> dict[str, str]:
    """By term, what would show the contrary of it."""
    (promql,) = written(GpuActivity, *some)
    terms = re.findall(r'label_replace\((.*?), "kubegap", "gpu_busiest/(\w+)"', promql)
    return {name: written.partition(" unless on ")[2] for written, name in terms}


def test_what_refutes_a_term_is_looked_at_on_its_own_device():
    found = refuting(UTIL, ENGINE)

    assert f", gpu) (max_over_time({ENGINE}[120m]) >= 0.01)" in found[UTIL]
    assert f", gpu, GPU_I_ID) (max_over_time({UTIL}[120m]) >= 1)" in found[ENGINE]


def test_nothing_refutes_a_term_where_nothing_else_is_published():
    assert refuting(UTIL) == {UTIL: ""}


def test_any_of_several_series_refutes_a_term():
    assert f"{ENGINE}[120m]) >= 0.01 or max_over_time({TENSOR}[120m]) >= 0.01)" in refuting(UTIL, TENSOR, ENGINE)[UTIL]


def test_what_another_vendors_exporter_publishes_refutes_nothing():
    assert refuting(UTIL, AMD_BUSY) == {UTIL: ""}


@pytest.mark.parametrize(
    ("selector", "by"),
    [
        ('cluster="a"', "cluster"),
        ('cluster=~"a|b=\\"c", tenant != "x\\"y" , __tenant_id__!~"z"', "cluster, tenant, __tenant_id__"),
        ("", ", ".join(of_clusters())),
    ],
)
def test_values_are_asked_of_the_labels_of_a_selector_whatever_it_picks(selector: str, by: str):
    (query,) = picked(frozenset({DOWNED}), selector)
    assert query.promql == f'count by ({by}) ({{__name__=~"{DOWNED}"}} > -Inf)'


@pytest.mark.parametrize("record", measured_records())
def test_whatever_is_summed_up_keeps_what_tells_clusters_apart(record: type[Measured]):
    for promql in written(record):
        for labels in re.findall(r"\bby \(([^)]*)\)", promql):
            assert set(of_clusters()) <= set(labels.split(", ")), promql
        assert not re.search(r"\b(?:sum|max|min|avg|count) ?\(", promql), promql
