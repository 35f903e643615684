"""Every check, found by walking the rules folder: a rule file is registered by being there."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import kubegap_checks.rules
from kubegap_checks.facts.read import Record
from kubegap_checks.model import Check


@cache
def load() -> tuple[Check, ...]:
    """All checks, sorted by id."""
    checks: list[Check] = []
    for topic in _submodules("kubegap_checks.rules", kubegap_checks.rules.__path__):
        package = import_module(topic)
        for name in _submodules(topic, package.__path__):
            check = import_module(name).CHECK
            if not isinstance(check, Check) or check.module != name:
                raise TypeError(f"{name} must define CHECK = Check(module=__name__, ...)")
            checks.append(check)
    return tuple(sorted(checks, key=lambda check: check.id))


def reads(checks: Iterable[Check]) -> frozenset[type[Record]]:
    """The kinds that these checks read, taken together."""
    return frozenset(record for check in checks for record in check.reads)


@cache
def wanted() -> Mapping[type[Record], int]:
    """How many checks read each kind."""
    return Counter(record for check in load() for record in check.reads)


def _submodules(package: str, path: Iterable[str]) -> list[str]:
    return [f"{package}.{module.name}" for module in iter_modules(path)]
