"""How each kind of accelerator is counted, recognized, and told apart from a slice of one."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from kubegap_checks.signals.tables import Filled, Part, Regex, Row, Words, read

Vendor = Literal["nvidia", "amd", "intel", "gaudi", "neuron", "tpu"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMatch(Part):
    """A label whose key and value match in full; without `value` any value will do."""

    label: Regex
    value: Regex | None = None

    def key_in(self, labels: Mapping[str, str]) -> str | None:
        """The first key that matches, None where there is none."""
        return next(
            (
                key
                for key, value in labels.items()
                if self.label.fullmatch(key) and (self.value is None or self.value.fullmatch(value))
            ),
            None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(LabelMatch):
    """A label that explains what would else look like a gap."""

    text: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class CountLabel(Part):
    """A label with a number of devices, and what that number really counts."""

    label: Filled
    counts: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionKeys(Part):
    """Where a driver version stands: the values of `keys`, those that are there and not empty, joined by dots."""

    where: Literal["label", "annotation"]
    keys: tuple[Filled, ...]

    def version_in(self, values: Mapping[str, str]) -> str:
        return ".".join(values[key] for key in self.keys if values.get(key))


@dataclass(frozen=True, slots=True, kw_only=True)
class DraDevices(Part):
    """How a DRA driver's devices count.

    A device whose `type_attribute` matches `whole` is one physical device, named by its `identity`; a slice
    names the physical device that it belongs to in `parent`. A partitioned parent may be offered as a whole
    device too, so physical devices are the distinct identities and parents together. `product` and `version`
    name the attributes that hold the model and the driver's version. `companions` are drivers of the same vendor
    whose devices are no accelerators. `older_labels` are those of a labeller from before there was a DRA driver: a
    node that carries no others does not use it.
    """

    driver: Filled
    type_attribute: Filled
    whole: Regex
    slice: Regex
    identity: Filled
    parent: Filled
    product: Filled
    version: Filled
    companions: tuple[Filled, ...] = ()
    older_labels: Regex | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator(Row):
    """One vendor's accelerators; `name` is one of them. Patterns match in full.

    `whole` matches the resource names that count whole devices; where a node offers several of them, they
    count the same devices under two names; `parts` names smaller units of the same devices, offered beside
    them. While a label of `units_when` holds, the same resource counts slices instead. Where `replicas` names a
    label with more than 1, it counts that many shares of each device; a label of `shared_when` says that it
    counts shares even where no label says how many. `present` is evidence that the node has such devices
    although it offers none, and `no_capacity_is_normal` says when offering none is meant.
    A bridge or switch of the same vendor is not in `pci_classes`.
    """

    vendor: Vendor
    name: Filled
    whole: Regex
    shared: Regex | None = None
    sliced: Regex | None = None
    parts: Regex | None = None
    replicas: tuple[Filled, ...] = ()
    units_when: tuple[Explained, ...] = ()
    shared_when: tuple[Explained, ...] = ()
    present: tuple[LabelMatch, ...] = ()
    product: tuple[Filled, ...] = ()
    count: tuple[CountLabel, ...] = ()
    driver: tuple[VersionKeys, ...] = ()
    pci_vendor: str | None = None
    pci_classes: tuple[Filled, ...] = ()
    dra: DraDevices | None = None
    no_capacity_is_normal: tuple[Explained, ...] = ()


@cache
def accelerators() -> tuple[Accelerator, ...]:
    return read("accelerators.yaml", Accelerator)


@lru_cache(maxsize=4096)
def is_accelerator(resource: str) -> bool:
    """Whether an extended resource stands for accelerators, whole, shared or in parts."""
    return any(
        pattern.fullmatch(resource)
        for row in accelerators()
        for pattern in (row.whole, row.shared, row.sliced, row.parts)
        if pattern is not None
    )
