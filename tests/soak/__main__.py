"""Random faults and parallel calls, and what they leave behind: `python -m tests.soak [SECONDS [SEED]]`.

The cluster is a process of its own, so that threads, sockets and memory here are kubegap's alone. Exits 1 where a call
was late or broke, where the last one was not whole, or where a thread, task, socket, child, file or memory is left.
"""

import asyncio
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

import anyio

from kubegap_mcp.app import Kubegap
from kubegap_mcp.cluster import Ask
from kubegap_mcp.errors import KubegapError
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.settings import Settings

TEN_MINUTES = 600.0
CALLERS, DEADLINE_S, CACHE_S = 6, 1.0, 0.3
# What a busy machine may add to a deadline, with six callers on its cores.
SLACK_S = 8.0
SETTLING_S = 12.0  # a page's own limit, and a moment
MEMORY_MB = 25.0

PLUGIN = """#!/bin/sh
case $(($$ % 12)) in 0) sleep 30 ;; 1) echo "no password here" >&2; exit 1 ;; esac
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$(cat TOKEN)"
"""
QUESTIONS: tuple[Callable[[Kubegap, bool], Awaitable[object]], ...] = (
    lambda app, refresh: app.audit(refresh=refresh),
    lambda app, refresh: app.check_topic("gpu_health", refresh=refresh),
    lambda app, refresh: app.check_topic("storage_tiering", refresh=refresh, namespace="train"),
    lambda app, refresh: app.list_gpu_nodes(refresh=refresh),
    lambda app, refresh: app.explain_gap("gpu_health.gpu_missing", refresh=refresh),
    lambda app, _: app.list_contexts(),
)


@dataclass(slots=True)
class Tally:
    calls: Counter[str] = field(default_factory=Counter[str])
    longest_s: float = 0.0
    memory_mb: list[float] = field(default_factory=list[float])
    wrong: list[str] = field(default_factory=list[str])


def main() -> int:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else TEN_MINUTES
    seed = sys.argv[2] if len(sys.argv) > 2 else str(os.getpid())
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "private").mkdir()
        tempfile.tempdir = str(home / "private")
        threads, files = set(threading.enumerate()), open_files()
        soak(home, seconds, seed, tally)
        tally.wrong += left_behind(home, threads, files)
    report(seconds, seed, tally)
    return 1 if tally.wrong else 0


def soak(home: Path, seconds: float, seed: str, tally: Tally) -> None:
    (home / "token").write_text("token-0", encoding="utf-8")
    command = [sys.executable, "-m", "tests.soak.cluster", str(home / "token"), seed]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as cluster:
        if cluster.stdout is None or cluster.stdin is None:
            raise AssertionError("the pipes were asked for")
        kubeconfig = written(home, cluster.stdout.readline().strip())

        def be_well() -> None:
            print(file=cluster.stdin, flush=True)
            cluster.stdout.readline()  # type: ignore[union-attr]

        app = Kubegap(Settings(kubeconfig=kubeconfig, deadline_s=DEADLINE_S, cache_s=CACHE_S, trace=home / "trace"))
        try:
            anyio.run(call, app, seconds, seed, tally, be_well)
        finally:
            app.close()
            cluster.stdin.close()
            cluster.wait(30)


def written(home: Path, server: str) -> Path:
    plugin = home / "plugin"
    plugin.write_text(PLUGIN.replace("TOKEN", str(home / "token")), encoding="utf-8")
    plugin.chmod(0o700)
    run = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}
    content = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "c", "user": {"exec": run}}],
    }
    (home / "kubeconfig").write_text(json.dumps(content), encoding="utf-8")
    return home / "kubeconfig"


async def call(app: Kubegap, seconds: float, seed: str, tally: Tally, be_well: Callable[[], None]) -> None:
    until = monotonic() + seconds
    async with anyio.create_task_group() as group:
        for number in range(CALLERS):
            group.start_soon(caller, app, until, random.Random(f"{seed} {number}"), tally)  # noqa: S311 (repeatable)
        group.start_soon(weigh, until, tally)
    be_well()
    await last_call(app, tally)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    tally.wrong += [f"a task is left: {task}" for task in left]


async def caller(app: Kubegap, until: float, chance: random.Random, tally: Tally) -> None:
    while monotonic() < until:
        question, refresh = chance.choice(QUESTIONS), chance.random() < 0.5
        patience = chance.choice((60.0, 60.0, 0.3, 0.02))  # some clients give up
        started = monotonic()
        outcome = "given up"
        try:
            with anyio.move_on_after(patience):
                await question(app, refresh)
                outcome = "answered"
        except KubegapError as error:
            outcome = type(error).__name__
        except Exception as error:  # noqa: BLE001 (whatever it is, it is told)
            outcome = "broken"
            tally.wrong.append(f"a call broke: {error!r}")
        took = monotonic() - started
        tally.calls[outcome] += 1
        tally.longest_s = max(tally.longest_s, took)
        if took > DEADLINE_S + SLACK_S:
            tally.wrong.append(f"a call took {took:.1f} s")


async def weigh(until: float, tally: Tally) -> None:
    pause = max(0.5, (until - monotonic()) / 60)
    while monotonic() < until:
        await anyio.sleep(pause)
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])  # noqa: ASYNC240
        tally.memory_mb.append(pages * os.sysconf("SC_PAGE_SIZE") / 2**20)


async def last_call(app: Kubegap, tally: Tally) -> None:
    """The cluster is well again: everything is read, through the same connection; the plugin may still fail."""
    for _ in range(5):
        try:
            reading = await app.reader.read(Ask(kinds=frozenset(records()), deadline_s=40, refresh=True))
        except KubegapError as error:
            told = str(error)
            continue
        unread = [str(hole) for record in records() for hole in reading.facts.unread(record)]
        tally.wrong += [f"the last call did not see {hole}" for hole in unread]
        return
    tally.wrong.append(f"the last call failed: {told}")


def left_behind(home: Path, threads: set[threading.Thread], files: Counter[str]) -> list[str]:
    """What is still there once all that may take a moment has ended."""
    until = monotonic() + SETTLING_S
    while (set(threading.enumerate()) - threads or open_files() - files or children()) and monotonic() < until:
        sleep(0.1)
    wrong = [f"a thread is left: {thread.name}" for thread in set(threading.enumerate()) - threads]
    wrong += [f"a file or socket is left: {name}" for name in open_files() - files]
    wrong += [f"a child is left: {child}" for child in children()]
    return wrong + [f"a file is left: {path.name}" for path in (home / "private").iterdir()]


def open_files() -> Counter[str]:
    found: Counter[str] = Counter()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            name = str(entry.readlink())
        except OSError:
            continue  # the one that lists them
        found[name.partition(":")[0] if name.startswith(("socket:", "pipe:")) else name] += 1
    return found


def children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()


def report(seconds: float, seed: str, tally: Tally) -> None:
    third = max(1, len(tally.memory_mb) // 3)
    early, late = max(tally.memory_mb[third : 2 * third], default=0.0), max(tally.memory_mb[-third:], default=0.0)
    if late - early > MEMORY_MB:
        tally.wrong.append(f"memory grew from {early:.0f} to {late:.0f} MB")
    lines = [
        f"{seconds:.0f} s, seed {seed}: {dict(tally.calls)}, the longest {tally.longest_s:.1f} s,",
        f"memory at most {early:.0f} MB in the second third and {late:.0f} MB in the last; {len(tally.wrong)} faults",
        *(f"  {times} times: {line}" for line, times in Counter(tally.wrong).most_common(20)),
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
