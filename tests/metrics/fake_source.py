"""A metrics source on loopback that answers as it is told to; anything but a read of the API fails the test."""

import json
import re
from collections.abc import Mapping
from typing import Any

from fake_apiserver import FakeApiServer, Fault, Seen, _Answer

Json = dict[str, Any]

AT_S = 1_780_000_000
QUERY = "/api/v1/query"
NAMES = "/api/v1/label/__name__/values"
_READS = re.compile(r"/api/v1/(?:query|query_range|labels|series|metadata|rules|targets|label/[A-Za-z_]\w*/values)")


def vector(*values: str, **labels: str) -> Json:
    """The data of an instant query: one series a value."""
    result = [{"metric": {"node": f"gpu-{i}", **labels}, "value": [AT_S, value]} for i, value in enumerate(values)]
    return {"resultType": "vector", "result": result}


def success(data: object, **more: object) -> bytes:
    return json.dumps({"status": "success", "data": data, **more}).encode()


def error(status: int, kind: str, text: str, **more: Any) -> Fault:
    return Fault(status=status, body=json.dumps({"status": "error", "errorType": kind, "error": text}).encode(), **more)


class FakeSource(FakeApiServer):
    """Faults as for an API server; `answers` by path, the others are an empty success."""

    def __init__(self, answers: Mapping[str, bytes] | None = None, **more: Any) -> None:
        super().__init__(**more)
        self.answers = {QUERY: success(vector("1")), NAMES: success(["up"]), **(answers or {})}

    def answer(self, seen: Seen, body: bytes) -> _Answer:
        if body or (self.tokens is not None and seen.headers.get("authorization", "") not in self.tokens):
            return _Answer(401, b"Unauthorized\n", {"Content-Type": "text/plain"})
        return _Answer(200, self.answers.get(seen.path, success([])))

    def _allowed(self, seen: Seen) -> bool:
        return seen.method == "GET" and _READS.fullmatch(seen.path) is not None
