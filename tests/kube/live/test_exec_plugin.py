"""Credential plugins: bounded in time and output, without our stdin, remembered, and loud when they fail."""

# ruff: noqa: S105, S106 (tokens of nobody)

import json
import os
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import fake_tls
import pytest
from fake_apiserver import FakeApiServer

from kubegap_mcp.errors import ClusterUnreachable, ConfigError
from kubegap_mcp.foreign.complaint import complaint
from kubegap_mcp.kube.live.connection import Connection, Request
from kubegap_mcp.kube.live.credentials import Plugin, Secret
from kubegap_mcp.kube.live.kubeconfig import Cluster, EnvVar, Exec, Extension, Kubeconfig, Target, User
from kubegap_mcp.transport.deadline import Deadline, DeadlineError

V1 = "client.authentication.k8s.io/v1"
SECRET = "eyJhbGciOiJSUzI1NiJ9.c2VjcmV0"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="the plugins of these tests are scripts with a first line")


@dataclass(frozen=True)
class Script:
    """A plugin that writes a line into `runs` whenever it is run."""

    path: Path
    runs: Path

    @property
    def count(self) -> int:
        return len(self.runs.read_text().splitlines()) if self.runs.exists() else 0


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Script]:
    def make(body: str) -> Script:
        path, runs = tmp_path / "plugin", tmp_path / "runs"
        lines = [f"#!{sys.executable} -S", "import json, os, sys, time", f"open({str(runs)!r}, 'a').write('run\\n')"]
        path.write_text("\n".join(lines) + "\n" + textwrap.dedent(body))
        path.chmod(0o700)
        return Script(path, runs)

    return make


@contextmanager
def protocol_on_stdin() -> Generator[None]:
    """As when a client talks to the server through this process's input."""
    kept = os.dup(0)
    out, into = os.pipe()
    os.write(into, b"a message of the client\n")
    os.close(into)
    os.dup2(out, 0)
    os.close(out)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        os.close(kept)


def printed(expires_s: float | None = None, **status: str) -> str:
    """The lines of a plugin that gives a credential."""
    given: dict[str, Any] = dict(status or {"token": SECRET})
    if expires_s is not None:
        given["expirationTimestamp"] = (datetime.now(UTC) + timedelta(seconds=expires_s)).isoformat()
    return f"print({json.dumps({'apiVersion': V1, 'kind': 'ExecCredential', 'status': given})!r})"


def target(plugin: Exec | None = None, **cluster: Any) -> Target:
    return Target(name="prod", cluster=Cluster(server="https://hidden.test", **cluster), user=User(exec=plugin))


def plugin(script: Script, **more: Any) -> Exec:
    return Exec(command=str(script.path), api_version=V1, **more)


def made(given: Exec, *, limit_s: float = 5.0, whole: Target | None = None) -> Plugin:
    return Plugin(given, whole or target(given), lambda text: text, limit_s=limit_s)


def test_the_token_goes_with_the_request(script: Callable[[str], Script], tmp_path: Path) -> None:
    run = script(printed())
    with FakeApiServer(tokens=[f"Bearer {SECRET}"]) as api:
        user = {"exec": {"apiVersion": V1, "command": "./plugin", "interactiveMode": "IfAvailable"}}
        path = api.kubeconfig(tmp_path, user=user)
        connection = Connection(Kubeconfig([path]).target(None), ())
        for _ in range(3):
            assert connection.send(Request("/version"), Deadline(5)).status == 200
        connection.close()
        assert run.count == 1


def test_a_certificate_of_a_plugin_is_shown_to_the_server(script: Callable[[str], Script], tmp_path: Path) -> None:
    tls = fake_tls.made()
    certificate: dict[str, Any] = {
        "clientCertificateData": tls.client_certificate.decode(),
        "clientKeyData": tls.client_key.decode(),
    }
    run = script(printed(**certificate))
    with FakeApiServer(tls=tls, client_certificates=True) as api:
        path = api.kubeconfig(tmp_path, user={"exec": {"apiVersion": V1, "command": str(run.path)}})
        connection = Connection(Kubeconfig([path]).target(None), ())
        assert connection.send(Request("/version"), Deadline(5)).status == 200
        connection.close()
        assert api.requests[0].peer_certificate


