"""A metrics source behind the API server: the same answers and faults, and nothing of any other proxy."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_apiserver import FakeApiServer, Fault, Rights, not_json, redirect, slow
from metrics.conftest import AT
from metrics.fake_source import QUERY, FakeSource, error, success, vector

from kubegap_checks.facts.read import Unread, UnreadError
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.live.connection import Connection, Request
from kubegap_mcp.kube.live.kubeconfig import Kubeconfig
from kubegap_mcp.metrics.port import MetricsSource, Query
from kubegap_mcp.metrics.settings import MetricsSettings, read_service
from kubegap_mcp.readers import metrics_source_for
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.settings import Settings
from kubegap_mcp.transport.deadline import Deadline
from kubegap_mcp.transport.gated_pool import GateError

NAME = "monitoring/prometheus:9090"
PROXY = "/api/v1/namespaces/monitoring/services/prometheus:9090/proxy"
Behind = Callable[..., MetricsSource]


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Behind]:
    """The source that a service of this API server is."""
    made: list[MetricsSource] = []

    def open_one(api: FakeApiServer, service: str = NAME, log: RequestLog | None = None, **user: Any) -> MetricsSource:
        kubeconfig = api.kubeconfig(tmp_path, user=user)
        metrics = MetricsSettings(service=read_service(service))
        opened = metrics_source_for(Settings(kubeconfig=kubeconfig, metrics=metrics), log)
        assert opened is not None
        made.append(opened)
        return opened

    yield open_one
    for opened in made:
        opened.close()


async def refused(opened: MetricsSource, deadline_s: float = 5.0) -> Unread:
    with pytest.raises(UnreadError) as raised:
        await opened.ask(Query("up"), at=AT, deadline_s=deadline_s)
    (unread,) = raised.value.unread
    return unread


async def test_a_real_prometheus_answers_through_the_api_server(prometheus: str, behind: Behind) -> None:
    with FakeApiServer(services={NAME: prometheus}, prefix="/k8s/clusters/c-1") as api:
        opened = behind(api)
        assert "temperature" in await opened.names(deadline_s=10)
        answer = await opened.ask(Query('temperature{node="gpu-0"}', span_s=120, step_s=60), at=AT, deadline_s=10)
        assert [value for _, value in answer.series[0].points] == [61.0, 61.0, 61.0]
        assert {path.removeprefix(PROXY) for path in api.paths()} == {
            "/api/v1/label/__name__/values",
            "/api/v1/query_range",
        }


async def test_the_clusters_credentials_are_used_and_the_trace_tells(behind: Behind) -> None:
    log = RequestLog()
    with FakeSource() as prometheus, FakeApiServer(services={NAME: prometheus.url}, tokens=["Bearer t-1"]) as api:
        await behind(api, log=log, token="t-1").ask(Query("up"), at=AT, deadline_s=5)  # noqa: S106
        assert "authorization" not in prometheus.requests[0].headers
    assert f"{PROXY}{QUERY}?query=up" in log.page()


async def test_a_base_path_below_the_service(behind: Behind) -> None:
    with FakeSource(prefix="/prometheus") as mimir, FakeApiServer() as api:
        api.services = {"mon/https:mimir:443": f"http://{mimir.address}"}
        await behind(api, "https:mon/mimir:443/prometheus").ask(Query("up"), at=AT, deadline_s=5)
        (path,) = api.paths()
    assert path == f"/api/v1/namespaces/mon/services/https:mimir:443/proxy/prometheus{QUERY}"


@pytest.mark.parametrize(
    ("fault", "reason", "word"),
    [
        pytest.param(Fault(status=401, body=b"no"), "forbidden", "does not pass on", id="401"),
        pytest.param(error(422, "execution", "too many samples"), "invalid", "too many samples", id="422"),
        pytest.param(error(500, "internal", "no"), "unreachable", "trouble", id="500"),
        pytest.param(error(503, "timeout", "query timed out"), "timed_out", "in time", id="its own time-out"),
        pytest.param(not_json(), "invalid", "service and port", id="a login page"),
        pytest.param(redirect("https://elsewhere.test/"), "unreachable", "redirect", id="a redirect"),
    ],
)
async def test_each_fault_of_the_source_has_its_reason(behind: Behind, fault: Fault, reason: str, word: str) -> None:
    with FakeSource(faults={"*": fault}) as prometheus, FakeApiServer(services={NAME: prometheus.url}) as api:
        unread = await refused(behind(api))
        assert unread.reason == reason
        assert word in unread.remedy.en
        assert api.address not in str(unread)
        assert prometheus.address not in str(unread)


async def test_without_the_right_the_role_is_named(behind: Behind) -> None:
    with FakeSource() as prometheus, FakeApiServer(services={NAME: prometheus.url}, rights=Rights(frozenset())) as api:
        unread = await refused(behind(api))
    assert unread.reason == "forbidden"
    assert "grant get on services/proxy prometheus:9090 in namespace monitoring" in unread.remedy.en
    assert "kubegap rbac --prometheus-service" in unread.remedy.ko


async def test_credentials_that_the_api_server_refuses_are_the_clusters(behind: Behind) -> None:
    with FakeSource() as prometheus, FakeApiServer(services={NAME: prometheus.url}, tokens=["Bearer t-1"]) as api:
        unread = await refused(behind(api, token="t-2"))  # noqa: S106
    assert unread.reason == "unreachable"
    assert "the API server refused the credentials of context test" in unread.remedy.en


async def test_no_such_service_and_no_such_context(behind: Behind, tmp_path: Path) -> None:
    with FakeApiServer(services={NAME: "http://127.0.0.1:1"}) as api:
        api.services = {"monitoring/other:9090": "http://127.0.0.1:1"}
        assert (await refused(behind(api, "monitoring/other:9090"))).reason == "unreachable"
    metrics = MetricsSettings(service=read_service(NAME))
    opened = metrics_source_for(Settings(kubeconfig=tmp_path / "kubeconfig", context="gone", metrics=metrics))
    assert opened is not None
    assert "gone" in (await refused(opened)).remedy.en
    opened.close()


async def test_a_busy_one_is_waited_for_and_an_endless_one_left(behind: Behind) -> None:
    busy = Fault(status=503, body=b"", headers={"Retry-After": "0"}, times=1)
    with FakeSource(faults={"*": busy}) as prometheus, FakeApiServer(services={NAME: prometheus.url}) as api:
        await behind(api).ask(Query("up"), at=AT, deadline_s=5)
        assert len(api.requests) == 2
        api.faults["*"] = [slow()]
        assert (await refused(behind(api), deadline_s=0.4)).reason == "timed_out"


async def test_partial_results_are_told(behind: Behind) -> None:
    body = success(vector("1"), warnings=["a store is down"])
    with FakeSource({QUERY: body}) as prometheus, FakeApiServer(services={NAME: prometheus.url}) as api:
        answer = await behind(api).ask(Query("up"), at=AT, deadline_s=5)
    assert "a store is down" in answer.lacks[0].en


@pytest.mark.parametrize(
    "path",
    [
        f"{PROXY}/api/v1/admin/tsdb/delete_series",
        f"{PROXY}/-/quit",
        f"{PROXY}/api/v1/status/config",
        f"{PROXY}/",
        PROXY,
        f"{PROXY}/../../../secrets",
        f"{PROXY}/api/v1/query/../../../../../secrets",
        f"{PROXY}evil/api/v1/query",
        f"/api/v1/namespaces/monitoring/services/other:9090/proxy{QUERY}",
        f"/api/v1/namespaces/other/services/prometheus:9090/proxy{QUERY}",
        f"/api/v1/namespaces/monitoring/services/https:prometheus:9090/proxy{QUERY}",
        f"/api/v1/namespaces/monitoring/pods/prometheus:9090/proxy{QUERY}",
        f"/api/v1/nodes/gpu-0/proxy{QUERY}",
        "/api/v1/namespaces/monitoring/services/prometheus",
    ],
)
def test_no_other_path_and_no_other_proxy(tmp_path: Path, path: str) -> None:
    with FakeApiServer() as api:
        target = Kubeconfig([api.kubeconfig(tmp_path)]).target(None)
        connection = Connection(target, (), service=read_service(NAME))
        with pytest.raises(GateError):
            connection.send(Request(path), Deadline(2))
        with pytest.raises(GateError):
            connection.send(Request(f"{PROXY}{QUERY}", body=b"query=up"), Deadline(2))
        connection.close()
        assert not api.requests


def test_off_by_default(tmp_path: Path) -> None:
    with FakeApiServer() as api:
        target = Kubeconfig([api.kubeconfig(tmp_path)]).target(None)
        connection = Connection(target, [record.KIND for record in records()])
        with pytest.raises(GateError):
            connection.send(Request(f"{PROXY}{QUERY}"), Deadline(2))
        connection.close()
        assert not api.requests
