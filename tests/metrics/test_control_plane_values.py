"""What a real Prometheus makes of the load of API servers and etcd: the numbers that the rules compare."""

from collections.abc import Callable, Iterator, Mapping

import pytest
from metrics.conftest import AT, Open
from metrics.fake_source import AT_S
from metrics.prometheus_server import needed, started

from kubegap_checks.facts.metrics import ApiServerLoad, EtcdLoad, Measured
from kubegap_mcp.metrics.plan import plan
from kubegap_mcp.metrics.rows import Answered, rows
from tests.checks.build import facts

_MINUTES = 120
Course = Callable[[int], float]
Sampled = tuple[str, Mapping[str, str], Course]
API, API_2 = ({"job": "apiserver", "instance": f"10.0.0.{i}:6443"} for i in (1, 2))
ETCD = {"job": "kube-etcd", "instance": "10.0.0.1:2381"}
OTHER_ETCD = {"job": "cilium-etcd", "instance": "10.0.0.8:2379"}


def flat(value: float) -> Course:
    return lambda _: value


def rate(per_minute: float, since: int = 0, until: int = _MINUTES, restart: int = 0) -> Course:
    """A counter that rises between two minutes, and begins anew at `restart`."""

    def at(minute: int) -> float:
        begun = restart if minute >= restart else 0
        return per_minute * max(0, min(minute, until) - max(since, begun))

    return at


def calls(verb: str, resource: str, per_minute: float, quick: float, le: str, **more: str) -> list[Sampled]:
    labels = {**API, "verb": verb, "resource": resource, "subresource": "", **more}
    name = "apiserver_request_sli_duration_seconds"
    return [
        (f"{name}_count", labels, rate(per_minute)),
        (f"{name}_bucket", {**labels, "le": le}, rate(per_minute * quick)),
        (f"{name}_bucket", {**labels, "le": "0.1"}, flat(0)),
    ]


def histogram(name: str, labels: Mapping[str, str], *buckets: tuple[str, float]) -> list[Sampled]:
    return [(f"{name}_bucket", {**labels, "le": le}, rate(per_minute)) for le, per_minute in buckets]


def samples() -> list[Sampled]:
    refused, sent = (f"apiserver_flowcontrol_{word}_requests_total" for word in ("rejected", "dispatched"))
    using, limit = (f"apiserver_flowcontrol_{word}_seats" for word in ("current_executing", "nominal_limit"))
    gib = 1024.0**3
    return [
        (refused, {**API, "priority_level": "system", "flow_schema": "a", "reason": "time-out"}, rate(3, since=80)),
        (refused, {**API, "priority_level": "system", "flow_schema": "b", "reason": "queue-full"}, rate(2, since=80)),
        (sent, {**API, "priority_level": "system", "flow_schema": "a"}, rate(45)),
        (refused, {**API, "priority_level": "workload-low", "flow_schema": "c"}, rate(900, since=92, until=95)),
        (sent, {**API, "priority_level": "workload-low", "flow_schema": "c"}, rate(5000, restart=100)),
        (refused, {**API, "priority_level": "catch-all", "flow_schema": "d"}, flat(7)),
        (sent, {**API, "priority_level": "catch-all", "flow_schema": "d"}, rate(10)),
        (using, {**API, "priority_level": "exempt", "flow_schema": "e"}, flat(900)),
        (using, {**API, "priority_level": "system", "flow_schema": "a"}, flat(30)),
        (using, {**API, "priority_level": "workload-low", "flow_schema": "c"}, flat(60)),
        (using, {**API_2, "priority_level": "system", "flow_schema": "a"}, flat(10)),
        (limit, {**API, "priority_level": "exempt"}, flat(0)),
        (limit, {**API, "priority_level": "system"}, flat(40)),
        (limit, {**API, "priority_level": "workload-low"}, flat(60)),
        (limit, {**API_2, "priority_level": "system"}, flat(40)),
        *calls("PUT", "leases", 100, 0.8, "1"),
        *calls("POST", "pods", 100, 1, "1.0"),
        *calls("PATCH", "rarely", 1, 0, "1"),
        *calls("POST", "pods", 10, 0, "1", subresource="exec"),
        *calls("GET", "nodes", 50, 0.9, "1"),
        *calls("LIST", "events", 10, 0.75, "30"),
        *calls("WATCH", "pods", 100, 0, "1"),
        ("container_memory_working_set_bytes", {**API, "container": "kube-apiserver"}, flat(48 * gib)),
        ("container_memory_working_set_bytes", {**API, "container": "etcd"}, flat(60 * gib)),
        ("machine_memory_bytes", API, flat(64 * gib)),
        ("etcd_mvcc_db_total_size_in_bytes", ETCD, flat(1.8 * gib)),
        ("etcd_mvcc_db_total_size_in_use_in_bytes", ETCD, flat(0.9 * gib)),
        ("etcd_server_quota_backend_bytes", ETCD, flat(2 * gib)),
        ("etcd_mvcc_db_total_size_in_bytes", OTHER_ETCD, flat(0.2 * gib)),
        ("etcd_server_quota_backend_bytes", OTHER_ETCD, flat(2 * gib)),
        ("apiserver_storage_size_bytes", API, flat(1.8 * gib)),
        *histogram("etcd_disk_wal_fsync_duration_seconds", ETCD, ("0.008", 90), ("0.016", 100), ("+Inf", 100)),
        *histogram("etcd_disk_backend_commit_duration_seconds", ETCD, ("0.016", 100), ("0.032", 100), ("+Inf", 100)),
        *histogram("etcd_disk_wal_fsync_duration_seconds", OTHER_ETCD, ("0.008", 0), ("+Inf", 0)),
        ("etcd_server_leader_changes_seen_total", ETCD, rate(0.5, since=70, until=80)),
        ("etcd_server_leader_changes_seen_total", OTHER_ETCD, flat(9)),
    ]


