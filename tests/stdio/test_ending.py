"""However a client ends the server, it ends at once and leaves no process and no file behind."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketListener
from server.names import NAMES
from stdio.wire import Wire, started

pytestmark = [
    pytest.mark.stdio,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and fork are POSIX"),
]

FAKE = str(Path(__file__).with_name("fake_server.py"))
SERVE = ["-m", "kubegap_mcp", "serve"]
# Claude Code 2.1.332, Codex 0.171.0.
ENDS = [
    "eof",
    "SIGTERM",
    "SIGINT",
    "SIGHUP",
    "SIGINT then SIGTERM",
    "SIGINT then 0.1 s then SIGTERM",
    "SIGTERM then eof",
]


@contextmanager
def handled(number: int, how: Any) -> Iterator[None]:
    """Children inherit what is ignored."""
    before = signal.signal(number, how)
    try:
        yield
    finally:
        signal.signal(number, before)


@pytest.fixture(autouse=True)
def no_nohup() -> Iterator[None]:
    """Tests that nohup or a script's & has started are no different, though these have signals ignored."""
    with handled(signal.SIGHUP, signal.SIG_DFL), handled(signal.SIGINT, signal.default_int_handler):
        yield


async def end(wire: Wire, how: str) -> None:
    for step in how.split(" then "):
        if step == "eof":
            await wire.hang_up()
        elif step.endswith(" s"):
            await anyio.sleep(float(step.removesuffix(" s")))
        else:
            with suppress(ProcessLookupError):  # it ended at the first one
                wire.process.send_signal(signal.Signals[step])


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("how", ENDS)
async def test_an_idle_server_ends_at_once(tmp_path: Path, how: str) -> None:
    with anyio.fail_after(20):
        async with started([FAKE, str(tmp_path), "none"], tmp_path) as wire:
            await wire.shake_hands()
            await wire.ask("tools/list")
            with anyio.fail_after(0.5):
                await end(wire, how)
                assert await wire.process.wait() == 0
            assert await wire.rest() == ("", "")


@pytest.mark.parametrize(
    ("fault", "how"),
    [
        *(("deaf", how) for how in ENDS),
        ("stuck", "eof"),
        ("stuck", "SIGTERM"),
        ("none", "eof"),
        ("none", "SIGTERM"),
    ],
)
async def test_a_server_ends_during_and_after_a_call_and_cleans_up(tmp_path: Path, how: str, fault: str) -> None:
    with anyio.fail_after(20):
        async with started([FAKE, str(tmp_path), fault], tmp_path) as wire:
            await wire.shake_hands()
            await wire.send("tools/call", {"name": "list_contexts", "arguments": {}}, 1)
            child = int(await wire.says("child "))
            if fault == "none":
                await wire.receive()
            assert left(tmp_path) == ["client.key"]
            assert lives(child)
            with anyio.fail_after(1):
                await end(wire, how)
                assert await wire.process.wait() == 0
            assert not lives(child)
            assert left(tmp_path) == []
            _, said = await wire.rest()
            assert said == "closed\n"


async def test_a_close_that_hangs_holds_nobody_up(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with started([FAKE, str(tmp_path), "stubborn"], tmp_path) as wire:
            await wire.shake_hands()
            await wire.ask("tools/call", {"name": "list_contexts", "arguments": {}})
            with anyio.fail_after(1):
                await end(wire, "SIGTERM")
                assert await wire.process.wait() == 0


async def test_stray_output_stays_off_the_wire(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with started([FAKE, str(tmp_path), "noisy"], tmp_path) as wire:
            await wire.shake_hands()
            answer = await wire.ask("tools/call", {"name": "list_contexts", "arguments": {}}, 7)
            assert answer["id"] == 7
            await wire.hang_up()
            await wire.process.wait()
            rest, said = await wire.rest()
            assert rest == ""
            assert "hello from a library" in said
            assert "hello from a child" in said


async def test_a_client_that_cancels_is_served_on(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with started([FAKE, str(tmp_path), "deaf"], tmp_path) as wire:
            await wire.shake_hands()
            await wire.send("tools/call", {"name": "list_contexts", "arguments": {}}, 1)
            await wire.says("child ")
            await wire.send("notifications/cancelled", {"requestId": 1})
            listed = await wire.ask("tools/list", number=2)
            while listed["id"] != 2:
                listed = await wire.receive()
            assert [tool["name"] for tool in listed["result"]["tools"]] == NAMES
            await wire.hang_up()
            assert await wire.process.wait() == 0


async def test_a_wrong_log_level_is_told_on_stderr_and_ignored(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with started([FAKE, str(tmp_path), "none"], tmp_path, KUBEGAP_LOG="loud") as wire:
            assert "KUBEGAP_LOG must be one of DEBUG" in json.loads("{" + await wire.says("{"))["message"]
            await wire.shake_hands()
            assert (await wire.ask("tools/list"))["result"]["tools"]


# It holds its connection open for as long as it lives.
PLUGIN = """
import socket, sys, time
told = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
time.sleep(60)
"""


def kubeconfig_with_plugin(port: int) -> str:
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "interactiveMode": "Never",
        "command": sys.executable,
        "args": ["-c", PLUGIN, str(port)],
    }
    return json.dumps(
        {
            "current-context": "lab",
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "lab"}}],
            "clusters": [{"name": "lab", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
            "users": [{"name": "lab", "user": {"exec": plugin}}],
        }
    )


@pytest.mark.parametrize("how", ["eof", "SIGTERM"])
async def test_a_credential_plugin_that_hangs_ends_with_the_program(tmp_path: Path, how: str) -> None:
    kubeconfig = tmp_path / "config"
    with anyio.fail_after(20):
        async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listeners:
            listener = cast("SocketListener", listeners.listeners[0])
            port = listener.extra_attributes[SocketAttribute.local_port]()
            kubeconfig.write_text(kubeconfig_with_plugin(port), encoding="utf-8")
            async with started([*SERVE, "--kubeconfig", str(kubeconfig)], tmp_path) as wire:
                await wire.shake_hands()
                await wire.send("tools/call", {"name": "audit_cluster", "arguments": {}}, 1)
                async with await listener.accept() as plugin:
                    with anyio.fail_after(1):
                        await end(wire, how)
                        assert await wire.process.wait() == 0
                        with pytest.raises(anyio.EndOfStream):
                            await plugin.receive()
                assert left(tmp_path) == ["config"]


@pytest.mark.parametrize(
    ("how", "ignored"), [("SIGINT", None), ("SIGTERM", None), ("SIGHUP", None), ("SIGTERM", "SIGINT")]
)
async def test_a_command_that_is_ended_takes_its_credential_plugin_with_it(
    tmp_path: Path, how: str, ignored: str | None
) -> None:
    kubeconfig = tmp_path / "config"
    with anyio.fail_after(20), handled(signal.Signals[ignored], signal.SIG_IGN) if ignored else nullcontext():
        async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listeners:
            listener = cast("SocketListener", listeners.listeners[0])
            kubeconfig.write_text(
                kubeconfig_with_plugin(listener.extra_attributes[SocketAttribute.local_port]()), encoding="utf-8"
            )
            audit = ["-m", "kubegap_mcp", "audit", "--kubeconfig", str(kubeconfig)]
            async with started(audit, tmp_path) as wire, await listener.accept() as plugin:
                with anyio.fail_after(8):  # the plugin's own time is 10 s
                    await end(wire, how)
                    assert await wire.process.wait() == 130
                    with pytest.raises(anyio.EndOfStream):
                        await plugin.receive()
            assert left(tmp_path) == ["config"]
