"""What the log on stderr must not hold, however much of it is asked for."""

import json
from pathlib import Path
from typing import cast

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketListener, SocketStream
from stdio.wire import started

pytestmark = pytest.mark.stdio

ADDRESS = "127.0.0.1"


def kubeconfig(port: int) -> str:
    return json.dumps(
        {
            "current-context": "lab",
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "lab"}}],
            "clusters": [{"name": "lab", "cluster": {"server": f"http://{ADDRESS}:{port}"}}],
            "users": [{"name": "lab", "user": {"token": "not-for-the-log"}}],
        }
    )


async def refuse(stream: SocketStream) -> None:
    async with stream:
        await stream.receive()
        await stream.send(b"HTTP/1.1 500 no\r\nContent-Length: 8\r\nConnection: close\r\n\r\nanswered")


async def test_no_address_no_token_and_no_answer_of_a_cluster_is_logged(tmp_path: Path) -> None:
    with anyio.fail_after(20):
        async with await anyio.create_tcp_listener(local_host=ADDRESS) as listeners, anyio.create_task_group() as tasks:
            tasks.start_soon(listeners.serve, refuse)
            listener = cast("SocketListener", listeners.listeners[0])
            port = listener.extra_attributes[SocketAttribute.local_port]()
            (tmp_path / "config").write_text(kubeconfig(port), encoding="utf-8")
            serve = ["-m", "kubegap_mcp", "serve", "--kubeconfig", str(tmp_path / "config")]
            async with started(serve, tmp_path, KUBEGAP_LOG="DEBUG") as wire:
                await wire.shake_hands()
                await wire.ask("tools/call", {"name": "check_ib_health", "arguments": {}})
                await wire.hang_up()
                await wire.process.wait()
                _, said = await wire.rest()
            tasks.cancel_scope.cancel()
    assert "DEBUG" in said
    for kept in (ADDRESS, str(port), "not-for-the-log", "answered"):
        assert kept not in said
