"""How often the shape of a throughput series is told right, over series that the classifier was not written with.

Run `python benchmarks/shapes.py` where kubegap is installed. The generator stands in tests/metrics/shape_series.py;
somebody wrote it from the incidents' descriptions without having seen the classifier, and the other way round.
`--write` writes docs/throughput-shapes.md. Exits 1 where less than 95 % are right.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT)]

from kubegap_checks.throughput.series import Series  # noqa: E402
from kubegap_checks.throughput.shape import shape_of  # noqa: E402
from tests.metrics.shape_series import corpus  # noqa: E402

PAGE = ROOT / "docs" / "throughput-shapes.md"
LEAST = 0.95
SEEDS = (404, 505)
COUNT = 240


HEAD = """# How well shapes of throughput are told

{right} of {total} series right: {share:.1%}; {ms:.0f} ms of processor time a series.
The series come from `tests/metrics/shape_series.py`, which was written from the incidents' descriptions by somebody who
had not seen the classifier (`kubegap_checks.throughput`), and the classifier had these figures before it met them.
Since then a long fall that recovered is called `passing_fall`, and what may be several things `unclear`; who chose
these limits knew how long restarts last here, and had looked at seeds 11 to 20 and from 2001 on.
Seeds {seeds}, {count} series each; `python benchmarks/shapes.py --write` makes this page.

Rows are what a series is, columns what it was taken for.

"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args()
    told: Counter[tuple[str, str]] = Counter()
    spent = 0.0
    for seed in SEEDS:
        for drawn in corpus(COUNT, seed):
            begin = time.process_time()
            shape = shape_of(Series(drawn.started, drawn.step_s, drawn.values), drawn.expected)
            spent += time.process_time() - begin
            told[drawn.shape, shape.id] += 1
    right, total = sum(count for (true, said), count in told.items() if true == said), told.total()
    text = page(told, right, total, spent / total)
    sys.stdout.write(text)
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0 if right >= LEAST * total else 1


def page(told: Counter[tuple[str, str]], right: int, total: int, seconds: float) -> str:
    true = sorted({pair[0] for pair in told})
    said = [*true, *sorted({pair[1] for pair in told} - set(true))]
    rows = [
        f"| `{one}` | " + " | ".join(str(told[one, other] or "") for other in said) + f" | {recall(told, one):.1%} |"
        for one in true
    ]
    head = ["", *(f"`{one}`" for one in said), "right"]
    table = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|", *rows]
    figures = {"right": right, "total": total, "share": right / total, "ms": 1000 * seconds, "count": COUNT}
    return HEAD.format(**figures, seeds=" and ".join(map(str, SEEDS))) + "\n".join(table) + "\n"


def recall(told: Counter[tuple[str, str]], shape: str) -> float:
    return told[shape, shape] / sum(count for (true, _), count in told.items() if true == shape)


if __name__ == "__main__":
    sys.exit(main())
