"""What no reader of these lists can go below, and where an audit's processor seconds go.

`python -m benchmarks.floor KUBECONFIG` prints one line of JSON. `wall`, `cpu` and `bytes`: the same lists by the same
HTTP client, four at once and in the order in which an audit takes them, with the bytes thrown away. Then one after the
other, in processor seconds: `decode`, what msgspec takes to decode all objects into the wire structs and nothing else,
which is what an audit is held against; `reading`, what kubegap takes for the same bytes, records and all; `rules`, all
checks over the records.
"""

import gc
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kubegap_checks import catalog
from kubegap_checks.facts.read import Facts, Record
from kubegap_mcp.cli.main import COLLECT
from kubegap_mcp.kube.gather.registry import gatherers
from kubegap_mcp.kube.live.clusters import LISTS_AT_ONCE, _turn
from kubegap_mcp.kube.live.connection import Connection, Request
from kubegap_mcp.kube.live.gate import list_path
from kubegap_mcp.kube.live.hello import say_hello
from kubegap_mcp.kube.live.kubeconfig import Kubeconfig
from kubegap_mcp.kube.live.pages import head_of
from kubegap_mcp.metrics.reader import NO_SOURCE
from kubegap_mcp.transport.deadline import Deadline

if TYPE_CHECKING:
    from kubegap_mcp.kube.gather.kind import KindGatherer
    from kubegap_mcp.kube.wire.meta import Top


class Lists:
    """The lists of an audit, as far as the cluster has their kinds."""

    def __init__(self, kubeconfig: Path) -> None:
        self._gatherers = gatherers()
        kinds = [record.KIND for record in self._gatherers]
        self._connection = Connection(Kubeconfig((kubeconfig,)).target(None), kinds)
        hello = say_hello(self._connection, kinds, Deadline(30))
        found = ((record, hello.discovery.find(record.KIND).version) for record in self._gatherers)
        self.found = sorted(((record, version) for record, version in found if version), key=lambda one: _turn(one[0]))

    def bodies(self, record: type[Record], version: str) -> Iterator[bytes]:
        """The pages of one list, one after the other."""
        kind, token = record.KIND, ""
        while True:
            query = [("limit", str(kind.page))] + ([("continue", token)] if token else [])
            answer = self._connection.send(Request(list_path(kind, version, None), tuple(query)), Deadline(60))
            yield answer.body
            token = head_of(answer.body).next
            if not token:
                return

    def size(self, record: type[Record], version: str) -> int:
        return sum(map(len, self.bodies(record, version)))

    def parts(self) -> dict[str, float]:
        """Processor seconds of each part of an audit's work."""
        decode = reading = 0.0
        rows: dict[type[Record], tuple[Record, ...]] = dict.fromkeys(self._gatherers, ())
        no_metrics = dict.fromkeys((kind for kind in catalog.reads(catalog.load()) if kind not in rows), NO_SOURCE)
        for record, version in self.found:
            gatherer = cast("KindGatherer[Top, Record]", self._gatherers[record])
            for body in self.bodies(record, version):
                started = time.thread_time()
                gatherer.lists.decode(body)
                decoded = time.thread_time()
                page = gatherer.page(body)
                decode, reading = decode + decoded - started, reading + time.thread_time() - decoded
                rows[record] += page.rows
        facts = Facts({**rows, **no_metrics}, read_at=datetime.now(UTC))
        started = time.thread_time()
        for check in catalog.load():
            check.run(facts)
        return {"decode": decode, "reading": reading, "rules": time.thread_time() - started}


def main() -> None:
    gc.set_threshold(*COLLECT)
    lists = Lists(Path(sys.argv[1]))
    wall, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(LISTS_AT_ONCE) as pool:
        size = sum(pool.map(lambda one: lists.size(*one), lists.found))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    sys.stdout.write(json.dumps({"wall": wall, "cpu": cpu, "bytes": size, **lists.parts()}) + "\n")


if __name__ == "__main__":
    catalog.load()
    main()
