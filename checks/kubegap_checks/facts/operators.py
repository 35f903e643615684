"""What NVIDIA's GPU Operator is told to install on GPU nodes, and whether it says that it has."""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct, field

from kubegap_checks.facts.nodes import Condition
from kubegap_checks.facts.read import Kind, Record
from kubegap_checks.facts.upgrades import UpgradePolicy


class Operand(Struct, frozen=True, kw_only=True):
    """One component that the operator installs.

    `enabled` is None where the object does not say, which the operator takes for yes, but for `gds`, `gdrcopy` and
    `nodeStatusExporter`.
    `version` is a tag or a `sha256:` digest; empty where the operator's own default is used.
    """

    enabled: bool | None = None
    repository: str = ""
    image: str = ""
    version: str = ""


class DriverSettings(Struct, frozen=True, kw_only=True):
    """What a ClusterPolicy and an NVIDIADriver both say of the driver; None where the object does not say.

    `kernel_modules` is `auto`, `open` or `proprietary`; `host_mofed` that the network driver comes with the host.
    """

    kernel_modules: str = ""
    precompiled: bool | None = None
    rdma: bool | None = None
    host_mofed: bool | None = None
    upgrade: UpgradePolicy | None = None


class ClusterPolicy(Record, frozen=True, kw_only=True):
    """The operator's one policy for the cluster; the state of a second one is `ignored`.

    `operands` is by the name of the field: `driver`, `toolkit`, `devicePlugin`, `dcgm`, `dcgmExporter`, `gfd`,
    `migManager`, `nodeStatusExporter`, `validator`, `gds`, `gdrcopy`. `driver_crd` says that NVIDIADriver objects and
    not this one describe the driver.
    """

    KIND: ClassVar[Kind] = Kind(name="ClusterPolicy", plural="clusterpolicies", group="nvidia.com")

    name: str
    state: str = ""
    conditions: tuple[Condition, ...] = ()
    operands: Mapping[str, Operand]
    driver: DriverSettings = field(default_factory=DriverSettings)
    driver_crd: bool = False
    mig_strategy: str = ""
    plugin_config: str = ""  # the ConfigMap with the device plugin's settings, such as time-slicing
    plugin_config_default: str = ""


class NVIDIADriver(Record, frozen=True, kw_only=True):
    """The driver of the nodes that its selector picks, or of those that no other one picks (`default`).

    `type` is `gpu`, `vgpu` or `vgpu-host-manager`; `operands` holds `driver`, `gds` and `gdrcopy`.
    """

    KIND: ClassVar[Kind] = Kind(name="NVIDIADriver", plural="nvidiadrivers", group="nvidia.com", versions=("v1alpha1",))

    name: str
    state: str = ""
    conditions: tuple[Condition, ...] = ()
    type: str = ""
    default: bool = False
    node_selector: Mapping[str, str]
    operands: Mapping[str, Operand]
    driver: DriverSettings = field(default_factory=DriverSettings)
