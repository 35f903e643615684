"""Progress from a synchronous callback to the client, in order, without holding the work up."""

import math
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from kubegap_mcp.errors import KubegapError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.mcpserver import Context

    from kubegap_mcp.cluster import Progress

T = TypeVar("T")


async def reporting(ctx: "Context[Any, Any]", work: "Callable[[Progress], Awaitable[T]]") -> T:
    """What the work returns; each (done, total) that it reports is sent on, in the event loop that it runs in."""
    send, receive = anyio.create_memory_object_stream[tuple[int, int]](math.inf)

    async def relay() -> None:
        async with receive:
            async for done, total in receive:
                await ctx.report_progress(done, total)

    def report(done: int, total: int) -> None:
        send.send_nowait((done, total))

    # The failure is carried out of the task group by hand: the group would wrap it.
    outcomes: list[T | KubegapError] = []
    async with anyio.create_task_group() as group, send:
        group.start_soon(relay)
        try:
            outcomes.append(await work(report))
        except KubegapError as error:
            outcomes.append(error)
    (outcome,) = outcomes
    if isinstance(outcome, KubegapError):
        raise outcome
    return outcome
