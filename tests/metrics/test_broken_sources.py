"""A source that fails in one place, or says odd things, takes away what rests on that, and nothing else in any way."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from fake_apiserver import FakeApiServer, Fault, Seen, _Answer, drip, half, slow
from metrics.fake_source import AT_S, NAMES, FakeSource, Json, error, success

from kubegap_checks import catalog
from kubegap_checks.signals.quantities import quantities
from kubegap_mcp.app import Kubegap
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.report.models import GapAnswer
from kubegap_mcp.settings import Settings
from tests.whole_clusters.objects import Object
from tests.whole_clusters.parts.nodes import H100, gfd, node

TERM = re.compile(r'"kubegap", "([^"]+)"')
GPUS = ("gpu-0", "gpu-1")
DOWNED, XID = "node_infiniband_link_downed_total", "DCGM_FI_DEV_XID_ERRORS"
REASONS, ETCD = "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "etcd_mvcc_db_total_size_in_bytes"
QUOTA = "etcd_server_quota_backend_bytes"
PUBLISHED = (DOWNED, XID, REASONS, ETCD)
LINKS, ERRORS = "ib_health.link_errors_rising", "gpu_health.gpu_errors_rising"
ETCD_CHECK = "control_plane.etcd_headroom"


def objects() -> Iterator[Object]:
    for name in GPUS:
        yield node(name, gfd(H100, 8), {"nvidia.com/gpu": 8, "rdma/hca": 8}, storage="900Gi")


def vector(*series: tuple[Json, str]) -> bytes:
    told = [{"metric": labels, "value": [AT_S, value]} for labels, value in series]
    return success({"resultType": "vector", "result": told})


class Flapping(FakeSource):
    """A port of gpu-0 lost its link 14 times and etcd is full; `broken` is what one kind of query is answered with."""

    def __init__(self, broken: str = "", fault: Fault | None = None, **body: bytes) -> None:
        super().__init__()
        self.broken, self.fault, self.body = broken, fault, body.get("body")

    def answer(self, seen: Seen, body: bytes) -> _Answer:  # noqa: ARG002 (the base class's)
        if seen.path == NAMES:
            return _Answer(200, success([*PUBLISHED, QUOTA]))
        query = seen.query["query"]
        if self.body is not None and self.broken in query:
            return _Answer(200, self.body)
        return _Answer(200, vector(*_told(query)))

    def take_fault(self, seen: Seen) -> Fault | None:
        return self.fault if self.broken and self.broken in seen.query.get("query", "") else None


def _told(query: str) -> Iterator[tuple[Json, str]]:
    if "__name__" in query:
        yield from (({"__name__": name, "node": one}, "8") for name in (DOWNED, XID, REASONS) for one in GPUS)
        yield {"__name__": ETCD, "instance": "10.0.0.1:2381"}, "3"
    for term in TERM.findall(query):
        if term == f"link_downed/{DOWNED}":
            yield {"kubegap": term, "node": "gpu-0", "device": "mlx5_0", "port": "1"}, "14.2"
        if term == f"etcd_size/{ETCD}":
            yield {"kubegap": term, "job": "etcd"}, "99"


def explained(source: FakeSource, folder: Path, *checks: str, deadline_s: float = 20) -> dict[str, GapAnswer]:
    with FakeApiServer(objects()) as api, source:
        app = Kubegap(Settings(kubeconfig=api.kubeconfig(folder), deadline_s=deadline_s))
        app.metrics = Metrics(source_for(MetricsSettings(url=source.url)))

        async def ask() -> dict[str, GapAnswer]:
            with anyio.fail_after(60):
                return {name: await app.explain_gap(name) for name in checks}

        try:
            return anyio.run(ask)
        finally:
            app.close()


def test_a_source_that_is_whole_tells_of_the_port_and_of_etcd(tmp_path: Path) -> None:
    told = explained(Flapping(), tmp_path, LINKS, ERRORS, ETCD_CHECK)

    assert {name: answer.status for name, answer in told.items()} == {LINKS: "gap", ERRORS: "clear", ETCD_CHECK: "gap"}
    assert "about 14" in told[LINKS].findings[0].says


FAULTS = {
    "422": (error(422, "execution", "query processing would load too many samples"), "invalid"),
    "503": (error(503, "unavailable", "no"), "unreachable"),
    "its own time-out": (error(503, "timeout", "query timed out"), "timed_out"),
    "a proxy's page": (Fault(status=502, body=b"<html>Bad Gateway</html>"), "unreachable"),
    "a login page": (Fault(status=200, body=b"<html>log in</html>"), "invalid"),
    "half an answer": (half(), "unreachable"),
    "slow": (slow(), "timed_out"),
    "endless": (drip(1.0), "timed_out"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_one_query_that_fails_leaves_the_others_as_they_were(kind: str, tmp_path: Path) -> None:
    fault, reason = FAULTS[kind]
    started = time.monotonic()

    told = explained(Flapping("xid/", fault), tmp_path, LINKS, ERRORS, deadline_s=4)

    assert told[LINKS].status == "gap"
    assert (told[ERRORS].status, told[ERRORS].unread[0].reason) == ("unknown", reason)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("kind", ["422", "503", "slow"])
def test_where_it_is_not_known_who_publishes_faults_of_nodes_show_and_no_other(kind: str, tmp_path: Path) -> None:
    """Whether an etcd is this cluster's is one of the things that it would have told."""
    fault, reason = FAULTS[kind]

    told = explained(Flapping("__name__", fault), tmp_path, LINKS, ERRORS, ETCD_CHECK, deadline_s=4)

    assert told[LINKS].status == "gap"
    assert [told[name].status for name in (ERRORS, ETCD_CHECK)] == ["unknown", "unknown"]
    assert told[ETCD_CHECK].unread[0].reason == reason


