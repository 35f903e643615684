"""Pods, as far as they ask for accelerators and read data."""

import msgspec

from kubegap_mcp.kube.quantity import Quantity
from kubegap_mcp.kube.wire.meta import Glance, Time, Top, Wire
from kubegap_mcp.kube.wire.selectors import NodeAffinity


class Elsewhere(Wire):
    """Where a value comes from; never looked at."""


class EnvVar(Wire):
    name: str | None = None
    value: str | None = None
    value_from: Elsewhere | None = None


class VolumeMount(Wire):
    name: str | None = None
    mount_path: str | None = None
    read_only: bool | None = None


class Resources(Wire):
    limits: dict[str, Quantity] | None = None


class Capabilities(Wire):
    add: list[str] | None = None


class SecurityContext(Wire):
    privileged: bool | None = None
    capabilities: Capabilities | None = None


class Container(Wire):
    name: str | None = None
    image: str | None = None
    command: list[str] | None = None
    args: list[str] | None = None
    env: list[EnvVar] | None = None
    env_from: list[Elsewhere] | None = None
    working_dir: str | None = None
    volume_mounts: list[VolumeMount] | None = None
    resources: Resources | None = None
    security_context: SecurityContext | None = None
    restart_policy: str | None = None


class ClaimSource(Wire):
    claim_name: str | None = None
    read_only: bool | None = None


class CsiSource(Wire):
    driver: str | None = None
    read_only: bool | None = None
    volume_attributes: dict[str, str] | None = None


class HostPathSource(Wire):
    path: str | None = None


class EmptyDirSource(Wire):
    medium: str | None = None
    size_limit: Quantity | None = None


class NfsSource(Wire):
    server: str | None = None
    path: str | None = None
    read_only: bool | None = None


class Present(Wire):
    """A source of which only the presence matters."""


class Volume(Wire):
    name: str | None = None
    persistent_volume_claim: ClaimSource | None = None
    ephemeral: Present | None = None
    csi: CsiSource | None = None
    host_path: HostPathSource | None = None
    empty_dir: EmptyDirSource | None = None
    nfs: NfsSource | None = None
    image: Present | None = None


class Toleration(Wire):
    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None


class SchedulingGroup(Wire):
    """`schedulingGroup`, and `workloadRef` as it was called in 1.35: kubernetes/api:core/v1/types.go."""

    pod_group_name: str | None = None
    name: str | None = None


class Affinity(Wire):
    node_affinity: NodeAffinity | None = None


class PodSpec(Wire):
    node_name: str | None = None
    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    volumes: list[Volume] | None = None
    host_network: bool | None = None
    host_ipc: bool | None = msgspec.field(default=None, name="hostIPC")
    resource_claims: list[Present] | None = None
    priority: int | None = None
    priority_class_name: str | None = None
    scheduler_name: str | None = None
    restart_policy: str | None = None
    node_selector: dict[str, str] | None = None
    tolerations: list[Toleration] | None = None
    scheduling_group: SchedulingGroup | None = None
    workload_ref: SchedulingGroup | None = None
    affinity: Affinity | None = None


class Terminated(Wire):
    reason: str | None = None
    exit_code: int | None = None
    finished_at: Time | None = None


class Waiting(Wire):
    reason: str | None = None


class ContainerState(Wire):
    waiting: Waiting | None = None
    terminated: Terminated | None = None


class DeviceHealth(Wire):
    resource_id: str | None = msgspec.field(default=None, name="resourceID")
    health: str | None = None


class ResourceHealth(Wire):
    name: str | None = None
    resources: list[DeviceHealth] | None = None


class ContainerStatus(Wire):
    name: str | None = None
    restart_count: int | None = None
    state: ContainerState | None = None
    last_state: ContainerState | None = None
    allocated_resources_status: list[ResourceHealth] | None = None


class PodCondition(Wire):
    type: str | None = None
    status: str | None = None
    message: str | None = None
    last_transition_time: Time | None = None


class PodStatus(Wire):
    phase: str | None = None
    container_statuses: list[ContainerStatus] | None = None
    init_container_statuses: list[ContainerStatus] | None = None
    conditions: list[PodCondition] | None = None


class Pod(Top):
    spec: PodSpec | None = None
    status: PodStatus | None = None


class LimitsGlance(Wire):
    limits: dict[str, msgspec.Raw] | None = None


class ContainerGlance(Wire):
    resources: LimitsGlance | None = None


class SpecGlance(Wire):
    containers: list[ContainerGlance] | None = None
    init_containers: list[ContainerGlance] | None = None
    resource_claims: list[msgspec.Raw] | None = None


class PodGlance(Glance):
    """What tells whether a pod asks for devices: nine of ten pods of a large cluster do not."""

    spec: SpecGlance | None = None
