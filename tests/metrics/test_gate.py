"""Nothing but GET of the API's reads opens a socket, whatever the code above asks for."""

from collections.abc import Callable, Iterator

import pytest
import urllib3
from metrics.fake_source import QUERY, FakeSource

from kubegap_mcp.metrics.gate import MOST_QUERY, MetricsGate
from kubegap_mcp.transport.gated_pool import Call, GateError, Origin, close_gate

Manager = Callable[[FakeSource], urllib3.PoolManager]
HEADERS = {"Accept": "application/json", "X-Scope-OrgID": "team"}


@pytest.fixture
def gated() -> Iterator[Manager]:
    made: list[urllib3.PoolManager] = []

    def make(api: FakeSource) -> urllib3.PoolManager:
        made.append(urllib3.PoolManager())
        close_gate(made[-1], MetricsGate(api.url, ["X-Scope-OrgID"]))
        return made[-1]

    yield make
    for manager in made:
        manager.clear()


HOSTILE = [
    *[pytest.param(method, QUERY, id=method) for method in ("POST", "PUT", "DELETE", "PATCH", "HEAD", "get")],
    pytest.param("GET\r\nX-Method: DELETE", QUERY, id="a method with a header in it"),
    pytest.param("POST", "/api/v1/admin/tsdb/delete_series?match[]=up", id="deleting series"),
    pytest.param("GET", "/api/v1/admin/tsdb/delete_series?match[]=up", id="deleting series by GET"),
    pytest.param("GET", "/api/v1/admin/tsdb/snapshot", id="a snapshot"),
    pytest.param("POST", "/-/reload", id="a reload"),
    pytest.param("POST", "/-/quit", id="the end"),
    pytest.param("GET", "/api/v1/write", id="remote write"),
    pytest.param("GET", "/api/v1/read", id="remote read"),
    pytest.param("GET", "/api/v1/status/config", id="the configuration, which may hold secrets"),
    pytest.param("GET", "/api/v1/alertmanagers", id="alert managers"),
    pytest.param("GET", "/api/v1/import?x=1", id="VictoriaMetrics' import"),
    pytest.param("GET", "/metrics", id="its own metrics"),
    pytest.param("GET", "/", id="the root"),
    pytest.param("GET", "/api/v1/query/", id="a slash at the end"),
    pytest.param("GET", "//api/v1/query", id="two slashes"),
    pytest.param("GET", "/api/v1/../v1/query", id="dots"),
    pytest.param("GET", "/api/v1/%71uery", id="an encoded letter"),
    pytest.param("GET", "/api/v1/label/a%2Fb/values", id="an encoded slash"),
    pytest.param("GET", "/api/v1/label//values", id="no label"),
    pytest.param("GET", "/api/v1/label/x/y/values", id="a label with a slash"),
    pytest.param("GET", f"{QUERY}?query=up&dedup=false", id="a parameter that nothing needs"),
    pytest.param("GET", f"{QUERY}?query=up;time=1", id="a semicolon"),
    pytest.param("GET", f"{QUERY}?query", id="a parameter without a value"),
    pytest.param("GET", f"{QUERY}?query={'x' * MOST_QUERY}", id="a query that is too long"),
]


@pytest.mark.parametrize(("method", "target"), HOSTILE)
def test_a_hostile_call_opens_no_socket(gated: Manager, method: str, target: str) -> None:
    with FakeSource() as api:
        pool = gated(api).connection_from_url(api.url)
        with pytest.raises(GateError):
            pool.urlopen(method, target, body=b"{}" if method == "POST" else None, headers=HEADERS, timeout=2.0)
        assert not api.requests


@pytest.mark.parametrize(
    "target",
    [
        f"{QUERY}?query=up&time=1&timeout=5s",
        "/api/v1/query_range?query=up%7Ba%3D%22b%22%7D&start=1&end=2&step=1",
        "/api/v1/labels?match[]=up&match[]=down&start=1",
        "/api/v1/label/__name__/values",
        "/api/v1/series?match[]=up",
        "/api/v1/metadata?metric=up&limit=1",
        "/api/v1/rules?type=alert",
        "/api/v1/targets?state=active",
    ],
)
def test_the_reads_pass(gated: Manager, target: str) -> None:
    with FakeSource(prefix="/prometheus") as api:
        answer = gated(api).urlopen("GET", f"{api.url}{target}", headers=HEADERS, timeout=2.0)
        assert answer.status == 200


def test_a_header_that_was_not_chosen_does_not_pass(gated: Manager) -> None:
    with FakeSource() as api:
        for name in ("X-HTTP-Method-Override", "Cookie", "X-Other-Tenant"):
            with pytest.raises(GateError):
                gated(api).urlopen("GET", f"{api.url}{QUERY}?query=up", headers={name: "DELETE"}, timeout=2.0)
        assert not api.requests


@pytest.mark.parametrize("url", ["http://10.0.0.2:9090", "http://10.0.0.1:9091", "https://10.0.0.1:9090"])
def test_no_other_server_and_no_other_base(url: str) -> None:
    gate = MetricsGate("http://10.0.0.1:9090/prometheus")
    with pytest.raises(GateError):
        gate.check(Call("GET", f"/prometheus{QUERY}", Origin.of(url), {}))
    with pytest.raises(GateError):
        gate.check(Call("GET", QUERY, Origin.of("http://10.0.0.1:9090"), {}))
    gate.check(Call("GET", f"/prometheus{QUERY}", Origin.of("http://10.0.0.1:9090"), {}))


def test_without_the_gate_the_same_calls_reach_the_server() -> None:
    with FakeSource(allow_anything=True) as api:
        manager = urllib3.PoolManager()
        manager.urlopen("POST", f"{api.url}/api/v1/admin/tsdb/delete_series", timeout=2.0)
        manager.clear()
        with pytest.raises(AssertionError, match="POST /api/v1/admin"):
            api.assert_only_reads()