def test_a_part_of_a_source_that_does_not_answer_makes_nothing_clear(tmp_path: Path) -> None:
    warned = json.loads(vector())
    warned["warnings"] = ["a store is not reachable"]

    told = explained(Flapping("xid/", body=json.dumps(warned).encode()), tmp_path, LINKS, ERRORS)

    assert told[LINKS].status == "gap"
    assert told[ERRORS].status == "unknown"
    assert "a store is not reachable" in told[ERRORS].unread[0].remedy


ODD: dict[str, Any] = {
    "a number as a label": [{"metric": {"node": 1}, "value": [AT_S, "1"]}],
    "labels in a list": [{"metric": ["node"], "value": [AT_S, "1"]}],
    "no labels": [{"metric": {}, "value": [AT_S, "1"]}],
    "no metric": [{"value": [AT_S, "1"]}],
    "no value": [{"metric": {"node": "gpu-0"}}],
    "a value of three": [{"metric": {"node": "gpu-0"}, "value": [AT_S, "1", "2"]}],
    "a word for a value": [{"metric": {"node": "gpu-0"}, "value": [AT_S, "one"]}],
    "a time for ever": [{"metric": {"node": "gpu-0"}, "value": [1e300, "1"]}],
    "values that are none": [{"metric": {"node": "gpu-0"}, "value": [AT_S, one]} for one in ("NaN", "+Inf", "-Inf")],
    "stale markers": [{"metric": {"node": "gpu-0"}, "values": [[AT_S, "NaN"], [AT_S + 60, "NaN"]]}],
    "a thousand labels": [{"metric": {f"label{at}": "x" * 900 for at in range(1000)}, "value": [AT_S, "1"]}],
    "the mark of another term": [
        {"metric": {"kubegap": f"link_downed/{DOWNED}", "node": "gpu-1"}, "value": [AT_S, "9"]}
    ],
    "a histogram": [{"metric": {"node": "gpu-0"}, "histogram": [AT_S, {"count": "1", "sum": "1"}]}],
    "nothing": None,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_series_are_no_findings_and_break_nothing(name: str, tmp_path: Path) -> None:
    odd = success({"resultType": "vector", "result": ODD[name]})

    told = explained(Flapping("xid/", body=odd), tmp_path, LINKS, ERRORS)

    assert told[LINKS].status == "gap"
    assert told[ERRORS].status in {"clear", "unknown"}
    assert told[ERRORS].findings == []


@pytest.mark.parametrize("name", [*ODD, "an old time", "a time to come", "a time of no calendar"])
def test_odd_series_of_who_is_heard_are_no_silence(name: str, tmp_path: Path) -> None:
    times = {"an old time": "-1e12", "a time to come": str(AT_S + 90_000), "a time of no calendar": "1e308"}
    rows = ODD.get(name) or [
        {"metric": {"kubegap": f"node_exporter/{DOWNED}", "node": "gpu-0"}, "value": [AT_S, times.get(name, "1")]}
    ]
    odd = Flapping("timestamp(", body=success({"resultType": "vector", "result": rows}))

    (answer,) = explained(odd, tmp_path, "observability.exporter_gap").values()

    assert answer.status in {"clear", "unknown"}


MANY = 20_000


def test_twenty_thousand_series_are_looked_through_in_no_time(tmp_path: Path) -> None:
    """Of ten thousand nodes of another cluster, each told twice, and of the ports of ours."""
    others = [
        {"metric": {"__name__": DOWNED, "node": f"b-{at // 2}", "cluster": "b"}, "value": [AT_S, "8"]}
        for at in range(MANY)
    ]
    ours = [
        {"metric": {"__name__": name, "node": one, "cluster": "a"}, "value": [AT_S, "8"]}
        for name in (DOWNED, XID)
        for one in GPUS
    ]
    ports = [
        {
            "metric": {"kubegap": f"link_downed/{DOWNED}", "node": "gpu-0", "device": f"mlx5_{at}", "cluster": one},
            "value": [AT_S, "9"],
        }
        for at in range(MANY // 2)
        for one in ("a", "b")
    ]

    class Many(Flapping):
        def answer(self, seen: Seen, body: bytes) -> _Answer:
            if "__name__" in seen.query.get("query", ""):
                return _Answer(200, success({"resultType": "vector", "result": ours + others}))
            if "link_downed/" in seen.query.get("query", ""):
                return _Answer(200, success({"resultType": "vector", "result": ports}))
            return super().answer(seen, body)

    started = time.monotonic()
    (answer,) = explained(Many(), tmp_path, LINKS).values()

    assert answer.findings_total == MANY // 2  # not those of the other cluster's node of this name
    assert len(answer.model_dump_json()) < 30_000
    assert time.monotonic() - started < 15


def test_exporters_that_were_renamed_are_asked_by_the_names_that_there_are(tmp_path: Path) -> None:
    """Nothing that the table knows: then nothing is asked for, and each group says what to collect."""

    class Renamed(Flapping):
        def answer(self, seen: Seen, body: bytes) -> _Answer:
            if seen.path == NAMES:
                return _Answer(200, success([f"acme_{series.name}" for one in quantities() for series in one.series]))
            return super().answer(seen, body)

    source = Renamed()
    told = explained(source, tmp_path, *(check.id for check in catalog.load() if check.measures))

    assert {answer.status for answer in told.values()} <= {"unknown", "not_applicable", "clear"}
    assert {answer.status for name, answer in told.items() if name in {LINKS, ERRORS, ETCD_CHECK}} == {"unknown"}
    assert not [seen for seen in source.requests if seen.path != NAMES]
