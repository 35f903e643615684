"""A read is made once for all who wait, and lives exactly as long as one of them does."""

import threading
import time

import anyio
import pytest
from anyio import to_thread

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError, KubegapError
from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.flights import Flights, together


class Read:
    """A read that goes on until it is told to end, or until its deadline is over."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.go_on = threading.Event()
        self.ended_early = threading.Event()
        self.count = 0

    def __call__(self, deadline: Deadline) -> int:
        self.count += 1
        self.started.set()
        try:
            while not self.go_on.is_set():
                deadline.wait(0.01)
        except DeadlineError:
            self.ended_early.set()
            raise
        return self.count


def flights(keep_s: float = 60.0, at_once: int = 4) -> Flights:
    return Flights(lambda _: keep_s, anyio.CapacityLimiter(at_once))


def later(seconds: float = 10.0) -> float:
    return time.monotonic() + seconds


async def test_a_read_ends_when_the_last_who_waits_leaves() -> None:
    shared, read = flights(), Read()
    with anyio.move_on_after(0.1):
        await shared.get("key", read, until=later())
    assert await to_thread.run_sync(read.ended_early.wait, 3.0)
    assert shared.idle
    read.go_on.set()
    assert (await shared.get("key", read, until=later())).value == 2


async def test_a_read_has_as_much_time_as_the_most_patient_who_waits() -> None:
    shared, read = flights(), Read()
    values: list[int] = []

    async def patient() -> None:
        values.append((await shared.get("key", read, until=later())).value)

    async with anyio.create_task_group() as group:
        with anyio.move_on_after(0.1):
            group.start_soon(patient)
            await shared.get("key", read, until=later(0.1))
        assert not read.ended_early.is_set()
        read.go_on.set()
    assert values == [1]


async def test_an_exception_reaches_everyone_and_is_not_kept() -> None:
    shared = flights()
    failures: list[str] = []

    def fail(deadline: Deadline) -> int:
        deadline.wait(0.05)
        raise ConfigError(Text.same("no"))

    async def one() -> None:
        try:
            await shared.get("key", fail, until=later())
        except ConfigError as error:
            failures.append(str(error))

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(one)
    assert failures == ["no"] * 3
    assert (await shared.get("key", lambda _: 7, until=later())).value == 7


async def test_aborting_ends_every_read() -> None:
    shared, read = flights(), Read()

    async def stop() -> None:
        await to_thread.run_sync(read.started.wait, 3.0)
        shared.abort()

    async with anyio.create_task_group() as group:
        group.start_soon(stop)
        with pytest.raises(DeadlineError):
            await shared.get("key", read, until=later())
    assert read.ended_early.is_set()


async def test_the_first_failure_of_many_is_raised_as_it_is() -> None:
    ended: list[str] = []

    async def work(item: str) -> str:
        if item == "bad":
            raise ConfigError(Text.same("bad"))
        try:
            await anyio.sleep(10)
        finally:
            ended.append(item)
        return item

    with anyio.fail_after(2), pytest.raises(KubegapError, match="bad"):
        await together(["a", "b", "bad"], work)
    assert sorted(ended) == ["a", "b"]
