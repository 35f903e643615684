"""Versions that a vendor's notice or an incident calls bad, what they do, and where that is mended."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import eq, ge, lt
from typing import Literal

from kubegap_checks.model import Confidence, Severity
from kubegap_checks.signals.tables import Filled, Regex, Row, Words, read
from kubegap_checks.versions import Release, release

# What a node tells of itself; every other component is one of components.yaml.
OfNode = Literal["driver", "kernel", "kubelet", "node-image"]

_TERM = re.compile(r"(>=|<|=)(\d+(?:\.\d+)+)")
_COMPARE: Mapping[str, Callable[[Release, Release], bool]] = {">=": ge, "<": lt, "=": eq}


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBad(Row):
    """One defect of one component.

    A version has it where all terms of one of `affected` hold (`>=1.17.0 <1.17.2`), or where it `matches` in full. On
    a node it counts where the instance type matches, the node offers a resource for each of `offers`, and its driver
    is older than `driver_below`.
    """

    component: Filled
    affected: tuple[Filled, ...] = ()
    matches: Regex | None = None
    fixed: Filled
    severity: Severity
    confidence: Confidence
    does: Words
    notice: Filled
    instance_type: Regex | None = None
    offers: tuple[Regex, ...] = ()
    driver_below: Filled | None = None

    def __post_init__(self) -> None:
        if bool(self.affected) == (self.matches is not None):
            raise ValueError("either affected or matches says which versions are bad")
        terms = [*" ".join(self.affected).split(), *([f"<{self.driver_below}"] if self.driver_below else [])]
        for term in terms:
            if _TERM.fullmatch(term) is None:
                raise ValueError(f"{term} is no comparison with a version")

    def has(self, version: str) -> bool:
        if self.matches is not None:
            return self.matches.fullmatch(version) is not None
        return any(_all_hold(terms, version) for terms in self.affected)

    def takes_driver(self, version: str) -> bool:
        return self.driver_below is None or _all_hold(f"<{self.driver_below}", version)


def _all_hold(terms: str, version: str) -> bool:
    """What is no version fulfils nothing."""
    own = release(version)
    return own is not None and all(_COMPARE[sign](own, release(bound) or ()) for sign, bound in _TERM.findall(terms))


@cache
def known_bad() -> tuple[KnownBad, ...]:
    return read("known_bad.yaml", KnownBad)


@lru_cache(maxsize=4096)
def defects(component: str, version: str) -> tuple[KnownBad, ...]:
    """What is known to be wrong with this version, the gravest first."""
    return tuple(row for row in known_bad() if row.component == component and row.has(version))
