"""The throughput of one job as a metrics source tells it, what was asked for, and what moved beside it; pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kubegap_checks.facts.read import Unread
from kubegap_checks.model import Subject
from kubegap_checks.signals.throughput import Moving, Proxy
from kubegap_checks.text import Text
from kubegap_checks.throughput.coincidence import Coincident
from kubegap_checks.throughput.kinds import Shape
from kubegap_checks.throughput.limits import STALLED_SHARE
from kubegap_checks.throughput.series import Series
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.port import Query
from kubegap_mcp.names import quoted

# More samples would draw no other curve, and cost the source more. Prometheus scrapes each minute where nothing else is
# said: a finer step would tell one sample several times.
_SAMPLES: Final = 600
_STEPS: Final = (60, 120, 300, 600, 900, 1800)
# A rate looks at several scrapes, which are up to five minutes apart: rate() needs two within its window.
_RATE_MIN_S: Final = 300

DEFAULT_WINDOW: Final = "24h"
_HOUR_S: Final = 3600
_SHORTEST_S, _LONGEST_S = _HOUR_S, 7 * 24 * _HOUR_S
_UNITS: Final = {"m": 60, "h": _HOUR_S, "d": 24 * _HOUR_S}
_LENGTH: Final = re.compile(r"(\d{1,5}) ?([mhd])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The time before now that is looked at; `rate_s` is what a rate within it looks back on."""

    span_s: int
    step_s: int

    @classmethod
    def of(cls, text: str) -> "Window":
        """`90m`, `24h`, `7d`; ConfigError for what is no length, or not from an hour to a week."""
        found = _LENGTH.fullmatch(text.strip())
        span_s = int(found[1]) * _UNITS[found[2]] if found else 0
        if not _SHORTEST_S <= span_s <= _LONGEST_S:
            raise ConfigError(
                Text(
                    en=f"{quoted(text)} is no window: give its length before now, from 1h to 7d, as 24h",
                    ko=f"구간으로 쓸 수 없는 값: {quoted(text)}. 지금까지의 길이를 24h처럼 1h에서 7d 사이로 준다",
                )
            )
        return cls(span_s=span_s, step_s=next(step for step in _STEPS if span_s / step <= _SAMPLES))

    @property
    def rate_s(self) -> int:
        return max(_RATE_MIN_S, 2 * self.step_s)

    def query(self, promql: str) -> Query:
        return Query(promql, span_s=self.span_s, step_s=self.step_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person asks about; None is for kubegap to find. `expected` is the level that it should have."""

    job: str | None
    metric: str | None
    window: Window
    namespace: str | None = None
    expected: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric that may tell throughput; `proxy` where GPUs stand in for the trainer.

    `at_rest` is the share of its level that is still measured when nothing is done; of an unknown metric, what may be.
    """

    name: str
    unit: str = ""
    proxy: Proxy | None = None
    at_rest: float = STALLED_SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job by its name, with its pods and nodes; without pods it is a name that series may bear.

    `others` are pods, and beginnings of pods' names, that belong to other jobs. An empty namespace may be any.
    """

    name: str
    namespace: str = ""
    kind: str = "Job"
    pods: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    devices: int = 0
    trains: bool = False
    others: frozenset[tuple[str, str]] = frozenset()

    @property
    def subject(self) -> Subject:
        return Subject(self.kind, self.name, self.namespace or None)

    @property
    def title(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def owns(self, namespace: str, pod: str) -> bool:
        """Whether it has this pod, or had it: those of now may have other endings than before a restart."""
        if namespace != (self.namespace or namespace) or not pod:
            return False
        if pod in self.pods:
            return True
        taken = any(pod == other or pod.startswith(f"{other}-") for space, other in self.others if space == namespace)
        return pod.startswith(f"{self.name}-") and not taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """What one question found; `job` is None where all series of the metric were taken together.

    `silent` where the source has samples of nothing at the end. `watched` had samples to compare with, `unwatched` had
    none; `lacks` is what the source says it left out, and
    `others` are jobs that could have been asked about as well.
    """

    metric: Metric
    job: Job | None
    window: Window
    at: datetime
    course: Series
    shape: Shape
    expected: float | None = None
    silent: bool = False
    coincident: tuple[Coincident, ...] = ()
    watched: tuple[Moving, ...] = ()
    unwatched: tuple[Moving, ...] = ()
    unread: tuple[Unread, ...] = ()
    lacks: tuple[Text, ...] = ()
    others: tuple[str, ...] = ()
