"""Nodes of a training run that differ from the others of it, although all do the same work on like machines."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import Final

from kubegap_checks.facts.derived import each_derived
from kubegap_checks.facts.metrics import NodeProfile
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.devices import Devices, kin
from kubegap_checks.inventory.steady import steady
from kubegap_checks.inventory.training import TrainingRun, complete_runs, devices
from kubegap_checks.signals.quantities import group, place
from kubegap_checks.signals.thresholds import threshold

# The side on which a node holds up the others. One that is better than they are, or does less, is nobody's loss.
_WORSE_ABOVE: Final = frozenset({"gpu_temperature", "read_latency"})
# These are of the machine: power, tensor cores and reads follow the work, which may be shared unevenly. But who works
# harder, and draws more power for it, may be hotter and slower.
OF_THE_MACHINE: Final = frozenset({"sm_clock", "gpu_temperature"})
_POWER: Final = "gpu_power"
_BUSY: Final = "gpu_utilisation"
# Makes the median absolute deviation an estimate of the standard deviation of what is spread normally.
_NORMAL: Final = 1.4826


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """Nodes of one kind that one run holds alike, each of them alone."""

    run: TrainingRun
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddity:
    """A value of a node, the median of those that do the same work, and the distance in percent and in deviations."""

    quantity: str
    value: float
    usual: float
    percent: float
    score: float
    nodes: int


@each_derived
def crews(facts: Facts) -> Iterator[Crew]:
    """Of each run that has been up for the whole window, with enough nodes to compare."""
    nodes, on_node = steady(facts), _pods_by_node(facts)
    for run in complete_runs(facts):
        alike: dict[object, list[str]] = defaultdict(list)
        for name in sorted({pod.node for pod in run.pods} & nodes.keys()):
            if kind := _work(on_node[name], run, nodes[name], facts):
                alike[kind].append(name)
        for names in alike.values():
            if len(names) > threshold("odd_peers").value:
                yield Crew(run=run, nodes=tuple(names))


def _pods_by_node(facts: Facts) -> Mapping[str, Sequence[Pod]]:
    found: dict[str, list[Pod]] = defaultdict(list)
    for pod in facts.known(Pod):
        found[pod.node].append(pod)
    return found


def _work(pods: Sequence[Pod], run: TrainingRun, on: Devices, facts: Facts) -> object | None:
    """What makes the work of two nodes the same; None where others work there too, or it has not gone on for long."""
    since = facts.read_at - timedelta(hours=group(NodeProfile.KIND.plural).window_hours)
    steady_pods = all(pod.phase == "Running" and pod.created and pod.created < since for pod in pods)
    if not steady_pods or any(pod.run != run.run for pod in pods):
        return None
    kind = kin(on)
    return (kind, sum(map(devices, pods))) if kind else None


def profiles(facts: Facts) -> Mapping[str, Mapping[str, float]]:
    """Node -> quantity -> value; where it is told twice, the worse one."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for row in facts.known(NodeProfile):
        told, worse = found[row.node].get(row.quantity), max if _rises(row.quantity) else min
        found[row.node][row.quantity] = row.value if told is None else worse(told, row.value)
    return found


def oddities(crew: Crew, of_nodes: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, list[Oddity]]]:
    """Each node that works and is worse than those that do, and in what."""
    told = {name: of_nodes.get(name, {}) for name in crew.nodes}
    busy = {name: values for name, values in told.items() if values.get(_BUSY, 0) >= threshold("odd_busy").value}
    usual = _usual(busy.values())
    for name, values in busy.items():
        compared = [_oddity(what, values[what], usual[what]) for what in sorted(values.keys() & usual, key=place)]
        harder = any(one.quantity == _POWER and -one.percent >= _limit(_POWER) for one in compared)
        worse = [one for one in compared if _is_far(one) and not (harder and one.quantity in OF_THE_MACHINE)]
        if worse:
            yield name, worse


def _usual(busy: Collection[Mapping[str, float]]) -> Mapping[str, tuple[float, float, int]]:
    """Quantity -> median, deviation and number of nodes, where enough of them tell it."""
    found: dict[str, tuple[float, float, int]] = {}
    for quantity in {what for values in busy for what in values} - {_BUSY}:
        values = [told[quantity] for told in busy if quantity in told]
        if len(values) > threshold("odd_peers").value:
            middle = median(values)
            found[quantity] = (middle, _NORMAL * median(abs(value - middle) for value in values), len(values))
    return found


def _oddity(quantity: str, value: float, usual: tuple[float, float, int]) -> Oddity:
    middle, spread, nodes = usual
    worse_by = value - middle if _rises(quantity) else middle - value
    return Oddity(
        quantity=quantity,
        value=value,
        usual=middle,
        percent=100 * worse_by / middle if middle else 0.0,
        score=worse_by / spread if spread else float("inf"),
        nodes=nodes,
    )


def _is_far(odd: Oddity) -> bool:
    return odd.percent >= _limit(odd.quantity) and odd.score >= threshold("odd_score").value


def _limit(quantity: str) -> float:
    return threshold(f"odd_{quantity}").value


def _rises(quantity: str) -> bool:
    return quantity in _WORSE_ABOVE
