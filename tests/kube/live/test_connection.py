"""A context of a kubeconfig becomes an authenticated, bounded way to its server; nothing of it is written or left."""

import base64
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fake_tls
import pytest
import urllib3
from fake_apiserver import FakeApiServer, Fault, redirect, slow
from fake_proxy import FakeProxy
from kube_objects import node

from kubegap_mcp import __version__
from kubegap_mcp.errors import ClusterUnreachable, ConfigError
from kubegap_mcp.kube.live.connection import Connection, Request
from kubegap_mcp.kube.live.kubeconfig import in_cluster_target
from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.exchange import Answer, Bounds, NoAnswerError

Connect = Callable[[Path], Connection]
Json = dict[str, Any]
VERSION = Request("/version")


def ask(connection: Connection, seconds: float = 5.0) -> Answer:
    return connection.send(VERSION, Deadline(seconds))


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def headers(user: Json, tmp_path: Path, connect: Connect) -> dict[str, str]:
    with FakeApiServer() as api:
        assert ask(connect(api.kubeconfig(tmp_path, user=user))).status == 200
        return dict(api.requests[0].headers)


def test_requests_say_who_asks(connect: Connect, tmp_path: Path) -> None:
    sent = headers({}, tmp_path, connect)
    assert sent["user-agent"] == f"kubegap/{__version__}"
    assert "authorization" not in sent


@pytest.mark.parametrize(
    ("user", "header"),
    [
        pytest.param({"token": "t-1"}, "Bearer t-1", id="token"),
        pytest.param({"token": " t-1\n"}, "Bearer t-1", id="token with a line end"),
        pytest.param({"username": "ann", "password": "p:w"}, "Basic " + encoded(b"ann:p:w"), id="password"),
        pytest.param({"token": "t-1", "username": "ann", "password": "p"}, "Bearer t-1", id="token before password"),
    ],
)
def test_fixed_credentials_are_sent(connect: Connect, tmp_path: Path, user: Json, header: str) -> None:
    assert headers(user, tmp_path, connect)["authorization"] == header