@pytest.mark.parametrize("expires_s", [None, 60.0, 15.0, -3600.0], ids=["never", "in a minute", "soon", "long ago"])
def test_no_credential_makes_the_plugin_run_for_each_request(
    script: Callable[[str], Script], expires_s: float | None
) -> None:
    run = script(printed(expires_s))
    credentials = made(plugin(run))
    secrets = {credentials.current(Deadline(5)) for _ in range(5)}
    assert len(secrets) == 1
    assert run.count == 1


def test_a_refused_credential_is_renewed_once_for_all_who_had_it(script: Callable[[str], Script]) -> None:
    run = script(printed().replace(SECRET, f"{SECRET}-' + str(os.getpid()) + '"))
    credentials = made(plugin(run))
    old = credentials.current(Deadline(5))
    new = credentials.renewed(old, Deadline(5))
    assert new != old
    assert credentials.renewed(old, Deadline(5)) == new
    assert run.count == 2


def test_many_at_once_run_the_plugin_once(script: Callable[[str], Script]) -> None:
    run = script(f"time.sleep(0.1)\n{printed()}")
    credentials = made(plugin(run))
    got: list[Secret] = []
    threads = [threading.Thread(target=lambda: got.append(credentials.current(Deadline(5)))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert len(got) == 6
    assert run.count == 1


def test_the_plugin_gets_what_the_kubeconfig_says_and_no_input(script: Callable[[str], Script], tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    run = script(f"""
        info = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
        seen = [sys.argv[1:], os.environ["REGION"], sys.stdin.read(), info, os.getsid(0) == os.getpid()]
        open({str(seen)!r}, "w").write(json.dumps(seen))
        {printed()}
    """)
    given = plugin(run, args=["get-token"], env=[EnvVar("REGION", "eu")], provide_cluster_info=True)
    extension = Extension("client.authentication.k8s.io/exec", {"audience": "x"})
    whole = target(given, certificate_authority_data="Q0E=", extensions=[extension])
    with protocol_on_stdin():
        made(given, whole=whole).current(Deadline(5))
    arguments, region, stdin, info, own_session = json.loads(seen.read_text())
    assert (arguments, region, stdin, own_session) == (["get-token"], "eu", "", True)
    assert info["spec"] == {
        "interactive": False,
        "cluster": {
            "server": "https://hidden.test",
            "certificate-authority-data": "Q0E=",
            "config": {"audience": "x"},
        },
    }


def test_the_cluster_is_not_told_to_a_plugin_that_does_not_ask(script: Callable[[str], Script]) -> None:
    run = script(f"sys.exit('cluster' in os.environ['KUBERNETES_EXEC_INFO'])\n{printed()}")
    with pytest.raises(ClusterUnreachable, match="did not print a credential"):
        made(plugin(run)).current(Deadline(5))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param("sys.exit(3)", "failed (exit code 3)", id="fails"),
        pytest.param("print('hello')", "did not print a credential", id="prints rubbish"),
        pytest.param("", "did not print a credential", id="prints nothing"),
        pytest.param("print('[]')", "did not print a credential", id="prints another shape"),
        pytest.param(
            printed().replace("ExecCredential", "Secret"), "printed a credential of another version", id="another kind"
        ),
        pytest.param(printed().replace("/v1", "/v1beta1"), "printed a credential of another version", id="version"),
        pytest.param(printed(clientCertificateData="x"), "printed neither a token nor a certificate", id="half"),
        pytest.param(
            printed(token="t", expirationTimestamp="soon"), "did not print a credential", id="an end that is no time"
        ),
        pytest.param("os.write(1, b'x' * 3_000_000)", "printed far too much", id="prints without end"),
    ],
)
def test_a_plugin_that_fails_is_one_sentence(script: Callable[[str], Script], body: str, said: str) -> None:
    run = script(body)
    with pytest.raises(ClusterUnreachable) as error:
        made(plugin(run)).current(Deadline(5))
    message = str(error.value)
    assert message.startswith(f"the credential plugin plugin of context prod {said}")
    assert message.endswith("run a kubectl command with this context by hand, log in if it asks, then ask again")
    assert "\n" not in message
    assert run.count == 1


def test_what_a_plugin_complains_is_told_without_secrets_and_addresses(script: Callable[[str], Script]) -> None:
    run = script(f"""
        print({SECRET!r})
        sys.stderr.write("x" * 5000 + " refresh token: hunter2 at https://sso.test/x?code=1 10.1.2.3 ")
        sys.stderr.write("\\x1b[31m{SECRET}\\n")
        sys.stderr.write("Your SSO session has expired\\n")
        sys.exit(1)
    """)
    with pytest.raises(ClusterUnreachable) as error:
        made(plugin(run)).current(Deadline(5))
    message = str(error.value)
    assert "Your SSO session has expired" in message
    for hidden in (SECRET, "hunter2", "sso.test", "10.1.2.3", "\x1b", "xxxx"):
        assert hidden not in message
    assert len(message) < 450


def test_a_plugin_that_is_not_there_is_told_with_its_hint() -> None:
    given = Exec(command="kubegap-no-such-plugin", api_version=V1, install_hint="see the manual\n of the cloud")
    with pytest.raises(ClusterUnreachable) as error:
        made(given).current(Deadline(5))
    assert str(error.value) == (
        "the credential plugin kubegap-no-such-plugin of context prod was not found on PATH: install it "
        "(see the manual of the cloud)"
    )


def test_a_plugin_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    (tmp_path / "plugin").write_text("#!/no/such/interpreter\n")
    (tmp_path / "plugin").chmod(0o700)
    with pytest.raises(ClusterUnreachable, match="could not be started"):
        made(Exec(command=str(tmp_path / "plugin"), api_version=V1)).current(Deadline(5))


@pytest.mark.parametrize(
    ("mode", "version", "said"),
    [("Always", V1, "needs a terminal"), ("Never", "x/v1alpha1", "API version")],
)
def test_a_plugin_that_cannot_work_is_never_run(
    script: Callable[[str], Script], mode: str, version: str, said: str
) -> None:
    run = script(printed())
    with pytest.raises(ConfigError, match=said):
        made(Exec(command=str(run.path), api_version=version, interactive_mode=mode))
    assert run.count == 0


def hanging(tmp_path: Path) -> str:
    """A plugin that starts a child and never ends, both of which write their process ids."""
    return f"""
        child = os.fork()
        open({str(tmp_path / "pids")!r}, "a").write(f"{{os.getpid()}}\\n")
        time.sleep(60)
    """


def pids(tmp_path: Path, wanted: int = 2) -> list[int]:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        if (tmp_path / "pids").exists():
            found = (tmp_path / "pids").read_text().split()
            if len(found) == wanted:
                return [int(pid) for pid in found]
        time.sleep(0.01)
    raise AssertionError("the plugin did not start")


def gone(pid: int) -> bool:
    """Also true for one that nobody has waited for yet: the child's new parent may be slow."""
    until = time.monotonic() + 2
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            stat = Path(f"/proc/{pid}/stat")
            if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_a_plugin_that_hangs_ends_with_its_children(script: Callable[[str], Script], tmp_path: Path) -> None:
    run = script(hanging(tmp_path))
    before = time.monotonic()
    with pytest.raises(ClusterUnreachable, match=r"did not end within 0.4 s"):
        made(plugin(run), limit_s=0.4).current(Deadline(5))
    assert time.monotonic() - before < 2
    assert all(gone(pid) for pid in pids(tmp_path))


@pytest.mark.parametrize("end", ["the question is given up", "everything is closed"])
def test_a_plugin_ends_with_the_question(script: Callable[[str], Script], tmp_path: Path, end: str) -> None:
    run = script(hanging(tmp_path))
    deadline = Deadline(20)
    connection = Connection(target(plugin(run)), ())
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            connection.send(Request("/version"), deadline)
        except DeadlineError as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    running = pids(tmp_path)
    if end == "everything is closed":
        connection.close()
    else:
        deadline.abort()
    thread.join(3)
    connection.close()
    assert raised
    assert all(gone(pid) for pid in running)


def test_a_child_that_stays_behind_does_not_hold_up_the_answer(script: Callable[[str], Script], tmp_path: Path) -> None:
    run = script(f"""
        if os.fork() == 0:
            open({str(tmp_path / "pids")!r}, "w").write(str(os.getpid()))
            time.sleep(60)
        {printed()}
        sys.stdout.flush()
        os._exit(0)
    """)
    before = time.monotonic()
    assert SECRET in made(plugin(run)).current(Deadline(10)).header
    assert time.monotonic() - before < 3
    assert gone(pids(tmp_path, 1)[0])


def test_a_secret_is_not_in_its_own_description(script: Callable[[str], Script]) -> None:
    assert SECRET not in repr(made(plugin(script(printed()))).current(Deadline(5)))


@pytest.mark.parametrize(
    "said",
    [
        "password is hunter2",
        "the password: correcthorse",
        "Authorization: Bearer hunter2",
        "Authorization: Basic hunter2",
        "secret -> swordfish",
        "token for you: hunter2",
        "token='a b hunter2'",
        "login alice/hunter2 failed",
        "--pass hunter2",
        "client_id hunter2",
        "https://alice:hunter2@sso.test/",
    ],
)
def test_no_form_of_a_secret_is_in_a_complaint(said: str) -> None:
    shown = complaint(f"Your session has expired\n{said}\nAADSTS70043: log in again\n")
    assert shown.startswith("Your session has expired")
    assert shown.endswith("AADSTS70043: log in again")
    for hidden in ("hunter2", "correcthorse", "swordfish", "alice", "sso.test"):
        assert hidden not in shown


def test_the_usual_complaints_stay_readable() -> None:
    for said in (
        "Error: the token has expired, run the login command again.",
        "error: You must be logged in to the server (Unauthorized)",
        "The config profile (prod) could not be found",
    ):
        assert complaint(said) == said


@pytest.mark.parametrize(
    "ends", ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00"]
)
def test_a_credential_ends_at_whatever_date_a_plugin_writes(script: Callable[[str], Script], ends: str) -> None:
    assert made(plugin(script(printed(token="t", expirationTimestamp=ends)))).current(Deadline(5)).header == "Bearer t"


def test_a_credential_nested_without_end_is_none(script: Callable[[str], Script]) -> None:
    run = script("print('{\"apiVersion\": ' + '[' * 100000)")
    with pytest.raises(ClusterUnreachable, match="did not print a credential"):
        made(plugin(run)).current(Deadline(5))


def test_a_daemon_that_leaves_the_session_keeps_neither_a_thread_nor_a_pipe(
    script: Callable[[str], Script], tmp_path: Path
) -> None:
    held = tmp_path / "held"
    daemon = f"""
        sys.stdout.flush()
        if not os.fork():
            os.setsid()
            open({str(held)!r}, "w").write(str(os.getpid()))
            time.sleep(60)
        while not os.path.exists({str(held)!r}) or not os.path.getsize({str(held)!r}):
            time.sleep(0.01)
    """
    run = script(printed(token="t") + textwrap.dedent(daemon))
    threads, before = threading.active_count(), time.monotonic()
    try:
        assert made(plugin(run)).current(Deadline(5)).header == "Bearer t"
        assert time.monotonic() - before < 2
        assert threading.active_count() == threads
    finally:
        os.kill(int(held.read_text()), signal.SIGKILL)


def test_an_extension_that_is_no_json_is_told() -> None:
    itself: dict[str, Any] = {}
    itself["again"] = itself
    given = Exec(command=sys.executable, api_version=V1, provide_cluster_info=True)
    whole = target(given, extensions=[Extension("client.authentication.k8s.io/exec", itself)])
    with pytest.raises(ConfigError, match="extension that is not JSON"):
        made(given, whole=whole).current(Deadline(5))


def test_a_plugin_without_a_command_is_told() -> None:
    with pytest.raises(ConfigError, match="has no command"):
        made(Exec(command="", api_version=V1))
