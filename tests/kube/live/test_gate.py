"""Nothing but the reads that kubegap needs opens a socket, whatever the code above asks for."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import urllib3
from fake_apiserver import FakeApiServer, redirect

from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.live import client
from kubegap_mcp.kube.live.gate import ACCESS_REVIEW, RULES_REVIEW, Gate
from kubegap_mcp.kube.live.kubeconfig import Kubeconfig
from kubegap_mcp.transport.gated_pool import Call, GateError, Origin, close_gate

KINDS = tuple(record.KIND for record in records())
Manager = Callable[[FakeApiServer], urllib3.PoolManager]
PODS = "/api/v1/pods"
NO_BODY = b"{}"


@pytest.fixture
def open_manager(tmp_path: Path) -> Iterator[Manager]:
    """The transport as the Kubernetes client makes it, without a gate."""
    made: list[urllib3.PoolManager] = []

    def make(api: FakeApiServer) -> urllib3.PoolManager:
        target = Kubeconfig([api.kubeconfig(tmp_path)]).target(None)
        made.append(client.pool_manager(client.settings(target, str), None, "test"))
        return made[-1]

    yield make
    for manager in made:
        manager.clear()


@pytest.fixture
def gated(open_manager: Manager) -> Manager:
    def make(api: FakeApiServer) -> urllib3.PoolManager:
        manager = open_manager(api)
        close_gate(manager, Gate(api.url, KINDS))
        return manager

    return make


HOSTILE = [
    *[
        pytest.param(method, PODS, id=f"{method} pods")
        for method in ("DELETE", "delete", "Put", "PATCH", "POST", "HEAD")
    ],
    pytest.param("get", PODS, id="a method in small letters"),
    pytest.param("GET\r\nX-Method: DELETE", PODS, id="a method with a header in it"),
    pytest.param("GET", "/api/v1/secrets", id="secrets"),
    pytest.param("GET", "/api/v1/namespaces/train/secrets/token", id="a secret"),
    pytest.param("GET", "/api/v1/configmaps", id="all config maps"),
    pytest.param("GET", "/api/v1/events", id="a resource that nothing needs"),
    pytest.param("GET", "/api/v1/nodes/gpu-0/proxy/metrics", id="the proxy of a node"),
    *[
        pytest.param("GET", f"/api/v1/namespaces/train/pods/x/{sub}", id=f"pod {sub}")
        for sub in ("exec?command=id", "log", "proxy", "attach", "portforward", "eviction")
    ],
    pytest.param("POST", "/api/v1/namespaces/train/pods/x/exec?command=id", id="exec by POST"),
    pytest.param("POST", "/api/v1/namespaces/train/serviceaccounts/x/token", id="a token request"),
    pytest.param("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", id="a review of somebody else"),
    pytest.param("GET", ACCESS_REVIEW, id="a review by GET"),
    pytest.param("POST", f"{ACCESS_REVIEW}?dryRun=All", id="a review with a query"),
    pytest.param("POST", "/api", id="discovery by POST"),
    pytest.param("GET", "/api/v1/namespaces/train", id="one namespace"),
    pytest.param("GET", "/api/v1/namespaces/train/nodes", id="a namespace of a kind that has none"),
    pytest.param("GET", "/api/v1/pods/..%2f..%2fv1/secrets", id="an encoded slash"),
    pytest.param("GET", "/api/v1/pods/%2e%2e/secrets", id="encoded dots"),
    pytest.param("GET", "/api/v1/pods/../secrets", id="dots"),
    pytest.param("GET", "/api/v1/namespaces/%74rain/pods", id="an encoded letter"),
    pytest.param("GET", "//api/v1/pods", id="two slashes"),
    pytest.param("GET", "/api/v1//pods", id="two slashes within"),
    pytest.param("GET", "/api/v1/pods/", id="a slash at the end"),
    pytest.param("GET", "/api/v1/pods;x=1", id="a semicolon"),
    pytest.param("GET", "/API/v1/pods", id="capital letters"),
    pytest.param("GET", "/api/v1/namespaces/a/b/pods", id="a namespace with a slash"),
    pytest.param("GET", f"/api/v1/namespaces/{'a' * 64}/pods", id="a namespace that is too long"),
    pytest.param("GET", f"{PODS}?watch=true", id="a watch"),
    pytest.param("GET", f"{PODS}?limit=5&watch=1", id="a watch behind a limit"),
    pytest.param("GET", f"{PODS}?limit=5;watch=1", id="a watch behind a semicolon"),
    pytest.param("GET", f"{PODS}?limit=5%26watch=1", id="a watch behind an encoded ampersand"),
    pytest.param("GET", f"{PODS}?limit=5&limit=6", id="a limit twice"),
    pytest.param("GET", f"{PODS}?limit=0", id="no limit"),
    pytest.param("GET", f"{PODS}?resourceVersion=0", id="an old answer"),
    pytest.param("GET", f"{PODS}?fieldSelector=spec.nodeName%3Dx", id="a selector that no kind has"),
    pytest.param("GET", "/version?x=1", id="a query where none belongs"),
    pytest.param("GET", "/apis/certificates.k8s.io/v1/certificatesigningrequests", id="a group that nothing needs"),
    pytest.param("GET", "/apis/certificates.k8s.io/v1", id="discovery of a group that nothing needs"),
    pytest.param("GET", "/metrics", id="metrics"),
    pytest.param("GET", "/", id="the root"),
]


def call(manager: urllib3.PoolManager, url: str, method: str, target: str) -> None:
    body = NO_BODY if method == "POST" else None
    manager.urlopen(method, f"{url}{target}", body=body, headers={"Accept": "application/json"}, timeout=2.0)


@pytest.mark.parametrize(("method", "target"), HOSTILE)
def test_a_hostile_call_opens_no_socket(gated: Manager, method: str, target: str) -> None:
    with FakeApiServer() as api:
        manager = gated(api)
        with pytest.raises(GateError):
            call(manager, api.url, method, target)
        # Nor by the pool, past the manager and its tidying up of the path.
        pool = manager.connection_from_url(api.url)
        with pytest.raises(GateError):
            pool.urlopen(method, target, body=NO_BODY if method == "POST" else None, headers={}, timeout=2.0)
        assert not api.requests


def test_without_the_gate_the_same_calls_reach_the_server(open_manager: Manager) -> None:
    with FakeApiServer(allow_anything=True) as api:
        manager = open_manager(api)
        for method, target in (("DELETE", PODS), ("GET", "/api/v1/secrets"), ("GET", f"{PODS}?watch=true")):
            call(manager, api.url, method, target)
        assert [seen.method for seen in api.requests] == ["DELETE", "GET", "GET"]
        with pytest.raises(AssertionError, match="DELETE /api/v1/pods"):
            api.assert_only_reads()


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/version"),
        ("GET", "/api"),
        ("GET", "/apis"),
        ("GET", "/api/v1"),
        ("GET", "/apis/weka.weka.io/v1alpha1"),
        ("GET", PODS),
        ("GET", "/api/v1/namespaces?limit=500"),
        (
            "GET",
            f"{PODS}?limit=500&continue=bmV4dA%3D%3D&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed",
        ),
        ("GET", "/api/v1/namespaces/train/pods?limit=1"),
        ("GET", "/apis/resource.k8s.io/v1beta1/resourceslices"),
        ("POST", ACCESS_REVIEW),
        ("POST", RULES_REVIEW),
    ],
)
def test_what_kubegap_needs_passes(method: str, target: str) -> None:
    server = "https://10.0.0.1:6443"
    check(Gate(server, KINDS), method, target, server)
    behind = "https://rancher.test/k8s/clusters/c-1"
    check(Gate(behind, KINDS), method, f"/k8s/clusters/c-1{target}", behind)
    with pytest.raises(GateError):
        check(Gate(behind, KINDS), method, target, behind)


def check(gate: Gate, method: str, target: str, pool: str, headers: dict[str, str] | None = None) -> None:
    body = NO_BODY if method == "POST" else None
    gate.check(Call(method=method, target=target, pool=Origin.of(pool), headers=headers or {}, body=body))


@pytest.mark.parametrize(
    "name", ["X-HTTP-Method-Override", "Host", "Cookie", "X-Remote-User", "Upgrade", "Transfer-Encoding", "Range"]
)
def test_a_header_that_changes_the_meaning_is_refused(name: str) -> None:
    server = "https://10.0.0.1:6443"
    with pytest.raises(GateError):
        check(Gate(server, KINDS), "GET", PODS, server, {name: "DELETE"})


@pytest.mark.parametrize("body", [b"x" * 5000, "text", iter([b"x"])], ids=["long", "not bytes", "a stream"])
def test_a_review_goes_out_only_as_a_short_body(gated: Manager, body: object) -> None:
    with FakeApiServer() as api:
        with pytest.raises(GateError):
            gated(api).urlopen("POST", f"{api.url}{ACCESS_REVIEW}", body=body, headers={})
        assert not api.requests


def test_a_read_carries_no_body(gated: Manager) -> None:
    with FakeApiServer() as api:
        with pytest.raises(GateError):
            gated(api).urlopen("GET", f"{api.url}{PODS}", body=b"{}", headers={})
        assert not api.requests


def test_no_call_goes_to_another_host(gated: Manager) -> None:
    with FakeApiServer() as api, FakeApiServer(allow_anything=True) as other:
        manager = gated(api)
        for url in (
            f"{other.url}{PODS}",
            f"http://localhost:{api.address.rpartition(':')[2]}{PODS}",
            f"https://{api.address}/api",
        ):
            with pytest.raises(GateError):
                manager.urlopen("GET", url, headers={"Authorization": "Bearer t"})
        with pytest.raises(GateError):
            manager.connection_from_url(other.url).urlopen("GET", PODS, headers={})
        with pytest.raises(GateError):
            manager.connection_from_url(other.url).urlopen("GET", f"{api.url}{PODS}", headers={})
        assert not other.requests
        assert not api.requests


def test_an_address_of_any_form_is_the_same_server() -> None:
    for server, spelled in (("http://[::1]:9", "http://[::1]:9"), ("http://LocalHost:9/x", "http://localhost:9/x")):
        with urllib3.PoolManager() as manager:
            close_gate(manager, Gate(server, KINDS))
            with pytest.raises(urllib3.exceptions.NewConnectionError):
                manager.urlopen("GET", f"{spelled}/version", headers={}, timeout=1.0)


def test_a_redirect_is_handed_back_and_not_followed(gated: Manager) -> None:
    with FakeApiServer(allow_anything=True) as other, FakeApiServer() as api:
        api.faults[PODS] = [redirect(f"{other.url}{PODS}")]
        response = gated(api).urlopen("GET", f"{api.url}{PODS}", headers={"Authorization": "Bearer t"}, redirect=True)
        assert response.status == 302
        assert not other.requests
