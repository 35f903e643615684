"""What a machine of a given type has, by the type's exact name or by that of its family."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from kubegap_checks.signals.accelerators import Vendor
from kubegap_checks.signals.fabrics import FabricKind
from kubegap_checks.signals.tables import Filled, Row, SignalTableError, read


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceType(Row):
    """A machine type; None is "not known", and 0 network adapters is known to be none.

    `nic_resource` says how the platform offers the adapters: `devices` (one unit each), `shared` (one unit
    for all), `either` (the operator chooses), `none` (pods name them in an annotation or use the host's),
    `optional` (a machine has them only where they were asked for when it was made, so that none is no gap).
    `local_nvme_gb` counts decimal gigabytes. A name that ends in `*` is that of a family; `gpus` is None where its
    members differ.
    """

    name: Filled
    provider: Filled
    gpus: int | None = None
    vendor: Vendor
    nic_kind: FabricKind | None = None
    nic_count: int | None = None
    nic_resource: Literal["devices", "shared", "either", "none", "optional"] | None = None
    local_nvme_gb: int | None = None

    @property
    def is_sold_with_fabric(self) -> bool:
        """Whether every machine of the type has fabric adapters."""
        return self.nic_kind is not None and self.nic_resource != "optional"

    @property
    def is_sold_without_fabric(self) -> bool:
        """Whether a machine of the type has no fabric adapters unless something else shows them."""
        return self.nic_count == 0 or self.nic_resource == "optional"

    @property
    def nic_resource_counts(self) -> bool:
        """Whether the platform always offers one unit of a resource for each adapter."""
        return self.nic_resource == "devices"


@cache
def instance_types() -> tuple[InstanceType, ...]:
    return read("instance_types.yaml", InstanceType)


@lru_cache(maxsize=4096)
def instance_type(name: str) -> InstanceType | None:
    """The row of a type, else that of its family."""
    exact = _by_name().get(name)
    return exact or next((row for row in _families() if name.startswith(row.name.removesuffix("*"))), None)


@cache
def _families() -> tuple[InstanceType, ...]:
    return tuple(row for row in instance_types() if row.name.endswith("*"))


@cache
def _by_name() -> Mapping[str, InstanceType]:
    rows = {row.name: row for row in instance_types()}
    if len(rows) != len(instance_types()):
        raise SignalTableError("instance_types.yaml", "document", "names one type twice")
    return rows
