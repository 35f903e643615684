"""What a metrics source does not tell of the nodes that a rule is about: a counter that nobody reads is never zero."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import TypeVar

from kubegap_checks.facts.derived import derived
from kubegap_checks.facts.metrics import Exported, Measured
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.signals.quantities import Quantity, group, quantities, quantity, unit
from kubegap_checks.text import Text

M = TypeVar("M", bound=Measured)

_NAMED = 3


def came(facts: Facts, record: type[M]) -> tuple[list[M], tuple[Unread, ...]]:
    """The rows that came, and why others did not: one finding shows whatever else is unread."""
    rows: list[M] = []
    try:
        for row in facts.seen(record):
            rows.append(row)  # noqa: PERF402 (what came before the error is kept)
    except UnreadError as error:
        return rows, error.unread
    return rows, ()


def largest(rows: Iterable[M]) -> list[M]:
    """One row for each quantity and each of its labels: an exporter may publish an old and a new name at a time."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], M] = {}
    for row in rows:
        key = (row.quantity, tuple(sorted(row.labels.items())))
        if key not in found or row.value > found[key].value:
            found[key] = row
    return list(found.values())


def unmeasured(facts: Facts, record: type[Measured], nodes: Collection[str]) -> Iterator[Unread]:
    """These nodes, where the source has no fresh series of the group from them: of each essential quantity, or of any.

    Needs `Exported` among what is read.
    """
    asked = group(record.KIND.plural)
    missed = sorted(set(nodes) - _measured_nodes(facts, record))
    if missed:
        en, ko = _listed(missed)
        yield Unread(
            what=Text(en=f"{asked.text.en} on {en}", ko=f"{ko}: {asked.text.ko}"),
            reason="stale",
            remedy=asked.collect,
        )


def unpublished(facts: Facts, record: type[Measured]) -> Iterator[Unread]:
    """Each essential quantity of a group that has no fresh series at all; for what is not of nodes."""
    asked = group(record.KIND.plural)
    fresh = _by_quantity(facts)
    told = {item.what for item in facts.unread(record)}  # that there are no series of it at all
    for wanted in _wanted(record):
        if wanted.id not in fresh and wanted.text not in told:
            yield Unread(what=wanted.text, reason="stale", remedy=asked.collect)


def publishes(facts: Facts, quantity: str) -> bool:
    """Whether anything has fresh series of a quantity, by its id. Needs `Exported` among what is read."""
    return quantity in _by_quantity(facts)


def by_part(rows: Iterable[M]) -> dict[tuple[str, str], list[M]]:
    """The rows of each device of a node, or of the node itself where `part` is ""."""
    found: dict[tuple[str, str], list[M]] = {}
    for row in rows:
        found.setdefault((row.node, row.part), []).append(row)
    return found


def counted(rows: Iterable[Measured]) -> tuple[str, str]:
    """What rose and how far, in English and Korean: `times that a port lost its link: 14 (events in the window)`."""
    told = [(quantity(row.quantity), f"{row.value:,.4g}") for row in rows]
    en = "; ".join(f"{one.text.en}: {value} ({one.unit})" for one, value in told)
    ko = "; ".join(f"{one.text.ko}: {value} ({unit(one).ko})" for one, value in told)
    return en, ko


def _wanted(record: type[Measured]) -> list[Quantity]:
    return [one for one in quantities() if one.group == record.KIND.plural and one.essential]


def _measured_nodes(facts: Facts, record: type[Measured]) -> set[str]:
    by_quantity = _by_quantity(facts)
    if wanted := _wanted(record):
        of_each = [by_quantity.get(one.id, frozenset()) for one in wanted]
        return {node for node in of_each[0] if all(node in nodes for nodes in of_each)}
    of_group = [one.id for one in quantities() if one.group == record.KIND.plural]
    return {node for name in of_group for node in by_quantity.get(name, frozenset())}


@derived
def _by_quantity(facts: Facts) -> dict[str, frozenset[str]]:
    """The nodes that have fresh series of each quantity; "" where the series are of no node."""
    found: dict[str, set[str]] = {}
    for row in facts.known(Exported):
        # One series may carry several quantities; a row names one of them.
        for name in (row.quantity, *_carried().get(row.labels.get("series", ""), ())):
            found.setdefault(name, set()).add(row.node)
    return {name: frozenset(nodes) for name, nodes in found.items()}


@cache
def _carried() -> Mapping[str, frozenset[str]]:
    """The quantities that each series carries."""
    found: dict[str, set[str]] = {}
    for one in quantities():
        for series in one.series:
            found.setdefault(series.name, set()).add(one.id)
    return {name: frozenset(ids) for name, ids in found.items()}


def _listed(names: list[str]) -> tuple[str, str]:
    few, more = ", ".join(names[:_NAMED]), len(names) - _NAMED
    rest = f", +{more}" if more > 0 else ""
    return f"{len(names)} node{'s' if len(names) > 1 else ''}: {few}{rest}", f"노드 {len(names)}개({few}{rest})"
