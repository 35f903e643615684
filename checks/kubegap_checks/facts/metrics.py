"""What a metrics source tells, joined to nodes, pods and claims: one record class for each group of quantities.

A group is what one rule, or a few, look at together; signals/quantities.yaml says which quantities it holds, in which
unit, and under which names exporters publish them. All records have the same fields, so that a quantity is a row of
that table and no code.
"""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import field

from kubegap_checks.facts.read import Kind, Measure, Record


class Measured(Record, frozen=True, kw_only=True):
    """One value of one quantity, or its course over a window.

    `node`, or `namespace` with `pod` and `container`, or with `claim`, say whose it is; "" where it is not of such a
    thing. `part` is the device: `mlx5_0/1`, `GPU 3`, `nvme0n1`. `labels` are the ones that the table asks to keep.
    `value` is the last of `points`, which are (unix seconds, value) and empty where one value was asked for.
    """

    KIND: ClassVar[Kind]

    quantity: str
    node: str = ""
    namespace: str = ""
    pod: str = ""
    container: str = ""
    claim: str = ""
    part: str = ""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    value: float
    points: tuple[tuple[float, float], ...] = ()


class Exported(Measured, frozen=True, kw_only=True):
    """How many series of a quantity each node has now; for quantities of nodes only. `labels["series"]` is the name."""

    KIND: ClassVar[Kind] = Measure(name="Exported", plural="exported", of="node")


class ExporterSeen(Measured, frozen=True, kw_only=True):
    """When each exporter was last heard on each node, unix seconds; `quantity` is the exporter's id in the table."""

    KIND: ClassVar[Kind] = Measure(name="ExporterSeen", plural="exporter_seen", of="node")


class LinkErrors(Measured, frozen=True, kw_only=True):
    """Counters of fabric ports that rose within the window; a port that has none risen has no row."""

    KIND: ClassVar[Kind] = Measure(name="LinkErrors", plural="link_errors", of="node")


class LinkRates(Measured, frozen=True, kw_only=True):
    """Speed and state of each fabric port."""

    KIND: ClassVar[Kind] = Measure(name="LinkRates", plural="link_rates", of="node")


class GpuErrors(Measured, frozen=True, kw_only=True):
    """Errors that GPUs reported within the window; a GPU without any has no row."""

    KIND: ClassVar[Kind] = Measure(name="GpuErrors", plural="gpu_errors", of="node")


class GpuThrottling(Measured, frozen=True, kw_only=True):
    """Share of the window in which something slowed a GPU down; a GPU that nothing slowed has no row."""

    KIND: ClassVar[Kind] = Measure(name="GpuThrottling", plural="gpu_throttling", of="node")


class GpuActivity(Measured, frozen=True, kw_only=True):
    """How busy each GPU was at most within the window, beside the pod that holds it; a busy GPU has no row."""

    KIND: ClassVar[Kind] = Measure(name="GpuActivity", plural="gpu_activity", of="node")


class NodeProfile(Measured, frozen=True, kw_only=True):
    """How each node runs on the whole: clocks, temperature, power, activity of its GPUs."""

    KIND: ClassVar[Kind] = Measure(name="NodeProfile", plural="node_profile", of="node")


class DiskLatency(Measured, frozen=True, kw_only=True):
    """Seconds that a read took on each node, over the window."""

    KIND: ClassVar[Kind] = Measure(name="DiskLatency", plural="disk_latency", of="node")


class TierReads(Measured, frozen=True, kw_only=True):
    """What filesystems and caches fetched from the object store behind them, over the window."""

    KIND: ClassVar[Kind] = Measure(name="TierReads", plural="tier_reads", of="cluster")


class VolumeFill(Measured, frozen=True, kw_only=True):
    """Fill of volumes, filesystems and storage clusters."""

    KIND: ClassVar[Kind] = Measure(name="VolumeFill", plural="volume_fill", of="claim")


class ContainerMemory(Measured, frozen=True, kw_only=True):
    """Memory of containers that hold accelerators, now and at the beginning of the window."""

    KIND: ClassVar[Kind] = Measure(name="ContainerMemory", plural="container_memory", of="pod")


class ApiServerLoad(Measured, frozen=True, kw_only=True):
    """How near the API servers are to their limits."""

    KIND: ClassVar[Kind] = Measure(name="ApiServerLoad", plural="api_server_load", of="cluster")


class EtcdLoad(Measured, frozen=True, kw_only=True):
    """How near etcd is to its limits."""

    KIND: ClassVar[Kind] = Measure(name="EtcdLoad", plural="etcd_load", of="cluster")


def measured_records() -> tuple[type[Measured], ...]:
    """Every record class that a metrics source fills."""
    # Not __subclasses__(): a dataclass with slots is made twice, and the first one stays there for a while.
    found = [one for one in globals().values() if isinstance(one, type) and issubclass(one, Measured)]
    return tuple(one for one in found if one is not Measured)
