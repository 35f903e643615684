"""Pods that ask for accelerators, and the runs they belong to."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar, Literal

from msgspec import Struct, field

from kubegap_checks.facts.read import Kind, Record, Remembers
from kubegap_checks.facts.selectors import Requirement

VolumeForm = Literal["claim", "ephemeral", "csi", "host_path", "empty_dir", "nfs", "image", "other"]


class Mount(Struct, frozen=True, kw_only=True):
    """`volumeMounts[]`: which of the pod's volumes is seen at which path."""

    volume: str
    path: str
    read_only: bool = False


class Ending(Struct, frozen=True, kw_only=True):
    """How a container ended the last time: `OOMKilled` 137, `Error` 1, `Completed` 0.

    `now` where it has not run again since.
    """

    reason: str
    code: int | None
    at: datetime | None = None
    now: bool = False


class DeviceHealth(Struct, frozen=True, kw_only=True):
    """Health of one allocated device, `Healthy`, `Unhealthy` or `Unknown`, as the kubelet tells it (KEP-4680).

    `resource` is `nvidia.com/gpu`, or `claim:<claim>/<request>` of a device that was claimed.
    """

    resource: str
    id: str
    health: str


class Toleration(Struct, frozen=True, kw_only=True):
    """An empty key with operator `Exists` tolerates every taint; an empty effect means every effect."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


class Container(Remembers, frozen=True, kw_only=True):
    """A container or init container.

    `env` holds only the names that signals/workloads.yaml lists; a value of None comes from elsewhere (a
    secret, a config map) and is never resolved, or has a form that may not be shown. `flags` holds the values of
    the command-line flags that the same table lists. `env_from` says that more variables come from a
    whole config map or secret. `workdir` is where relative paths begin, "" where only the image says it.
    `memory_limit` is bytes, None where no limit is set. `restarts`, `waiting` (why it does not run:
    `CrashLoopBackOff`), `ended` and `devices` are what its status says.
    """

    name: str
    init: bool = False
    image: str = ""
    env: Mapping[str, str | None]
    env_from: bool = False
    flags: Mapping[str, str]
    workdir: str = ""
    mounts: tuple[Mount, ...] = ()
    memory_limit: int | None = None
    limits: Mapping[str, int]  # extended resources, whole units
    privileged: bool = False
    added_capabilities: tuple[str, ...] = ()
    restarts: int = 0
    waiting: str = ""
    ended: Ending | None = None
    devices: tuple[DeviceHealth, ...] = ()


class PodVolume(Struct, frozen=True, kw_only=True):
    """`volumes[]`, by the form it has.

    `claim` is the PVC's name (also for an ephemeral volume, whose claim is `<pod>-<volume>`); `driver` and
    `attributes` belong to an inline CSI volume; `size_limit` (bytes) and `medium` to an emptyDir.
    """

    name: str
    form: VolumeForm
    claim: str = ""
    driver: str = ""
    attributes: Mapping[str, str]
    path: str = ""
    medium: str = ""
    size_limit: int | None = None
    read_only: bool = False


class Run(Struct, frozen=True, kw_only=True):
    """What a person would call the job: the outermost owner that the pod itself names."""

    kind: str
    namespace: str
    name: str


class Pod(Record, frozen=True, kw_only=True):
    """A live pod (neither Succeeded nor Failed) that asks for accelerators or claims devices.

    `resources` sums the limits of its containers' extended resources, `device_claims` counts
    `spec.resourceClaims`. `scheduling_group` names its group in Kubernetes' own gang scheduling, and `node_terms` is
    the required node affinity, as in a Template. `unplaced_since` is when the scheduler last said that no node takes
    it, with its words in `unplaced`.
    """

    KIND: ClassVar[Kind] = Kind(
        name="Pod",
        plural="pods",
        namespaced=True,
        workload=True,
        select="status.phase!=Succeeded,status.phase!=Failed",
    )

    namespace: str
    name: str
    node: str = ""
    phase: str = ""
    run: Run
    created: datetime | None = None
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    resources: Mapping[str, int]
    device_claims: int = 0
    containers: tuple[Container, ...] = ()
    volumes: tuple[PodVolume, ...] = ()
    host_network: bool = False
    host_ipc: bool = False
    deleting: bool = False
    priority: int | None = None
    priority_class: str = ""
    scheduler: str = ""
    restart_policy: str = ""
    node_selector: Mapping[str, str] = field(default_factory=dict[str, str])
    node_terms: tuple[tuple[Requirement, ...], ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    scheduling_group: str = ""
    unplaced_since: datetime | None = None
    unplaced: str = ""

    def volume(self, name: str) -> PodVolume | None:
        for volume in self.volumes:
            if volume.name == name:
                return volume
        return None
