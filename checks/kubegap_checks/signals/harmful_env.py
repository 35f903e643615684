"""Settings of NCCL, and of the libraries it sends through, that hurt a run which could do without them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kubegap_checks.model import Confidence, Severity
from kubegap_checks.signals.fabrics import Transport
from kubegap_checks.signals.tables import Filled, Part, Regex, Row, Words, read

# NVIDIA/nccl:docs/userguide/source/env.rst; WARN is what most jobs have.
_DEBUGGING = re.compile("INFO|TRACE", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSetting(Part):
    """A variable beside it, with a value that matches in full."""

    name: Filled
    value: Regex


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmfulSetting(Row):
    """A variable with a value that hurts, and where it does; patterns match in full.

    It hurts between nodes whose pods ask for adapters that NCCL reaches by one of `transport`, or between the GPUs of
    one pod on a node whose GPUs are a `product`; one of the two is told. It is meant where one of `unless` holds.
    """

    name: Filled
    value: Regex
    transport: tuple[Transport, ...] = ()
    product: Regex | None = None
    unless: tuple[OtherSetting, ...] = ()
    severity: Severity
    confidence: Confidence
    does: Words

    def __post_init__(self) -> None:
        if bool(self.transport) == (self.product is not None):
            raise ValueError("either transport or product must say where it hurts")

    def hurts(self, env: Mapping[str, str | None]) -> bool | None:
        """Whether these variables hold it; None where a value that decides it is not known."""
        fits = _fits(self.value, env, self.name)
        excused = {_fits(other.value, env, other.name) for other in self.unless}
        if fits is False or True in excused:
            return False
        return None if None in {fits, *excused} else True


@cache
def harmful_env() -> tuple[HarmfulSetting, ...]:
    return read("harmful_env.yaml", HarmfulSetting)


def is_debugging(env: Mapping[str, str | None]) -> bool:
    """Whether NCCL logs so much that someone may be looking for a fault, and mean what hurts."""
    return _fits(_DEBUGGING, env, "NCCL_DEBUG") is True


def _fits(pattern: re.Pattern[str], env: Mapping[str, str | None], name: str) -> bool | None:
    if name not in env:
        return False
    value = env[name]
    return None if value is None else pattern.fullmatch(value) is not None
