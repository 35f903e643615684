"""Which nodes could stand in for one that a training run loses."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.readiness import GpuNode, gpu_nodes
from kubegap_checks.inventory.sources import examples, read_or_unread
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserve:
    """A training run over many nodes, and what there is beside the nodes that it is on.

    `spares` are like nodes that are ready and idle, or held by pods that would give way to the run. `doubtful` are
    those of which it is not known, and `unread` is what could not be read. `on_demand` is the label that says that
    the run's nodes are made when they are needed, and its value.
    """

    run: TrainingRun
    nodes: tuple[str, ...]
    spares: tuple[str, ...]
    doubtful: tuple[str, ...]
    unread: tuple[Unread, ...]
    on_demand: tuple[str, str] | None

    @property
    def doubts(self) -> tuple[Unread, ...]:
        """Why it is not known whether there are other spares; empty where there are surely none."""
        return (_untold(self.doubtful),) if self.doubtful else self.unread


def reserves(facts: Facts) -> Iterator[Reserve]:
    """One of each run that is large enough to need a spare; UnreadError where nodes or pods could not all be read."""
    nodes = {node.name: node for node in gpu_nodes(facts)}
    labels = {node.name: node.labels for node in facts.known(Node)}
    pods, unread = read_or_unread(facts, Pod)
    held: dict[str, list[Pod]] = {}
    for pod in pods:
        held.setdefault(pod.node, []).append(pod)
    for run in training_runs(facts):
        on = sorted({pod.node for pod in run.pods} & set(nodes))
        if len(on) < threshold("spare_run_nodes").value:
            continue
        kind = Counter(_kind(nodes[name]) for name in on).most_common(1)[0][0]
        others = [node for node in nodes.values() if _kind(node) == kind and node.name not in on]
        spares = [node.name for node in others if _stands_in(run, node, held.get(node.name, [])) is True]
        doubtful = [node.name for node in others if _stands_in(run, node, held.get(node.name, [])) is None]
        yield Reserve(
            run=run,
            nodes=tuple(on),
            spares=tuple(spares),
            doubtful=tuple(doubtful),
            unread=(*unread, *facts.unread(Node)),
            on_demand=next((found for name in on if (found := told("made_on_demand", labels[name]))), None),
        )


def _untold(doubtful: tuple[str, ...]) -> Unread:
    nodes = examples(doubtful)
    return Unread(
        what=Text(en=f"whether {nodes.en} could serve as a spare", ko=f"{nodes.ko}를 예비 노드로 쓸 수 있는지"),
        reason="invalid",
        remedy=Text(en="see their reasons in list_gpu_nodes", ko="list_gpu_nodes에서 해당 노드의 이유를 확인"),
    )


def _kind(node: GpuNode) -> tuple[str | None, str | None]:
    return node.product, node.instance_type


def _stands_in(run: TrainingRun, node: GpuNode, held: list[Pod]) -> bool | None:
    if node.verdict == "not_ready":
        return False
    if node.gpus.requested != 0 and (node.gpus.requested is not None or held):
        return bool(held) and all(_gives_way(pod, run) for pod in held)
    return True if node.verdict == "ready" and node.gpus.requested == 0 else None


def _gives_way(pod: Pod, run: TrainingRun) -> bool:
    own = [member.priority for member in run.pods if member.priority is not None]
    return pod.priority is not None and bool(own) and pod.priority < min(own)
