"""Secrets planted in a cluster, a kubeconfig and the environment: in no answer, log, trace, snapshot or error."""

import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from fake_apiserver import FakeApiServer, Fault, redirect, status
from stdio.wire import Wire, environment, started

from kubegap_checks import catalog
from kubegap_mcp.cli import main
from kubegap_mcp.kube.gather.registry import records
from tests.secrets.planted import CANARY, canary, objects

pytestmark = [
    pytest.mark.stdio,
    pytest.mark.skipif(sys.platform == "win32", reason="the credential plugin is a shell script"),
]

Json = dict[str, Any]
INSTALLED = [f"{record.KIND.resource}/{record.KIND.versions[0]}" for record in records() if record.KIND.group]
# However a canary is told: as it is, in base64 at any place of three, in hexadecimal, backwards.
_FORMS = [CANARY, CANARY.encode().hex(), CANARY[::-1]]
_FORMS += [base64.b64encode(b"x" * place + CANARY.encode())[4:-4].decode() for place in range(3)]
SEEN = re.compile("|".join(map(re.escape, _FORMS)), re.IGNORECASE)


def assert_none(where: str, text: str) -> None:
    found = SEEN.search(text)
    assert found is None, f"{where}: ...{text[max(0, found.start() - 150) : found.end() + 60]}..."


@pytest.fixture(scope="module")
def cluster() -> list[Json]:
    return list(objects())


@pytest.fixture
def api(cluster: list[Json]) -> Iterator[FakeApiServer]:
    with FakeApiServer(cluster, installed=INSTALLED) as api:
        yield api


def plugin(folder: Path, body: str) -> Json:
    script = folder / "plugin"
    script.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    script.chmod(0o700)
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": str(script),
            "args": ["--client-secret", canary()],
            "env": [{"name": "CLIENT_SECRET", "value": canary()}],
            "interactiveMode": "Never",
        }
    }


def gives_token(folder: Path) -> Json:
    credential = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential"}
    given = json.dumps(credential | {"status": {"token": canary()}})
    return plugin(folder, f"echo 'refreshing with secret {canary()}' >&2\necho '{given}'")


def surroundings() -> dict[str, str]:
    """Secrets in the variables of the process itself, and the most talkative log."""
    return {
        "KUBEGAP_LOG": "DEBUG",
        "AWS_SECRET_ACCESS_KEY": canary(),
        "HF_TOKEN": canary(),
        "ANTHROPIC_API_KEY": canary(),
    }


async def asked(wire: Wire, name: str, **given: Any) -> str:
    await wire.send("tools/call", {"name": name, "arguments": given}, 1)
    while (message := await wire.receive()).get("id") != 1:
        pass
    return json.dumps(message, ensure_ascii=False)


async def everything(wire: Wire) -> str:
    """Every tool in both languages, every check explained, and every page that a client may read."""
    await wire.shake_hands()
    tools = (await wire.ask("tools/list"))["result"]["tools"]
    plain = [tool["name"] for tool in tools if "id" not in tool["inputSchema"].get("required", ())]
    told = [await asked(wire, name, lang=lang) for lang in ("en", "ko") for name in plain]
    told += [await asked(wire, "explain_gap", id=check.id, limit=100) for check in catalog.load()]
    told += [await asked(wire, "list_gpu_nodes", limit=100), await asked(wire, "explain_gap", id=canary()[:3])]
    for page in ("requests", "rbac"):
        told.append(json.dumps(await wire.ask("resources/read", {"uri": f"kubegap://{page}"})))
    return "\n".join(told)


async def test_no_secret_of_a_cluster_or_a_kubeconfig_is_told_by_the_server(api: FakeApiServer, tmp_path: Path) -> None:
    path = api.kubeconfig(tmp_path, user=gives_token(tmp_path))
    serve = ["-m", "kubegap_mcp", "serve", "--kubeconfig", str(path), "--trace", str(tmp_path / "trace")]
    with anyio.fail_after(100):
        async with started(serve, tmp_path, **surroundings()) as wire:
            answers = await everything(wire)
            await wire.hang_up()
            await wire.process.wait()
            out, log = await wire.rest()
    assert '"status": "gap"' in answers
    assert "DEBUG" in log
    assert {seen.headers.get("authorization", "")[:7] for seen in api.requests} == {"Bearer "}
    assert_none("an answer", answers)
    assert_none("the log", log + out)
    assert_none("the trace", (tmp_path / "trace").read_text(encoding="utf-8"))
    for hidden in (api.address, "storage.internal", "meta.internal", "nfs.internal", "webhook.internal"):
        assert hidden not in answers + log, hidden


