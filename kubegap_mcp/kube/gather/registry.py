"""Every kind that kubegap reads, and how its objects become records."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from kubegap_checks.facts.read import Record, Unread
from kubegap_checks.text import Text
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather import kinds
from kubegap_mcp.kube.gather.gatherer import Gatherer, MakesGatherer, Page, Pruned

__all__ = ["Gatherer", "Page", "Pruned", "gatherers", "not_understood", "records"]


def records() -> tuple[type[Record], ...]:
    """The record class of every kind, which most callers call the kind; its `KIND` is what the API calls it."""
    return tuple(gatherers())


def gatherers(*, show_names: bool = False) -> Mapping[type[Record], Gatherer]:
    """One gatherer a kind; `show_names` leaves hosts, buckets and accounts as they are instead of hashed."""
    names = Names(shown=show_names)
    return {made.record: made for made in (make(names) for make in _makers())}


@cache
def _makers() -> tuple[MakesGatherer, ...]:
    """What the modules of `kinds` name, by module and then as they name it."""
    modules = sorted(module.name for module in iter_modules(kinds.__path__))
    return tuple(make for name in modules for make in import_module(f"{kinds.__name__}.{name}").GATHERERS)


def not_understood(record: type[Record], count: int) -> Unread:
    """What stands beside the rows of a kind of which some objects could not be understood."""
    kind = record.KIND
    return Unread(
        what=Text.same(kind.resource),
        reason="invalid",
        remedy=Text(
            en=f"{kind.name} objects ({count}) carry values that the API does not allow: look at them with "
            f"`kubectl get {kind.resource} -o yaml`",
            ko=f"{kind.name} 객체 {count}개에 API가 허용하지 않는 값이 있음. "
            f"`kubectl get {kind.resource} -o yaml`로 확인한다",
        ),
    )
