"""What may be asked of a metrics source: GET of a few paths of its API, below one address; everything else raises."""

import re
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import parse_qsl

from kubegap_mcp.transport.gated_pool import Call, GateError, Origin, Server

_TIMES: Final = frozenset({"start", "end"})
_PATHS: Final[Mapping[str, frozenset[str]]] = {
    "/api/v1/query": frozenset({"query", "time", "timeout"}),
    "/api/v1/query_range": frozenset({"query", "step", "timeout"}) | _TIMES,
    "/api/v1/labels": frozenset({"match[]"}) | _TIMES,
    "/api/v1/series": frozenset({"match[]"}) | _TIMES,
    "/api/v1/metadata": frozenset({"metric", "limit"}),
    "/api/v1/rules": frozenset({"type"}),
    "/api/v1/targets": frozenset({"state"}),
}
_LABEL_VALUES: Final = re.compile(r"/api/v1/label/[a-zA-Z_][a-zA-Z0-9_]{0,99}/values")
# Proxies refuse longer request lines than 8 to 16 KB, each in its own words.
MOST_QUERY: Final = 8000
_MOST_PARAMETERS: Final = 10
_HEADERS: Final = frozenset({"accept", "accept-encoding", "authorization", "user-agent"})


def check_read(path: str, query: str) -> None:
    """GateError unless it is a read of the API; `path` begins with /api/v1/, `query` is as it goes out."""
    allowed = _PATHS["/api/v1/labels"] if _LABEL_VALUES.fullmatch(path) else _PATHS.get(path)
    if allowed is None:
        raise GateError("not a read of a metrics source")
    if not query:
        return
    if len(query) > MOST_QUERY or ";" in query:
        raise GateError("not a query of a metrics source")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError as error:
        raise GateError("not a query of a metrics source") from error
    if any(name not in allowed for name, _ in pairs):
        raise GateError("not a parameter of a metrics source")


class MetricsGate:
    """The reads that are allowed at one address; `headers` are the names of those that were chosen to go along."""

    def __init__(self, url: str, headers: Collection[str] = (), *, proxy: Origin | None = None) -> None:
        self._server = Server(url, proxy)
        self._headers = _HEADERS | {name.lower() for name in headers}

    def check(self, call: Call) -> str:
        """The path and query of a call that may go out; raises GateError for any other, before a socket is open."""
        path, query = self._server.split(call)
        for name, value in call.headers.items():
            if name.lower() not in self._headers and not self._server.names_itself(call, name, value):
                raise GateError(f"not a header that kubegap sends: {name[:40]!r}")
        if call.method != "GET" or call.body is not None:
            raise GateError(f"not a read: {call.method[:20]!r}")
        check_read(path, query)
        return f"{path}?{query}" if query else path