def test_as_is_sent_in_full(connect: Connect, tmp_path: Path) -> None:
    user = {
        "as": "김지수",
        "as-groups": ["ml", "gpu"],
        "as-uid": "7",
        "as-user-extra": {"Reason/x": ["audit", "weekly"]},
    }
    with FakeApiServer() as api:
        ask(connect(api.kubeconfig(tmp_path, user=user)))
        sent = [(key, value) for key, value in api.requests[0].multi if key.startswith("Impersonate")]
    assert [(key, value.encode("latin-1").decode()) for key, value in sent] == [
        ("Impersonate-User", "김지수"),
        ("Impersonate-Group", "ml"),
        ("Impersonate-Group", "gpu"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Extra-reason%2Fx", "audit"),
        ("Impersonate-Extra-reason%2Fx", "weekly"),
    ]


@pytest.mark.parametrize(
    "user",
    [
        pytest.param({"as-groups": ["system:masters"]}, id="groups of nobody"),
        pytest.param({"as": "a\r\nX-Evil: 1"}, id="a header in a name"),
        pytest.param({"token": "a\r\nX-Evil: 1"}, id="a header in a token"),
    ],
)
def test_a_user_that_would_not_work_is_refused(connect: Connect, tmp_path: Path, user: Json) -> None:
    with FakeApiServer() as api:
        path = api.kubeconfig(tmp_path, user=user)
        with pytest.raises(ConfigError):
            connect(path)
        assert not api.requests


@pytest.mark.parametrize("provider", ["oidc", "gcp", "azure"])
def test_auth_provider_is_refused_before_the_client_sees_it(connect: Connect, tmp_path: Path, provider: str) -> None:
    with FakeApiServer(allow_anything=True) as api:
        config = {"idp-issuer-url": api.url, "refresh-token": "r", "id-token": "a.e30.b", "cmd-path": "/bin/false"}
        path = api.kubeconfig(tmp_path, user={"auth-provider": {"name": provider, "config": config}})
        with pytest.raises(ConfigError, match=r"credential plugin \(exec"):
            connect(path)
        assert not api.requests


def test_a_token_file_is_read_again_when_it_changes(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("one\n")
    with FakeApiServer(tokens=["Bearer one", "Bearer second"]) as api:
        connection = connect(api.kubeconfig(tmp_path, user={"tokenFile": "token"}))
        ask(connection)
        (tmp_path / "token").write_text("second\n")
        ask(connection)
        assert [seen.headers["authorization"] for seen in api.requests] == ["Bearer one", "Bearer second"]


def test_a_refused_token_file_is_read_once_more(connect: Connect, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    with FakeApiServer(tokens=["Bearer new"]) as api:
        connection = connect(api.kubeconfig(tmp_path, user={"tokenFile": str(token)}))
        with pytest.raises(ClusterUnreachable, match="log in again"):
            ask(connection)
        assert len(api.requests) == 1
        token.write_text("new")
        assert ask(connection).status == 200


@pytest.mark.parametrize("content", [None, "", "\n"], ids=["missing", "empty", "blank"])
def test_a_token_file_without_a_token_is_told(connect: Connect, tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "token").write_text(content)
    with FakeApiServer() as api:
        connection = connect(api.kubeconfig(tmp_path, user={"tokenFile": "token"}))
        with pytest.raises(ClusterUnreachable, match="context test") as error:
            ask(connection)
        assert str(tmp_path) not in str(error.value)
        assert not api.requests


def test_refused_credentials_are_one_sentence_without_a_secret(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(tokens=["Bearer good"]) as api:
        connection = connect(api.kubeconfig(tmp_path, user={"token": "secret-bad"}))
        with pytest.raises(ClusterUnreachable) as error:
            ask(connection)
    assert str(error.value) == (
        "the API server refused the credentials of context test: log in again, check with `kubectl auth whoami`, "
        "then ask again"
    )


@pytest.mark.parametrize("inline", [True, False], ids=["inline", "files"])
def test_client_certificates_are_shown_to_the_server(
    connect: Connect, tmp_path: Path, no_surroundings: Path, *, inline: bool
) -> None:
    tls = fake_tls.made()
    user: Json = {
        "client-certificate-data": encoded(tls.client_certificate),
        "client-key-data": encoded(tls.client_key),
    }
    cluster: Json = {}
    if not inline:
        for name, content in (("c.crt", tls.client_certificate), ("c.key", tls.client_key), ("ca.crt", tls.authority)):
            (tmp_path / name).write_bytes(content)
        user = {"client-certificate": "c.crt", "client-key": str(tmp_path / "c.key")}
        cluster = {"certificate-authority-data": "", "certificate-authority": "ca.crt"}
    with FakeApiServer(tls=tls, client_certificates=True) as api:
        connection = connect(api.kubeconfig(tmp_path, user=user, cluster=cluster))
        assert ask(connection).status == 200
        assert api.requests[0].peer_certificate
        kept = list(no_surroundings.rglob("*.pem"))
        assert len(kept) == (3 if inline else 0)
        if os.name == "posix":
            assert {path.stat().st_mode & 0o777 for path in kept} <= {0o600}
            assert {path.stat().st_mode & 0o777 for path in no_surroundings.iterdir()} <= {0o700}
        connection.close()
        connection.close()
        assert not list(no_surroundings.iterdir())


def test_two_connections_do_not_share_credential_files(connect: Connect, tmp_path: Path) -> None:
    tls = fake_tls.made()
    user = {"client-certificate-data": encoded(tls.client_certificate), "client-key-data": encoded(tls.client_key)}
    with FakeApiServer(tls=tls, client_certificates=True) as api:
        path = api.kubeconfig(tmp_path, user=user)
        first, second = connect(path), connect(path)
        first.close()
        assert ask(second).status == 200


def cause(connection: Connection, seconds: float = 5.0) -> str:
    with pytest.raises(NoAnswerError) as error:
        ask(connection, seconds)
    return error.value.cause


def test_a_server_of_another_authority_is_not_trusted(connect: Connect, tmp_path: Path) -> None:
    other = encoded(fake_tls.made.__wrapped__().authority)
    with FakeApiServer(tls=fake_tls.made()) as api:
        assert cause(connect(api.kubeconfig(tmp_path, cluster={"certificate-authority-data": other}))) == "tls"
        assert not api.requests


@pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning")
def test_skipping_the_check_of_the_server_is_the_kubeconfigs_choice(connect: Connect, tmp_path: Path) -> None:
    cluster = {"insecure-skip-tls-verify": True, "certificate-authority-data": ""}
    with FakeApiServer(tls=fake_tls.made()) as api:
        assert ask(connect(api.kubeconfig(tmp_path, cluster=cluster))).status == 200


@pytest.mark.parametrize(("name", "works"), [(fake_tls.SERVER_NAME, True), ("another.test", False)])
def test_the_name_that_the_server_must_prove_can_be_set(
    connect: Connect, tmp_path: Path, name: str, *, works: bool
) -> None:
    with FakeApiServer(tls=fake_tls.made()) as api:
        connection = connect(api.kubeconfig(tmp_path, cluster={"tls-server-name": name}))
        if works:
            assert ask(connection).status == 200
        else:
            assert cause(connection) == "tls"


def test_a_server_behind_a_path_is_reached(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(prefix="/k8s/clusters/c-1") as api:
        assert ask(connect(api.kubeconfig(tmp_path, cluster={"server": f"{api.url}/"}))).status == 200
        assert api.paths() == ["/version"]


def test_a_tunnel_through_a_proxy_reaches_what_has_no_address(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(tls=fake_tls.made()) as api, FakeProxy(api.address) as proxy:
        cluster = {"server": f"https://{fake_tls.SERVER_NAME}:6443", "proxy-url": f"http://ann:pw@{proxy.address}"}
        connection = connect(api.kubeconfig(tmp_path, cluster=cluster))
        assert ask(connection).status == 200
        connection.close()
        assert proxy.heads[0].startswith(f"CONNECT {fake_tls.SERVER_NAME}:6443 ")
        assert f"Basic {encoded(b'ann:pw')}".lower() in proxy.heads[0].lower()


def test_a_plain_server_is_reached_through_a_proxy(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer() as proxy:
        cluster = {"server": "http://kubernetes.invalid:8001", "proxy-url": proxy.url}
        assert ask(connect(proxy.kubeconfig(tmp_path, cluster=cluster))).status == 200


def test_the_proxy_of_the_environment_is_used_unless_no_proxy_says_so(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with FakeApiServer(tls=fake_tls.made()) as api:
        path = api.kubeconfig(tmp_path)
        assert cause(connect(path)) in {"proxy", "refused"}
        monkeypatch.setenv("NO_PROXY", "10.0.0.0/8,127.0.0.0/8")
        assert ask(connect(path)).status == 200


def test_a_socks_proxy_without_its_library_is_told(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer() as api:
        connection = connect(api.kubeconfig(tmp_path, cluster={"proxy-url": "socks5://127.0.0.1:9"}))
        with pytest.warns(urllib3.exceptions.DependencyWarning), pytest.raises(ConfigError, match="PySocks"):
            ask(connection)


def test_a_server_that_is_not_there_is_told(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer() as api:
        path = api.kubeconfig(tmp_path)
    assert cause(connect(path)) == "refused"


def test_a_name_that_does_not_resolve_is_told(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_such_name(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_such_name)
    with FakeApiServer() as api:
        assert cause(connect(api.kubeconfig(tmp_path, cluster={"server": "http://kubernetes.test"}))) == "name"


def test_an_answer_that_is_far_too_large_is_not_kept(connect: Connect, tmp_path: Path) -> None:
    bounded = Request("/version", bounds=Bounds(seconds=5.0, size=100_000))
    with FakeApiServer(faults={"/version": Fault(status=200, body=b" " * 1_000_000)}, gzipped=True) as api:
        connection = connect(api.kubeconfig(tmp_path))
        with pytest.raises(NoAnswerError, match="too_large"):
            connection.send(bounded, Deadline(5.0))


@pytest.mark.parametrize(
    "server",
    [
        "",
        "10.0.0.1:6443",
        "ftp://x",
        "https://",
        "https://a:b@x",
        "https://x?y=1",
        "https://x:port",
        "https://x#y",
        "https://x:0",
    ],
)
def test_a_server_that_is_no_address_is_refused(connect: Connect, tmp_path: Path, server: str) -> None:
    with FakeApiServer() as api:
        path = api.kubeconfig(tmp_path, cluster={"server": server})
        with pytest.raises(ConfigError, match="is not an http") as error:
            connect(path)
        assert not server or server not in str(error.value)


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ({"client-certificate-data": "not base64!", "client-key-data": "x"}, "client-certificate-data"),
        ({"client-certificate": "/no/such/file", "client-key-data": "eA=="}, "client-certificate"),
        ({"client-certificate-data": "eA=="}, "without its key"),
    ],
)
def test_certificates_that_cannot_be_had_are_named_by_field(
    connect: Connect, tmp_path: Path, user: Json, said: str
) -> None:
    with FakeApiServer(tls=fake_tls.made()) as api:
        path = api.kubeconfig(tmp_path, user=user)
        with pytest.raises(ConfigError, match=said) as error:
            connect(path)
        assert "/no/such" not in str(error.value)


def test_a_key_that_is_no_key_is_a_matter_of_tls(connect: Connect, tmp_path: Path) -> None:
    user = {"client-certificate-data": encoded(b"nothing"), "client-key-data": encoded(b"nothing")}
    with FakeApiServer(tls=fake_tls.made()) as api:
        assert cause(connect(api.kubeconfig(tmp_path, user=user))) == "tls"


def test_credentials_do_not_follow_a_redirect(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer() as other, FakeApiServer(faults={"*": redirect(f"{other.url}/version", 307)}) as api:
        connection = connect(api.kubeconfig(tmp_path, user={"token": "t"}))
        assert ask(connection).status == 307
        assert not other.requests


def test_the_kubeconfig_is_never_written(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer(tokens=["Bearer good"]) as api:
        path = api.kubeconfig(tmp_path, user={"token": "bad"})
        before = (path.stat().st_mtime_ns, path.read_bytes())
        path.chmod(0o400)
        with pytest.raises(ClusterUnreachable):
            ask(connect(path))
        assert (path.stat().st_mtime_ns, path.read_bytes()) == before


def in_thread(connection: Connection, deadline: Deadline) -> tuple[threading.Thread, list[BaseException]]:
    raised: list[BaseException] = []

    def work() -> None:
        try:
            connection.send(VERSION, deadline)
        except (DeadlineError, NoAnswerError) as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, raised


@pytest.mark.parametrize(
    "fault", [slow(), Fault(drip_s=0.02), Fault(drip_head_s=0.02)], ids=["silent", "drips", "drips headers"]
)
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("end", ["abort", "close"])
def test_a_request_under_way_ends_when_nobody_waits(
    connect: Connect, tmp_path: Path, fault: Fault, *, tls: bool, end: str
) -> None:
    with FakeApiServer([node()], faults={"*": fault}, tls=fake_tls.made() if tls else None) as api:
        connection, deadline = connect(api.kubeconfig(tmp_path)), Deadline(30)
        thread, raised = in_thread(connection, deadline)
        until = time.monotonic() + 5
        while not api.requests and time.monotonic() < until:
            thread.join(0.01)
        if end == "abort":
            deadline.abort()
        else:
            connection.close()
        thread.join(2)
        assert not thread.is_alive()
        assert isinstance(raised[0], DeadlineError)


def test_a_closed_connection_sends_nothing(connect: Connect, tmp_path: Path) -> None:
    with FakeApiServer() as api:
        connection = connect(api.kubeconfig(tmp_path))
        connection.close()
        with pytest.raises(DeadlineError):
            ask(connection)
        assert not api.requests


def test_a_pod_reads_its_own_cluster_with_a_token_that_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tls = fake_tls.made()
    account = tmp_path / "serviceaccount"
    account.mkdir()
    (account / "ca.crt").write_bytes(tls.authority)
    (account / "namespace").write_text("kubegap")
    (account / "token").write_text("one")
    with FakeApiServer(tls=tls, tokens=["Bearer one", "Bearer second"]) as api:
        host, _, port = api.address.rpartition(":")
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
        target = in_cluster_target(os.environ, account)
        assert target is not None
        assert target.namespace == "kubegap"
        connection = Connection(target, ())
        ask(connection)
        (account / "token").write_text("second")
        ask(connection)
        connection.close()
        assert [seen.headers["authorization"] for seen in api.requests] == ["Bearer one", "Bearer second"]


@pytest.mark.parametrize("proxy", ["http://[", "not a url", "foo://x", "http://127.0.0.1:99999", "::::"])
def test_a_proxy_that_is_no_address_is_told(connect: Connect, tmp_path: Path, proxy: str) -> None:
    with FakeApiServer() as api:
        with pytest.raises(ConfigError, match="the proxy of context test is not an address") as error:
            ask(connect(api.kubeconfig(tmp_path, cluster={"proxy-url": proxy})))
        assert proxy not in str(error.value)
        assert not api.requests


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "name without end", "film"])
def test_a_token_file_that_may_never_end_is_not_read(connect: Connect, tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "film").open("wb") as film:
        film.truncate(1 << 40)
    named = {"device": "/dev/zero", "folder": str(tmp_path), "name without end": "x" * 300}.get(kind, kind)
    with FakeApiServer() as api:
        connection = connect(api.kubeconfig(tmp_path, user={"tokenFile": named}))
        with pytest.raises(ClusterUnreachable, match="token file of context test cannot be read"):
            ask(connection)


def test_a_machine_without_room_for_a_private_file_is_told(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls = fake_tls.made()
    user = {
        "client-certificate-data": base64.b64encode(tls.client_certificate).decode(),
        "client-key-data": base64.b64encode(tls.client_key).decode(),
    }
    with FakeApiServer(tls=tls) as api:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
        with pytest.raises(ConfigError, match="let TMPDIR name a folder"):
            connect(api.kubeconfig(tmp_path, user=user))


def test_an_answer_that_ends_the_connection_ends_when_nobody_waits(connect: Connect, tmp_path: Path) -> None:
    """As one without a length: the connection has let go of its socket by then."""
    with socket.create_server(("127.0.0.1", 0)) as listener, FakeApiServer() as api:
        server = f"http://127.0.0.1:{listener.getsockname()[1]}"
        connection = connect(api.kubeconfig(tmp_path, cluster={"server": server}))
        deadline = Deadline(30)

        def answer() -> None:
            wire, _ = listener.accept()
            with wire:
                wire.recv(65536)
                wire.sendall(b'HTTP/1.1 200 OK\r\n\r\n{"kind"')
                deadline.abort()
                wire.recv(65536)  # until the other end is gone

        server_thread = threading.Thread(target=answer)
        server_thread.start()
        before = time.monotonic()
        with pytest.raises(DeadlineError):
            connection.send(Request("/version"), deadline)
        server_thread.join(5)
        assert time.monotonic() - before < 2
