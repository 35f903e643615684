"""What NVIDIA's GPU Operator is told to install: NVIDIA/gpu-operator:api/nvidia.

Left out on purpose: `env`, `args`, pull secrets, and names of Secrets.
"""

import msgspec

from kubegap_mcp.kube.wire.meta import Top, Wire
from kubegap_mcp.kube.wire.nodes import NodeCondition
from kubegap_mcp.kube.wire.upgrades import UpgradePolicy


class Operand(Wire):
    enabled: bool | None = None
    repository: str | None = None
    image: str | None = None
    version: str | None = None


class Rdma(Wire):
    enabled: bool | None = None
    use_host_mofed: bool | None = None


class Driver(Operand):
    use_nvidia_driver_crd: bool | None = msgspec.field(default=None, name="useNvidiaDriverCRD")
    kernel_module_type: str | None = None
    use_precompiled: bool | None = None
    rdma: Rdma | None = None
    upgrade_policy: UpgradePolicy | None = None


class PluginConfig(Wire):
    name: str | None = None
    default: str | None = None


class DevicePluginOperand(Operand):
    config: PluginConfig | None = None


class Mig(Wire):
    strategy: str | None = None


class ClusterPolicySpec(Wire):
    driver: Driver | None = None
    toolkit: Operand | None = None
    device_plugin: DevicePluginOperand | None = None
    dcgm: Operand | None = None
    dcgm_exporter: Operand | None = None
    gfd: Operand | None = None
    mig: Mig | None = None
    mig_manager: Operand | None = None
    node_status_exporter: Operand | None = None
    validator: Operand | None = None
    gds: Operand | None = None
    gdrcopy: Operand | None = None


class OperatorStatus(Wire):
    state: str | None = None
    conditions: list[NodeCondition] | None = None


class ClusterPolicy(Top):
    spec: ClusterPolicySpec | None = None
    status: OperatorStatus | None = None


class NVIDIADriverSpec(Driver):
    """The driver itself stands at the top: `image` and `version` are its own."""

    driver_type: str | None = None
    default: bool | None = None
    node_selector: dict[str, str] | None = None
    gds: Operand | None = None
    gdrcopy: Operand | None = None


class NVIDIADriver(Top):
    spec: NVIDIADriverSpec | None = None
    status: OperatorStatus | None = None
