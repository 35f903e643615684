"""The way to a metrics source's API, whichever it is: its own address, or a service behind the API server."""

from dataclasses import dataclass
from typing import Final, Protocol

from kubegap_checks.text import Text
from kubegap_mcp.transport.deadline import Deadline
from kubegap_mcp.transport.exchange import Answer, Bounds

# Of one request. Prometheus itself gives up after two minutes (--query.timeout); what takes longer than this is asked
# for too often by others to be asked for here.
BOUNDS: Final = Bounds(seconds=15.0, size=64 * 1024 * 1024)


@dataclass(frozen=True, slots=True)
class Request:
    """A GET of the API: `path` begins with /api/v1/."""

    path: str
    query: tuple[tuple[str, str], ...] = ()


class Endpoint(Protocol):
    """Blocking and thread-safe."""

    def grant(self, status: int) -> Text:
        """What would let it answer, where it refuses with 401 or 403."""
        ...

    def send(self, request: Request, deadline: Deadline) -> Answer:
        """Raises NoAnswerError, DeadlineError, or UnreadError where it cannot even be asked."""
        ...

    def close(self) -> None:
        """A request that comes later raises DeadlineError."""
        ...
