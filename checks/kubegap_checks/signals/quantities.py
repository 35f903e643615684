"""What a metrics source is asked: quantities, the names under which exporters publish them, and how to ask.

Exporters rename things between versions, so a quantity lists every series name that is known to carry it.
`{series}` in `expr` is that name with the matchers of the table and of the owner; `{nodes}` are the labels that may
name a node. The result is grouped by these labels, by those of pods or claims where the group is about them, and by
`part` and `keep`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from kubegap_checks.signals.accelerators import Vendor
from kubegap_checks.signals.tables import Filled, Part, Row, Words, read

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
class Refutation(Row):
    """A series that shows the contrary of a quantity on the same device: then the quantity has no row there."""

    name: Filled
    exporter: Filled
    expr: Filled


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity(Part):
    """One thing that can be measured; `group` is the plural of the record class that holds it.

    Within a group a cause stands before what it leads to, and is told in this order. `step_minutes` asks for the course
    over the group's window instead of one value. Where an `essential` quantity has no series at all, what was found of
    its group is not the whole; `essential_for` says so of nodes with accelerators of these vendors alone. What one
    quantity `covers` is seen where it is. `unless` lists what refutes it.
    """

    id: Filled
    group: Filled
    unit: Filled
    text: Words
    expr: Filled
    series: Annotated[tuple[SeriesName, ...], Field(min_length=1)]
    essential: bool = False
    essential_for: tuple[Vendor, ...] = ()
    covers: tuple[Filled, ...] = ()
    unless: tuple[Refutation, ...] = ()
    step_minutes: int = 0

    @property
    def needed(self) -> bool:
        """Whether a group may be incomplete without it."""
        return self.essential or bool(self.essential_for or self.covers)


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
    `one` leaves one of them, for looking back over hours. `prefixes` are what its configuration may put before all of
    its names.
    """

    id: Filled
    name: Filled
    witness: tuple[str, ...] = ()
    one: str = ""
    expected: Expected = ""
    prefixes: tuple[Filled, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterLabel(Row):
    """A label by which a source that holds several clusters tells them apart.

    `own` are exporters that write it themselves, of a cluster of another kind or whatever their owner thought of.
    """

    label: Filled
    own: tuple[Filled, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit(Part):
    """What a quantity's `unit` is called in Korean.

    `whole`: it counts things, which increase() estimates from the samples in its window, and so not in whole numbers.
    """

    en: Filled
    ko: Filled
    whole: bool = False


@cache
def units() -> tuple[Unit, ...]:
    return read("quantities.yaml", Unit, "units")


@cache
def groups() -> tuple[Group, ...]:
    return read("quantities.yaml", Group, "groups")


@cache
def quantities() -> tuple[Quantity, ...]:
    """Also under the names that a prefix of an exporter makes."""
    return tuple(
        replace(one, series=tuple(_with_prefixes(one.series)), unless=tuple(_with_prefixes(one.unless)))
        for one in read("quantities.yaml", Quantity, "quantities")
    )


@cache
def metric_exporters() -> tuple[MetricExporter, ...]:
    return tuple(
        replace(one, witness=tuple(prefix + name for prefix in ("", *one.prefixes) for name in one.witness))
        for one in read("quantities.yaml", MetricExporter, "metric_exporters")
    )


@cache
def cluster_labels() -> tuple[ClusterLabel, ...]:
    return read("quantities.yaml", ClusterLabel, "cluster_labels")


def unit(quantity: Quantity) -> Unit:
    return next(one for one in units() if one.en == quantity.unit)


def group(id: str) -> Group:  # noqa: A002 (the word that the table uses)
    return next(one for one in groups() if one.id == id)


def quantity(id: str) -> Quantity:  # noqa: A002
    return next(one for one in quantities() if one.id == id)


@cache
def _places() -> dict[str, int]:
    return {one.id: place for place, one in enumerate(quantities())}


def place(id: str) -> int:  # noqa: A002
    """Where a quantity stands in the table: a cause before what it leads to."""
    return _places()[id]


def exporter(id: str) -> MetricExporter:  # noqa: A002
    return next(one for one in metric_exporters() if one.id == id)


N = TypeVar("N", SeriesName, Refutation)


def _with_prefixes(names: tuple[N, ...]) -> Iterator[N]:
    for one in names:
        yield one
        for prefix in exporter(one.exporter).prefixes:
            yield replace(one, name=prefix + one.name)