def command(folder: Path, *words: str, **more: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "kubegap_mcp", *words],
        env=environment(folder) | surroundings() | more,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_no_secret_is_told_by_a_command_or_kept_in_a_snapshot(api: FakeApiServer, tmp_path: Path) -> None:
    source = ["--kubeconfig", str(api.kubeconfig(tmp_path, user=gives_token(tmp_path)))]
    for words in (["audit", "--format", "json", "--show-names"], ["nodes"], ["doctor"]):
        code, said = command(tmp_path, *words, *source)
        assert code == 0, said
        assert_none(words[0], said)
    code, said = command(tmp_path, "snapshot", *source, "-o", str(tmp_path / "snapshot"))
    assert code == 0, said
    files = [path for path in (tmp_path / "snapshot").rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        assert_none(path.name, path.read_text(encoding="utf-8"))
    code, said = command(tmp_path, "audit", "--snapshot", str(tmp_path / "snapshot"), "--show-names")
    assert code == 0, said
    assert_none("the audit of a snapshot", said)


def encoded() -> str:
    return base64.b64encode(canary().encode()).decode()


def token_file(folder: Path) -> Json:
    (folder / "token").write_text(canary(), encoding="utf-8")
    return {"tokenFile": str(folder / "token")}


def key_plugin(folder: Path) -> Json:
    pair = json.dumps({"status": {"clientCertificateData": canary(), "clientKeyData": canary()}})
    return plugin(folder, f"echo '{pair}'")


# A user, and what is different about its cluster; each of them fails in its own way.
USERS: dict[str, Callable[[Path], tuple[Json, Json]]] = {
    "a token": lambda _: ({"token": canary()}, {}),
    "a password": lambda _: ({"username": canary(), "password": canary()}, {}),
    "a token file": lambda folder: (token_file(folder), {}),
    "a key that is none": lambda _: (
        {"client-certificate-data": encoded(), "client-key-data": encoded()},
        {"server": "https://127.0.0.1:1"},
    ),
    "a server with a password": lambda _: ({}, {"server": f"https://{canary()}:{canary()}@127.0.0.1:1/{canary()}"}),
    "a server with a token": lambda _: ({}, {"server": f"http://127.0.0.1:1/?token={canary()}"}),
    "a server whose path is one": lambda _: ({}, {"server": f"http://127.0.0.1:1/{canary()}"}),
    "a proxy with a password": lambda _: ({}, {"proxy-url": f"http://{canary()}:{canary()}@127.0.0.1:1"}),
    "a proxy that is none": lambda _: ({}, {"proxy-url": f"http://{canary()}:{canary()}@[/"}),
    "an authority that is none": lambda _: (
        {},
        {"server": "https://127.0.0.1:1", "certificate-authority-data": encoded()},
    ),
    "an auth-provider": lambda _: (
        {"auth-provider": {"name": "oidc", "config": {"client-secret": canary(), "id-token": canary()}}},
        {},
    ),
    "a plugin that fails": lambda folder: (plugin(folder, f"echo 'login: password {canary()}' >&2; exit 1"), {}),
    "a plugin that talks": lambda folder: (plugin(folder, f"echo 'token: {canary()}'"), {}),
    "a plugin whose token is refused": lambda folder: (gives_token(folder), {}),
    "a plugin that gives keys": lambda folder: (key_plugin(folder), {"server": "https://127.0.0.1:1"}),
}
ANSWERS = {
    "refused": lambda: status(401, "Unauthorized", canary()),
    "forbidden": lambda: status(403, "Forbidden", f"User {canary()} with token {canary()} cannot list"),
    "broken": lambda: status(500, "InternalError", f"dial https://user:{canary()}@etcd: {canary()}"),
    "elsewhere": lambda: redirect(f"https://login.internal/?token={canary()}"),
    "not an API": lambda: Fault(status=200, body=f"<html>{canary()}</html>".encode(), headers={"X-Token": canary()}),
}


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[[Path], str]:
    """What an audit says of a cluster that cannot be asked, in both languages, the trace with it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    trace = tmp_path / "trace"

    def audit(kubeconfig: Path) -> str:
        for lang in ("en", "ko"):
            words = ["audit", "--kubeconfig", str(kubeconfig), "--trace", str(trace), "--lang", lang, "--deadline", "5"]
            assert main(words) in {2, 3}
        shown = capsys.readouterr()
        return shown.out + shown.err + trace.read_text(encoding="utf-8")

    return audit


@pytest.mark.parametrize("name", ANSWERS)
def test_no_error_tells_what_a_server_answered(
    name: str, api: FakeApiServer, said: Callable[[Path], str], tmp_path: Path
) -> None:
    api.faults = {"*": [ANSWERS[name]()]}
    assert_none(name, said(api.kubeconfig(tmp_path, user={"token": canary()})))


@pytest.mark.parametrize("name", USERS)
def test_no_error_tells_what_a_kubeconfig_holds(name: str, said: Callable[[Path], str], tmp_path: Path) -> None:
    user, cluster = USERS[name](tmp_path)
    with FakeApiServer(tokens=()) as api:
        told = said(api.kubeconfig(tmp_path, user=user, cluster=cluster))
        assert told.strip()
        assert_none(name, told)
        assert "127.0.0.1" not in told
