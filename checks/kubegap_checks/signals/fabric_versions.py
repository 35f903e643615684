"""Labels that tell the versions of a node's network adapters."""

from dataclasses import dataclass
from functools import cache

from kubegap_checks.signals.tables import Filled, Row, Words, read


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricVersion(Row):
    """A label whose value is the version of `what`; equal machines should have equal ones."""

    key: Filled
    what: Words


@cache
def fabric_versions() -> tuple[FabricVersion, ...]:
    return read("fabric_versions.yaml", FabricVersion)
