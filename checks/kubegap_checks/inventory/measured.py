"""What a metrics source does not tell of the nodes that a rule is about: a counter that nobody reads is never zero."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from kubegap_checks.facts.derived import derived
from kubegap_checks.facts.metrics import Exported, Measured
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.signals.accelerators import Vendor
from kubegap_checks.signals.quantities import (
    Group,
    Quantity,
    exporter,
    group,
    metric_exporters,
    place,
    quantities,
    quantity,
    unit,
)
from kubegap_checks.text import Text

M = TypeVar("M", bound=Measured)

_NAMED = 3


def largest(rows: Iterable[M]) -> list[M]:
    """One row for each quantity and each of its labels: an exporter may publish an old and a new name at a time."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], M] = {}
    for row in rows:
        key = (row.quantity, tuple(sorted(row.labels.items())))
        if key not in found or row.value > found[key].value:
            found[key] = row
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Lack:
    """The quantities that a node with accelerators of these vendors does not publish; `whole` where it has none."""

    missed: tuple[str, ...]
    vendors: frozenset[Vendor]
    whole: bool


def unmeasured(facts: Facts, record: type[Measured], nodes: Collection[str]) -> Iterator[Unread]:
    """These nodes, where the source has no fresh series of the group from them: of what is essential there, or of any.

    Needs `Exported` among what is read, and `offered` where accelerators decide what is essential.
    """
    asked = record.KIND.plural
    fresh, vendors = _by_quantity(facts), _vendors(facts) if _depends_on_vendor(asked) else {}
    lacking: dict[_Lack, list[str]] = {}
    for node in sorted(set(nodes)):
        if lack := _lack(asked, node, vendors.get(node, frozenset()), fresh):
            lacking.setdefault(lack, []).append(node)
    for lack, on in lacking.items():
        yield _nothing_of(group(asked), on) if lack.whole else _a_part(lack, on)


def _lack(asked: str, node: str, vendors: frozenset[Vendor], fresh: Mapping[str, frozenset[str]]) -> _Lack | None:
    of_group = _of_group(asked)
    wanted = [one for one in of_group if one.essential or not vendors.isdisjoint(one.essential_for)]
    missed = tuple(one.id for one in wanted or of_group if node not in fresh.get(one.id, ()))
    whole = len(missed) == len(wanted or of_group)
    return _Lack(missed, vendors, whole) if missed and (wanted or whole) else None


def _nothing_of(asked: Group, nodes: Sequence[str]) -> Unread:
    en, ko = _listed(nodes)
    what = Text(en=f"{asked.text.en} on {en}", ko=f"{ko}: {asked.text.ko}")
    return Unread(what=what, reason="stale", remedy=asked.collect)


def _a_part(lack: _Lack, nodes: Sequence[str]) -> Unread:
    en, ko = _listed(nodes)
    missed = [quantity(one) for one in lack.missed]
    names = ", ".join(_names(missed, lack.vendors))
    return Unread(
        what=Text(
            en=f"{', '.join(one.text.en for one in missed)} on {en}",
            ko=f"{ko}: {', '.join(one.text.ko for one in missed)}",
        ),
        reason="stale",
        remedy=Text(
            en=f"let the exporter of these nodes publish {names} as well",
            ko=f"이 노드의 익스포터가 {names}도 내보내게 한다",
        ),
    )


def _names(missed: Iterable[Quantity], vendors: frozenset[Vendor]) -> Iterable[str]:
    """The series that would do: one that carries all, where there is one."""
    others = {one.id for one in metric_exporters() if vendors and one.expected not in {"", "accelerators", *vendors}}
    names = [[series.name for series in one.series if series.exporter not in others] for one in missed]
    shared = next((name for name in names[0] if all(name in some for some in names)), None)
    return (shared,) if shared else dict.fromkeys(some[0] for some in names)


def unpublished(facts: Facts, record: type[Measured]) -> Iterator[Unread]:
    """Each essential quantity of a group that has no fresh series at all; for what is not of nodes."""
    asked = group(record.KIND.plural)
    fresh = _by_quantity(facts)
    if any(item.cause for item in facts.unread(record)):
        return  # for which reason there are none
    told = {item.what for item in facts.unread(record)}  # that there are no series of it at all
    for wanted in _of_group(record.KIND.plural):
        if wanted.essential and wanted.id not in fresh and wanted.text not in told:
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


def in_order(rows: Iterable[M]) -> list[M]:
    """A cause before what it leads to, as the table has them."""
    return sorted(rows, key=lambda row: place(row.quantity))


def counted(rows: Iterable[Measured]) -> tuple[str, str]:
    """What rose and how far, in English and Korean: `times that a port lost its link: about 14 (events in the window)`.

    A cause comes before what it leads to.
    """
    told = [(quantity(row.quantity), row) for row in in_order(rows)]
    en = "; ".join(f"{one.text.en}: {_amount(row).en} ({one.unit})" for one, row in told)
    ko = "; ".join(f"{one.text.ko}: {_amount(row).ko} ({unit(one).ko})" for one, row in told)
    return en, ko


def shown(row: Measured, digits: int = 2) -> float:
    """Its value as evidence shows it."""
    return round(row.value) if _is_whole(row) else round(row.value, digits)


def _amount(row: Measured) -> Text:
    if _is_whole(row):
        return Text(en=f"about {row.value:,.0f}", ko=f"약 {row.value:,.0f}")
    return Text.same(f"{row.value:,.4g}")


def _is_whole(row: Measured) -> bool:
    return unit(quantity(row.quantity)).whole


@cache
def _of_group(asked: str) -> tuple[Quantity, ...]:
    return tuple(one for one in quantities() if one.group == asked)


@cache
def _depends_on_vendor(asked: str) -> bool:
    """Whether other series tell it on nodes of each vendor."""
    of = {exporter(series.exporter).expected for one in _of_group(asked) for series in one.series}
    return not of <= {"", "accelerators"}


@derived
def _vendors(facts: Facts) -> dict[str, frozenset[Vendor]]:
    """Whose accelerators each node has."""
    found: dict[str, set[Vendor]] = {}
    for one in offered(facts).devices:
        found.setdefault(one.node.name, set()).add(one.vendor)
    return {name: frozenset(vendors) for name, vendors in found.items()}


@derived
def _by_quantity(facts: Facts) -> dict[str, frozenset[str]]:
    """The nodes that have fresh series of each quantity; "" where the series are of no node."""
    found: dict[str, set[str]] = {}
    for row in facts.known(Exported):
        for name in _told_by(row.quantity, row.labels.get("series", "")):
            found.setdefault(name, set()).add(row.node)
    return {name: frozenset(nodes) for name, nodes in found.items()}


@cache
def _told_by(named: str, series: str) -> frozenset[str]:
    """What a row tells of: one series may carry several quantities, and one quantity cover others."""
    carried = {one.id: one for one in quantities() if one.id == named or any(it.name == series for it in one.series)}
    return frozenset({named, *carried, *(name for one in carried.values() for name in one.covers)})


def _listed(names: Sequence[str]) -> tuple[str, str]:
    few, more = ", ".join(names[:_NAMED]), len(names) - _NAMED
    rest = f", +{more}" if more > 0 else ""
    return f"{len(names)} node{'s' if len(names) > 1 else ''}: {few}{rest}", f"노드 {len(names)}개({few}{rest})"