def openmetrics() -> str:
    by_name: dict[str, list[str]] = {}
    for name, labels, course in samples():
        told = ",".join(f'{key}="{value}"' for key, value in labels.items())
        by_name.setdefault(name, [f"# TYPE {name} unknown"]).extend(
            f"{name}{{{told}}} {course(minute)} {AT_S + (minute - _MINUTES) * 60}" for minute in range(_MINUTES + 1)
        )
    return "\n".join((*(line for lines in by_name.values() for line in lines), "# EOF", ""))


@pytest.fixture(scope="module")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    needed()
    with started(openmetrics(), tmp_path_factory.mktemp("control_plane")) as url:
        yield url


async def read(url: str, source: Open, record: type[Measured]) -> dict[tuple[str, ...], float]:
    """The value by quantity and the labels that are kept."""
    prometheus = source(url)
    made = plan(record, await prometheus.names(deadline_s=10), "")
    answers = tuple([await prometheus.ask(query, at=AT, deadline_s=10) for query in made.queries])
    found = rows({record: Answered(plan=made, answers=answers)}, answers[0], facts())[record]
    assert isinstance(found, tuple)
    return {(row.quantity, *row.labels.values()): row.value for row in found if isinstance(row, Measured)}


async def test_the_load_of_api_servers(control_plane: str, source: Open) -> None:
    found = await read(control_plane, source, ApiServerLoad)

    assert found == {
        # 5 a minute for 40 of 60 minutes, beside 45 a minute for all of them
        ("apf_refused", "system"): pytest.approx(6.9, abs=0.3),
        ("apf_refused_spans", "system"): 4,
        ("apf_refused", "workload-low"): pytest.approx(0.9, abs=0.1),
        ("apf_refused_spans", "workload-low"): 2,  # a burst of 3 minutes, across the border of two spans
        ("api_seats",): pytest.approx(90),
        ("api_writes_slow", "PUT", "leases"): pytest.approx(20),
        ("api_gets_slow", "GET", "nodes"): pytest.approx(10),
        ("api_lists_slow", "LIST", "events"): pytest.approx(25),
        ("api_memory",): pytest.approx(75),
    }


async def test_the_load_of_etcd(control_plane: str, source: Open) -> None:
    found = await read(control_plane, source, EtcdLoad)

    assert found == {
        ("etcd_size", "kube-etcd"): pytest.approx(90),
        ("etcd_size", "cilium-etcd"): pytest.approx(10),
        ("etcd_in_use", "kube-etcd"): pytest.approx(50),
        ("etcd_size_by_api",): pytest.approx(1.8),
        ("etcd_fsync", "kube-etcd"): pytest.approx(0.0152),
        ("etcd_commit", "kube-etcd"): pytest.approx(0.016, abs=0.001),
        ("etcd_leader_changes", "kube-etcd"): pytest.approx(5, abs=1),
    }
