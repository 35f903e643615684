"""What the units of a resource map stand for: whole devices, shares of them, or slices that do not tell."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from msgspec import Struct

from kubegap_checks.inventory.sources import number
from kubegap_checks.signals.accelerators import Accelerator, Explained, LabelMatch, Vendor, accelerators
from kubegap_checks.signals.by_key import ByKey
from kubegap_checks.signals.tables import Regex
from kubegap_checks.text import Text


class Count(Struct, frozen=True, kw_only=True):
    """Physical devices, or why the units are not whole devices (`sliced`) or do not tell (`doubt`)."""

    devices: int | None = None
    shares: int = 1
    sliced: Text | None = None
    doubt: Text | None = None


def physical(
    signal: Accelerator, labels: Mapping[str, str], holding: frozenset[int], resources: Mapping[str, int] | None
) -> Count:
    """The physical devices that the units of a resource map stand for."""
    if resources is None:
        return Count(doubt=Text(en="its status carries no count", ko="status에 개수가 없음"))
    whole = max(units_of(signal.whole, resources), default=0)
    shares = sum(units_of(signal.shared, resources))
    replicas = max((number(labels.get(key)) or 0 for key in signal.replicas), default=0)
    if sliced := _why_sliced(signal, holding, resources, whole):
        return Count(sliced=sliced)
    if replicas > 1 and (shares or whole) % replicas:
        doubt = Text(en="its shares do not add up to devices", ko="공유 단위가 디바이스 수로 나누어떨어지지 않음")
        return Count(doubt=doubt)
    if replicas > 1:
        return Count(devices=shares // replicas + whole if shares else whole // replicas, shares=replicas)
    if shares or (whole and explanation(signal.shared_when, holding)):
        return Count(
            sliced=Text(en="no label tells how many share a device", ko="디바이스당 공유 수를 알려 주는 레이블이 없음")
        )
    return Count(devices=whole)


def _why_sliced(signal: Accelerator, holding: frozenset[int], resources: Mapping[str, int], whole: int) -> Text | None:
    if any(units_of(signal.sliced, resources)):
        return Text(en="its devices are cut into slices", ko="디바이스가 슬라이스로 나뉘어 있음")
    if not whole and any(units_of(signal.parts, resources)):
        return Text(en="only parts of its devices are offered", ko="디바이스의 일부 단위만 제공함")
    return explanation(signal.units_when, holding)


def units_of(pattern: Regex | None, resources: Mapping[str, int]) -> list[int]:
    if pattern is None:
        return []
    return [count for name, count in resources.items() if "/" in name and pattern.fullmatch(name)]


def explanation(rules: Iterable[Explained], holding: frozenset[int]) -> Text | None:
    return next((rule.text for rule in rules if id(rule) in holding), None)


def stands_for(signal: Accelerator, name: str) -> bool:
    return signal.vendor in vendors_of(name)


@lru_cache(maxsize=4096)
def vendors_of(name: str) -> frozenset[Vendor]:
    """Whose accelerators an extended resource stands for, whole, shared or in parts."""
    return frozenset(
        row.vendor
        for row in accelerators()
        for pattern in (row.whole, row.shared, row.sliced, row.parts)
        if pattern and pattern.fullmatch(name)
    )


def fulfilled(labels: Mapping[str, str]) -> frozenset[int]:
    """The identities of all label rules that these labels fulfil.

    Only the rules that a key can fulfil are tried, and those are found once a key: trying every pattern on every
    label of every node would take seconds on a large cluster.
    """
    return frozenset(
        id(rule)
        for key, rules in _RULES.told(labels)
        for rule in rules
        if rule.value is None or rule.value.fullmatch(labels[key])
    )


@lru_cache(maxsize=4096)
def rules_of(key: str) -> tuple[LabelMatch, ...]:
    rules: Iterable[LabelMatch] = (
        rule
        for row in accelerators()
        for rule in (*row.present, *row.units_when, *row.shared_when, *row.no_capacity_is_normal)
    )
    return tuple(rule for rule in rules if rule.label.fullmatch(key))


_RULES: Final = ByKey(rules_of)
