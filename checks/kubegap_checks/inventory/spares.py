"""Which nodes could stand in for one that a training run loses."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from kubegap_checks.facts.derived import each_derived
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.readiness import GpuNode, gpu_nodes
from kubegap_checks.inventory.sources import examples, read_or_unread
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.signals.workloads import owner_kind
from kubegap_checks.text import Text


class Reserve(Struct, frozen=True, kw_only=True):
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


class _Place(Struct, frozen=True, kw_only=True):
    """A node as a stand-in: free, not free or not known; where pods hold it, `ceiling` is their highest priority.

    Without a ceiling one that is held is not free for any run.
    """

    name: str
    free: bool | None
    ceiling: int | None = None

    def stands_in(self, least: int | None) -> bool | None:
        """For a run whose pods have at least this priority."""
        if self.ceiling is None or least is None:
            return self.free
        return self.ceiling < least


@each_derived
def reserves(facts: Facts) -> Iterator[Reserve]:
    """One of each run that is large enough to need a spare; UnreadError where nodes or pods could not all be read.

    Pods in which another scheduler runs jobs are on all nodes, idle ones too: they are no run.
    """
    nodes = {node.name: node for node in gpu_nodes(facts)}
    labels = {node.name: node.labels for node in facts.known(Node)}
    pods, unread = read_or_unread(facts, Pod)
    held: dict[str, list[Pod]] = {}
    for pod in pods:
        held.setdefault(pod.node, []).append(pod)
    places: dict[tuple[str | None, str | None], list[_Place]] = {}
    for node in nodes.values():
        places.setdefault(_kind(node), []).append(_place(node, held.get(node.name, [])))
    standing: dict[tuple[object, int | None], list[tuple[str, bool | None]]] = {}
    for run in training_runs(facts):
        owner = owner_kind(run.run.kind)
        on = sorted({pod.node for pod in run.pods if pod.node in nodes})
        if len(on) < threshold("spare_run_nodes").value or (owner and owner.hosts):
            continue
        kind = Counter(_kind(nodes[name]) for name in on).most_common(1)[0][0]
        least = min((pod.priority for pod in run.pods if pod.priority is not None), default=None)
        own = set(on)
        if (kind, least) not in standing:  # once for all runs alike: there are hundreds, over thousands of nodes
            standing[kind, least] = [
                (place.name, stands_in) for place in places[kind] if (stands_in := place.stands_in(least)) is not False
            ]
        others = [(name, stands_in) for name, stands_in in standing[kind, least] if name not in own]
        yield Reserve(
            run=run,
            nodes=tuple(on),
            spares=tuple(name for name, stands_in in others if stands_in),
            doubtful=tuple(name for name, stands_in in others if stands_in is None),
            unread=(*unread, *facts.unread(Node)),
            on_demand=next((found for name in on if (found := told("made_on_demand", labels[name]))), None),
        )


def _untold(doubtful: tuple[str, ...]) -> Unread:
    nodes = examples(doubtful)
    return Unread(
        what=Text(en=f"whether {nodes.en} could serve as a spare", ko=f"{nodes.ko}: 예비 노드로 쓸 수 있는지"),
        reason="invalid",
        remedy=Text(en="see their reasons in list_gpu_nodes", ko="list_gpu_nodes에서 해당 노드의 이유를 확인"),
    )


def _kind(node: GpuNode) -> tuple[str | None, str | None]:
    return node.product, node.instance_type


def _place(node: GpuNode, held: list[Pod]) -> _Place:
    if node.verdict == "not_ready":
        return _Place(name=node.name, free=False)
    if node.gpus.requested != 0 and (node.gpus.requested is not None or held):
        known = [pod.priority for pod in held if pod.priority is not None]
        return _Place(name=node.name, free=False, ceiling=max(known) if known and len(known) == len(held) else None)
    return _Place(name=node.name, free=True if node.verdict == "ready" and node.gpus.requested == 0 else None)
