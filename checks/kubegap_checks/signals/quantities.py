"""What a metrics source is asked: quantities, the names under which exporters publish them, and how to ask.

Exporters rename things between versions, so a quantity lists every series name that is known to carry it.
`{series}` in `expr` is that name with the matchers of the table and of the owner; `{nodes}` are the labels that may
name a node. The result is grouped by these labels, by those of pods or claims where the group is about them, and by
`part` and `keep`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from pydantic import Field

from kubegap_checks.signals.tables import Filled, Part, Row, Words, read
from kubegap_checks.text import Text

Expected = Literal["", "accelerators", "nvidia", "amd"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesName(Part):
    """One name of a quantity. `match` narrows it (`stat="ssd_percent_used"`), `scale` brings it to the unit.

    `part` are the labels that tell the devices of a node apart; `other` are names that the expression needs beside
    this one, as `{other}`: a quotient is only asked where both exist.
    """

    name: Filled
    exporter: Filled
    source: Filled
    match: str = ""
    part: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    other: str = ""
    scale: float = 1.0
    expr: str = ""  # instead of the quantity's own, where this exporter has to be asked in another way


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity(Part):
    """One thing that can be measured; `group` is the plural of the record class that holds it.

    `step_minutes` asks for the course over the group's window instead of one value. Where an `essential` quantity has
    no series at all, what was found of its group is not the whole.
    """

    id: Filled
    group: Filled
    unit: Filled
    text: Words
    expr: Filled
    series: Annotated[tuple[SeriesName, ...], Field(min_length=1)]
    essential: bool = False
    step_minutes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Part):
    """Quantities that are asked for together.

    `collect` says what would make them known; `window_hours`, `{window}` in expressions, how far they look back.
    """

    id: Filled
    text: Words
    collect: Words
    window_hours: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricExporter(Row):
    """A program that publishes series; `witness` are series that it always has, so that its silence shows.

    `expected` says on which nodes it must be where most of them have it: all with accelerators, or those of one
    vendor. "" is nowhere: then only nodes that had it before can lack it. Where a node has many witnesses, the matcher
    `one` leaves one of them, for looking back over hours.
    """

    id: Filled
    name: Filled
    witness: tuple[str, ...] = ()
    one: str = ""
    expected: Expected = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit(Part):
    """What a quantity's `unit` is called in Korean."""

    en: Filled
    ko: Filled


@cache
def units() -> tuple[Unit, ...]:
    return read("quantities.yaml", Unit, "units")


@cache
def groups() -> tuple[Group, ...]:
    return read("quantities.yaml", Group, "groups")


@cache
def quantities() -> tuple[Quantity, ...]:
    return read("quantities.yaml", Quantity, "quantities")


@cache
def metric_exporters() -> tuple[MetricExporter, ...]:
    return read("quantities.yaml", MetricExporter, "metric_exporters")


def unit(quantity: Quantity) -> Text:
    return next(Text(en=one.en, ko=one.ko) for one in units() if one.en == quantity.unit)


def group(id: str) -> Group:  # noqa: A002 (the word that the table uses)
    return next(one for one in groups() if one.id == id)


def quantity(id: str) -> Quantity:  # noqa: A002
    return next(one for one in quantities() if one.id == id)
