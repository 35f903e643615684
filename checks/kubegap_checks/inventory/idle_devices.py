"""GPUs that pods have held for the whole window, and that did nothing in it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from kubegap_checks.facts.metrics import GpuActivity
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.training import devices, workers
from kubegap_checks.signals.accelerators import is_accelerator
from kubegap_checks.signals.quantities import group
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.signals.workloads import owner_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleRun:
    """A run, how many of the devices that its pods hold were idle, and the nodes where they are."""

    run: Run
    pods: tuple[Pod, ...]
    idle: int

    @property
    def held(self) -> int:
        return sum(devices(pod) for pod in self.pods)

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(pod.node for pod in self.pods))


def holders(facts: Facts) -> Iterator[Pod]:
    """The pods that have worked, or could have, for the whole window; UnreadError after the last that could be read.

    A pod whose init containers still fetch data is pending; one that waits to be restarted does not hold on to
    anything by itself; what jobs of another scheduler do in a pod, no object tells.
    """
    since = facts.read_at - timedelta(hours=group(GpuActivity.KIND.plural).window_hours)
    for pod in facts.seen(Pod):
        if _works(pod) and pod.created and pod.created < since:
            yield pod


def idle_runs(facts: Facts, pods: Sequence[Pod]) -> Iterator[IdleRun]:
    """The runs of these pods that have idle devices, with the pods that do."""
    idle = _idle(facts, pods)
    found: dict[Run, list[Pod]] = defaultdict(list)
    for pod in pods:
        if idle.get((pod.namespace, pod.name)):
            found[pod.run].append(pod)
    for run, some in found.items():
        count = sum(min(idle[pod.namespace, pod.name], devices(pod)) for pod in some)
        yield IdleRun(run=run, pods=tuple(some), idle=count)


def _works(pod: Pod) -> bool:
    owner = owner_kind(pod.run.kind)
    waits = any(container.waiting for container in workers(pod))
    return pod.phase == "Running" and not (pod.deleting or waits or (owner and owner.hosts))


def _idle(facts: Facts, pods: Sequence[Pod]) -> Mapping[tuple[str, str], int]:
    """(namespace, pod) -> idle devices, by what the exporter says of pods, else where a whole node is idle."""
    rows = _of_devices(facts.known(GpuActivity))
    busiest: dict[tuple[str, str], float] = defaultdict(float)
    for row in rows:  # whichever series of a device shows work, and whoever held it then
        busiest[row.node, row.part] = max(busiest[row.node, row.part], row.value)
    idle = {device for device, value in busiest.items() if value < threshold("gpu_idle").value}
    held = {(row.node, row.part, row.namespace, row.pod) for row in rows if (row.node, row.part) in idle}
    told = Counter((namespace, pod) for _, _, namespace, pod in held)
    at_work = {node for node, _ in busiest.keys() - idle}
    on_node = Counter(node for node, _ in idle if node not in at_work)
    nodes = {node.name: node for node in facts.known(Node)}
    for pod in pods:
        if pod.node in nodes and 0 < _devices_of(nodes[pod.node]) <= on_node[pod.node]:
            told[pod.namespace, pod.name] = devices(pod)
    return told


def _of_devices(rows: Sequence[GpuActivity]) -> list[GpuActivity]:
    """Without those of a whole GPU that is cut, whose parts have rows of their own."""
    cut = {(row.node, row.part.partition("/")[0]) for row in rows if "/" in row.part}
    return [row for row in rows if (row.node, row.part) not in cut]


def _devices_of(node: Node) -> int:
    return sum(count for name, count in (node.capacity or {}).items() if is_accelerator(name))
