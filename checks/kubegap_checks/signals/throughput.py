"""Where the throughput of a training job is found in a metrics source, and what may move with it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from pydantic import Field

from kubegap_checks.signals.tables import Filled, Part, Regex, Row, Words, read
from kubegap_checks.text import Text

Owner = Literal["node", "pod", "cluster"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerMetric(Row):
    """A name under which a trainer's throughput may be found; of two that match, the earlier row is the better one."""

    trainer: Filled
    name: Regex
    unit: Filled


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy(Row):
    """What GPUs do while a job makes progress: a quantity of quantities.yaml.

    `at_rest` is the share of its level that is still measured when they do nothing.
    """

    quantity: Filled
    text: Words
    at_rest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Part):
    """A quantity of quantities.yaml, or a series of its own with its matchers, and how its course is asked for."""

    expr: Filled
    quantity: str = ""
    series: str = ""
    match: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving(Row):
    """Something that may move when throughput does; the first of `asks` whose series exist is asked for.

    `combine` makes one course of those of all nodes, pods or devices; `topic` is the one whose checks look further.
    """

    id: Filled
    of: Owner
    topic: Filled
    combine: Literal["max", "min", "sum"]
    unit: Filled
    text: Words
    asks: Annotated[tuple[Asked, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Row):
    """Something that happened at one time, as an object tells it."""

    id: Filled
    text: Words


@cache
def trainer_metrics() -> tuple[TrainerMetric, ...]:
    return read("throughput.yaml", TrainerMetric, "trainers")


@cache
def proxies() -> tuple[Proxy, ...]:
    return read("throughput.yaml", Proxy, "proxies")


@cache
def moving() -> tuple[Moving, ...]:
    """The most telling first."""
    return read("throughput.yaml", Moving, "moving")


@cache
def moments() -> tuple[Moment, ...]:
    return read("throughput.yaml", Moment, "happenings")


@cache
def names() -> Mapping[str, Text]:
    """What a person calls each signal and each moment."""
    return {row.id: row.text for row in moving()} | {row.id: row.text for row in moments()}


def trainer_metric(name: str) -> TrainerMetric | None:
    """The row that knows a metric's name, in any case of letters."""
    return next((row for row in trainer_metrics() if re.fullmatch(row.name.pattern, name, re.IGNORECASE)), None)
