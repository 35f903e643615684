"""Labels by which a cloud or an agent says what kind of machine a node is and what it should have."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.accelerators import Vendor
from kubegap_checks.signals.tables import Filled, Regex, Row, read

Tells = Literal[
    "instance_type",
    "machine",  # the model of the machine as its firmware names it
    "pool",  # nodes that are given the same image or driver
    "image",  # what the machine was made from
    "topology",  # the switch, rack or domain that the node is closest to
    "nvlink_clique",  # the part of an NVLink fabric that the node has joined
    "made_on_demand",  # the node is made when pods wait for it, and goes when nothing runs on it
    "accelerators_expected",  # a number of whole devices, from outside the node's own driver
    "accelerators_current",  # a number of devices that an agent sees now
    "local_nvme_gb",  # decimal gigabytes of NVMe in the machine
    "local_nvme_is_ephemeral_storage",  # the NVMe is what the node offers as ephemeral storage
    "local_nvme_is_raw_block",  # the NVMe is handed out as block devices
]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceLabel(Row):
    """One label key; its value counts only where it matches `value` in full. `vendor` is None for any."""

    key: Filled
    tells: Tells
    value: Regex | None = None
    vendor: Vendor | None = None


@cache
def instance_labels() -> tuple[InstanceLabel, ...]:
    """All rows, the best first."""
    return read("instance_labels.yaml", InstanceLabel)


@cache
def _telling(tells: Tells) -> tuple[InstanceLabel, ...]:
    return tuple(row for row in instance_labels() if row.tells == tells)


def told(tells: Tells, labels: Mapping[str, str], vendor: Vendor | None = None) -> tuple[str, str] | None:
    """Key and value of the best label that tells this; rows of another vendor are passed over."""
    for row in _telling(tells):
        value = labels.get(row.key)
        if (
            value
            and (vendor is None or row.vendor in {None, vendor})
            and (row.value is None or row.value.fullmatch(value))
        ):
            return row.key, value
    return None


def pools(labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Key and value of every label that puts the node into a group of the same software."""
    return tuple((row.key, labels[row.key]) for row in _telling("pool") if row.key in labels)
