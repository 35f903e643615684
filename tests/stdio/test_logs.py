"""The log on stderr: a JSON object a line, and what it must not hold, however much of it is asked for."""

import json
import logging
from pathlib import Path
from typing import cast

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketListener, SocketStream
from stdio.wire import started

from kubegap_mcp.server import logs

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
    assert "DEBUG" in {json.loads(line)["level"] for line in said.splitlines()}
    for kept in (ADDRESS, str(port), "not-for-the-log", "answered"):
        assert kept not in said


async def test_what_a_library_logs_or_warns_of_is_one_json_object_a_line(tmp_path: Path) -> None:
    fake = str(Path(__file__).with_name("fake_server.py"))
    with anyio.fail_after(20):
        async with started([fake, str(tmp_path), "noisy"], tmp_path) as wire:
            await wire.shake_hands()
            await wire.ask("tools/call", {"name": "list_contexts", "arguments": {}})
            await wire.hang_up()
            await wire.process.wait()
            _, said = await wire.rest()
    assert "\x1b" not in said
    told = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert [set(one) for one in told] == [{"time", "level", "logger", "message"}] * 2
    assert "a warning of a library" in told[0]["message"]
    assert (told[0]["level"], told[0]["logger"]) == ("WARNING", "py.warnings")
    assert (told[1]["logger"], told[1]["message"]) == ("a.library", "two lines\nof a \x1b[31mlibrary")


async def test_a_failure_that_nobody_foresaw_is_logged_without_its_text(tmp_path: Path) -> None:
    fake = str(Path(__file__).with_name("fake_server.py"))
    with anyio.fail_after(20):
        async with started([fake, str(tmp_path), "broken"], tmp_path, KUBEGAP_LOG="DEBUG") as wire:
            await wire.shake_hands()
            answer = await wire.ask("tools/call", {"name": "list_contexts", "arguments": {}})
            await wire.hang_up()
            await wire.process.wait()
            _, said = await wire.rest()
    assert answer["result"]["isError"]
    for kept in ("swordfish", "10.1.2.3"):
        assert kept not in said + json.dumps(answer)
    told = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    (way,) = [one["exception"] for one in told if "exception" in one]
    assert 'fake_server.py", line ' in way
    ends = [line for line in way.splitlines() if not line.startswith(" ")]
    assert ends[:3] == ["OSError", "ExceptionGroup", "ValueError"]


def test_what_a_message_repeats_of_credentials_and_addresses_is_hidden() -> None:
    said = "Task failed: OSError('GET https://10.1.2.3:6443/api?token=abc: password=swordfish, Bearer abcdefgh1234')"
    record = logging.LogRecord("asyncio", logging.ERROR, __file__, 1, said, (), None)

    told = json.loads(logs.JsonLine().format(record))["message"]

    assert told.startswith("Task failed: OSError('GET https://#")
    for kept in ("10.1.2.3", "swordfish", "abcdefgh1234", "token=abc"):
        assert kept not in told
