"""What a machine of a given type has, by the type's exact name."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.accelerators import Vendor
from kubegap_checks.signals.fabrics import FabricKind
from kubegap_checks.signals.tables import Filled, Row, SignalTableError, read


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceType(Row):
    """A machine type; None is "not known", and 0 network adapters is known to be none.

    `nic_resource` says how the platform offers the adapters: `devices` (one unit each), `shared` (one unit
    for all), `either` (the operator chooses), `none` (pods name them in an annotation or use the host's).
    `local_nvme_gb` counts decimal gigabytes.
    """

    name: Filled
    provider: Filled
    gpus: int
    vendor: Vendor
    nic_kind: FabricKind | None = None
    nic_count: int | None = None
    nic_resource: Literal["devices", "shared", "either", "none"] | None = None
    local_nvme_gb: int | None = None

    @property
    def nic_resource_counts(self) -> bool:
        """Whether the platform always offers one unit of a resource for each adapter."""
        return self.nic_resource == "devices"


@cache
def instance_types() -> tuple[InstanceType, ...]:
    return read("instance_types.yaml", InstanceType)


def instance_type(name: str) -> InstanceType | None:
    return _by_name().get(name)


@cache
def _by_name() -> Mapping[str, InstanceType]:
    rows = {row.name: row for row in instance_types()}
    if len(rows) != len(instance_types()):
        raise SignalTableError("instance_types.yaml", "document", "names one type twice")
    return rows
