"""How well and how fast the incident library is searched, by the judged queries of tests/incidents/judged_queries.yaml.

Run `python benchmarks/search.py` in an environment where kubegap is installed, or with PYTHONPATH=.:incident_library.
`--methods` measures other ways to search beside it; those that need a package which is not installed are left out
(kiwipiepy, tantivy, whoosh-reloaded, rapidfuzz). `--failures` lists the queries whose first hit is not a right one.
Exits 1 when a figure is worse than its bound.

A query counts by the rank of its first right record. ko holds the Korean and the mixed queries. The constants and lists
were tuned on one half of the queries, drawn with a fixed seed; the other half shows what that is worth elsewhere.
"""

import argparse
import datetime as dt
import random
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import search_methods
import yaml

from kubegap_incidents import library
from kubegap_incidents.index import Index
from kubegap_incidents.library import Library

JUDGED = Path(__file__).parent.parent / "tests" / "incidents" / "judged_queries.yaml"
SEED = 20
FIRST = 5
LEAST = {"mrr": 0.85, f"hit@{FIRST}": 0.95}
MOST_MS = {"parse": 300.0, "first query": 600.0, "query, median": 10.0, "query, 20 times the records": 50.0}
RUNS = 5
COPIES = 20

COLD = """
import datetime as dt, time
begin = time.perf_counter()
from kubegap_incidents import library
from kubegap_incidents.index import Index
records = library.load(dt.date.today())
parsed = time.perf_counter()
Index(records).search("학습 시작하고 몇 시간 지나면 느려져요")
print(parsed - begin, time.perf_counter() - parsed)
"""

Search = Callable[[str], Sequence[str]]  # ids, best first


class Query(NamedTuple):
    text: str
    lang: str
    kind: str
    right: tuple[str, ...]
    tuned: bool

    @property
    def groups(self) -> tuple[str, ...]:
        return (self.lang, f"{self.lang} {'tuned' if self.tuned else 'held out'}", f"{self.lang} {self.kind}")


def judged() -> tuple[list[Query], list[str]]:
    read = yaml.safe_load(JUDGED.read_text(encoding="utf-8"))
    queries = read["queries"]
    order = list(range(len(queries)))
    random.Random(SEED).shuffle(order)  # noqa: S311 # a draw, not a secret
    tuned = set(order[: len(queries) // 2])
    return [
        Query(query["q"], "en" if query["lang"] == "en" else "ko", query["kind"], tuple(query["right"]), at in tuned)
        for at, query in enumerate(queries)
    ], read["nothing"]


def rank(found: Iterable[str], right: Sequence[str]) -> int:
    """The rank of the first right record, 0 if there is none."""
    return next((at for at, record in enumerate(found, 1) if record in right), 0)


def quality(search: Search, queries: Sequence[Query]) -> dict[str, tuple[int, float, float]]:
    """For each group of queries: how many, mean reciprocal rank, share with a right record among the first five."""
    ranks = defaultdict[str, list[int]](list)
    for query in queries:
        for group in query.groups:
            ranks[group].append(rank(search(query.text), query.right))
    return {
        group: (
            len(found),
            sum(1 / at for at in found if at) / len(found),
            sum(0 < at <= FIRST for at in found) / len(found),
        )
        for group, found in sorted(ranks.items())
    }


def say(line: str = "") -> None:
    sys.stdout.write(f"{line}\n")


def failures(search: Search, queries: Sequence[Query]) -> None:
    say("\nfirst hit not right: rank of the first right one, query, what came first")
    for query in queries:
        found = search(query.text)
        at = rank(found, query.right)
        if at != 1:
            say(f"{at or '-':>3}  {query.lang} {query.kind:12} {query.text}  <- {found[0] if found else 'nothing'}")


def medians(commands: Callable[[], tuple[float, ...]]) -> list[float]:
    """Milliseconds, each the median over some runs."""
    return [statistics.median(column) * 1000 for column in zip(*(commands() for _ in range(RUNS)), strict=True)]


def cold() -> tuple[float, ...]:
    """Seconds for the parse and for the first query, imports and index included, in a process of its own."""
    ran = subprocess.run([sys.executable, "-c", COLD], check=True, capture_output=True, text=True)  # noqa: S603
    return tuple(map(float, ran.stdout.split()))


def each(search: Search, queries: Sequence[Query]) -> list[float]:
    took = list[float]()
    for query in queries:
        begin = time.perf_counter()
        search(query.text)
        took.append((time.perf_counter() - begin) * 1000)
    return took


def times(records: Library, search: Search, queries: Sequence[Query]) -> dict[str, float]:
    parse, first = medians(cold)
    copies = [
        incident.model_copy(update={"id": f"{incident.id}-{copy}", "aliases": ()})
        for incident in records
        for copy in range(COPIES)
    ]
    many = Index(Library(copies))
    many.search("weka")
    on_many = each(lambda query: [hit.incident.id for hit in many.search(query).hits], queries)
    return {
        "parse": parse,
        "first query": first,
        "query, median": statistics.median(each(search, queries)),
        "query, 20 times the records": statistics.median(on_many),
        "query, 20 times, slowest": max(on_many),
    }


def compare(records: Library, queries: Sequence[Query]) -> None:
    say(f"\n{'method':58} {'ko mrr':>7} {'ko hit@5':>9} {'en mrr':>7} {'en hit@5':>9} {'ms':>7}")
    for method in search_methods.METHODS:
        try:
            search = method.build(list(records))
        except ImportError as missing:
            say(f"{method.name:58} {missing.name} is not installed")
            continue
        of = quality(search, queries)
        took = statistics.median(each(search, queries))
        say(f"{method.name:58} {of['ko'][1]:7.3f} {of['ko'][2]:9.3f} {of['en'][1]:7.3f} {of['en'][2]:9.3f} {took:7.1f}")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--methods", action="store_true", help="measure other methods beside it")
    arguments.add_argument("--failures", action="store_true", help="list the queries whose first hit is not right")
    asked = arguments.parse_args()

    queries, nothing = judged()
    records = library.load(dt.datetime.now(dt.UTC).date())
    index = Index(records)

    def search(query: str) -> list[str]:
        return [hit.incident.id for hit in index.search(query).hits]

    bad = 0
    say(f"{'queries':18} {'n':>4} {'mrr':>6} {'hit@5':>6}")
    for group, (count, mrr, hit) in quality(search, queries).items():
        missed = group in {"ko", "en"} and (mrr < LEAST["mrr"] or hit < LEAST[f"hit@{FIRST}"])
        bad += missed
        say(f"{group:18} {count:4} {mrr:6.3f} {hit:6.3f}{'  too low' if missed else ''}")
    hits = [len(search(query.text)) for query in queries]
    wrong = sum(bool(search(query)) for query in nothing)
    bad += bool(wrong)
    say(f"hits of a query: median {statistics.median(hits):.0f}, most {max(hits)}, of {len(records)} records")
    say(f"queries about other matters that found something: {wrong} of {len(nothing)}\n")
    for name, took in times(records, search, queries).items():
        most = MOST_MS.get(name)
        missed = most is not None and took > most
        bad += missed
        say(f"{name:30} {took:7.1f} ms{f'  at most {most:.0f}' if most else ''}{'  too slow' if missed else ''}")
    if asked.failures:
        failures(search, queries)
    if asked.methods:
        compare(records, queries)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
