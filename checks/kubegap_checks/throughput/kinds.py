"""The shapes that a throughput series may have, and what is said of one."""

from dataclasses import dataclass, replace
from typing import Literal

from kubegap_checks.model import Confidence
from kubegap_checks.text import Text

ShapeId = Literal[
    "flat_low",
    "step_down",
    "repeated_collapses",
    "periodic_dips",
    "slow_decay",
    "growing_noise",
    "stall",
    "passing_fall",
    "steady",
    "unclear",  # too little was seen, or what was seen may be several things: a doubt, not a shape
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """`since` is unix seconds; `dips` are the falls of which a shape consists, as (begin, end) in unix seconds.

    `doubts` say why nothing surer is said, and what else was seen.
    """

    id: ShapeId
    confidence: Confidence
    since: float | None = None
    drop_percent: float | None = None
    period_s: float | None = None
    dips: tuple[tuple[float, float], ...] = ()
    doubts: tuple[Text, ...] = ()

    def doubted(self, *why: Text, at_most: Confidence = Confidence.CERTAIN) -> "Shape":
        """The same with these doubts behind the others, and no surer than that."""
        return replace(self, confidence=self.confidence.at_most(at_most), doubts=(*self.doubts, *why))

    def lost_s(self, end: float) -> float:
        """Seconds of work at the usual level that were lost until `end`, the end of the window."""
        share = (self.drop_percent or 0.0) / 100
        if self.dips:
            return share * sum(last - first for first, last in self.dips)
        return 0.0 if self.since is None else share * (end - self.since) / (2 if self.id == "slow_decay" else 1)


def unclear(why: Text) -> Shape:
    return Shape(id="unclear", confidence=Confidence.HINT, doubts=(why,))
