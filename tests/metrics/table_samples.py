"""Samples for every series of the table of quantities, as exporters publish them: what an expression is tried on.

Each stands there in several courses, told apart by the label `course`, since most expressions leave out what no rule
needs: what did not rise, what is busy, what is not full. An expression that looks for one state needs a course in it.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from kubegap_checks.signals.quantities import SeriesName, metric_exporters, quantities

Labels = Mapping[str, str]

NODE = {"node": "gpu-1", "instance": "10.0.0.1:9400", "job": "exporter"}
POD = {"namespace": "ml", "pod": "train-0", "container": "trainer", "persistentvolumeclaim": "data"}

# By minutes since the beginning. What an expression divides by is half of it.
COURSES: Mapping[str, Callable[[int], float]] = {
    "rising": lambda minute: (minute + 1) * 10_000_001.0,
    "falling": lambda minute: 1e9 - 2_000_003.0 * minute,
    "one": lambda _: 1.0,
    "small": lambda _: 0.1,
    "zero": lambda _: 0.0,
    "four": lambda _: 4.0,  # a fabric that failed to come up
}
_MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"')
_EVERY_MINUTES = 2
_MINUTES = 7 * 60


def names() -> frozenset[str]:
    """Every series name that the table knows: what expressions need, what refutes them and what shows an exporter."""
    return frozenset(name for name, _ in _series())


def openmetrics(at_s: int) -> str:
    """Hours of all of them until `at_s`."""
    divisors = {one.other.partition("{")[0] for quantity in quantities() for one in quantity.series}
    by_name: dict[str, dict[str, Labels]] = {}
    for name, labels in _series():
        by_name.setdefault(name, {})[str(sorted(labels.items()))] = labels
    lines: list[str] = []
    for name, some in by_name.items():
        lines.append(f"# TYPE {name} unknown")
        for labels in some.values():
            for course, value in COURSES.items():
                told = ",".join(f'{key}="{one}"' for key, one in {**labels, "course": course}.items())
                half = 0.5 if name in divisors and course == "rising" else 1.0
                lines += [
                    f"{name}{{{told}}} {half * value(minute)} {at_s + (minute - _MINUTES) * 60}"
                    for minute in range(0, _MINUTES + 1, _EVERY_MINUTES)
                ]
    return "\n".join((*lines, "# EOF", ""))


def _series() -> Iterator[tuple[str, Labels]]:
    for quantity in quantities():
        for one in quantity.series:
            yield from _of(one)
        for refuting in quantity.unless:
            yield refuting.name, {**NODE, **dict.fromkeys(quantity.series[0].part, "0")}
    for exporter in metric_exporters():
        for name in exporter.witness:
            yield name, NODE


def _of(one: SeriesName) -> Iterator[tuple[str, Labels]]:
    kept = dict.fromkeys((*one.part, *one.keep), "0")
    other, _, matchers = one.other.partition("{")
    for name, selected in ((one.name, one.match), (other, matchers)):
        labels = {**NODE, **POD, **kept, **dict(_some(selected))}
        if name.endswith("_bucket") and "le" not in labels:
            yield name, {**labels, "le": "1"}
            yield name, {**labels, "le": "+Inf"}
        elif name:
            yield name, labels


def _some(matchers: str) -> Iterator[tuple[str, str]]:
    """A value for each label that the matchers ask for: the first of a pattern's words, or one that is not excluded."""
    for label, how, value in _MATCHER.findall(matchers):
        yield label, value.split("|")[0] if how in {"=", "=~"} else "other"
