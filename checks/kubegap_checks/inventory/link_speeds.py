"""Fabric ports that are slower than they were, or than the same port of nodes that are alike."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kubegap_checks.facts.metrics import LinkRates
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.devices import Devices, kin
from kubegap_checks.inventory.sources import majority
from kubegap_checks.signals.thresholds import threshold

_BYTES_IN_GBIT = 125_000_000

Ports = dict[str, int]  # port -> Gb/s, 0 where it has no link


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowPort:
    """A port in Gb/s; `holders` of `others` like nodes have `better` there, or it had so itself where they are 0."""

    node: str
    port: str
    speed: int
    better: int
    holders: int = 0
    others: int = 0


def slow_ports(facts: Facts, nodes: Mapping[str, Devices]) -> Iterator[SlowPort]:
    """Of these nodes. What like nodes have for the most part is usual, and then no port's own past counts."""
    speeds, former = _speeds(facts)
    for group in _alike(nodes):
        counts = _counts(speeds.get(name, {}) for name in group)
        for name in group:
            own = speeds.get(name, {})
            usual = {port: found for port, speed in own.items() if (found := _usual(counts[port], speed))}
            # Where the sum is right, the devices only have other numbers than elsewhere.
            renumbered = sum(own.values()) >= sum(better for better, _, _ in usual.values())
            for port, speed in own.items():
                better, holders, others = usual.get(port, (0, 0, 0))
                if better > speed and not renumbered:
                    yield SlowPort(node=name, port=port, speed=speed, better=better, holders=holders, others=others)
                elif port not in usual and former.get((name, port), 0) > speed:
                    yield SlowPort(node=name, port=port, speed=speed, better=former[name, port])


def _speeds(facts: Facts) -> tuple[dict[str, Ports], dict[tuple[str, str], int]]:
    """What each port of each node has, and what ports had that were faster."""
    now: dict[str, Ports] = defaultdict(dict)
    former: dict[tuple[str, str], int] = {}
    rows = facts.known(LinkRates)
    down = {(row.node, row.part) for row in rows if row.quantity == "link_state_down"}
    for row in rows:
        speed = round(row.value / _BYTES_IN_GBIT)
        if row.quantity == "link_rate":
            # A port without a link still names a speed, mostly the least that it knows.
            now[row.node][row.part] = 0 if (row.node, row.part) in down else speed
        elif row.quantity == "link_rate_before":
            former[row.node, row.part] = speed
    return now, former


def _alike(nodes: Mapping[str, Devices]) -> Iterator[list[str]]:
    """Nodes of one kind together; one of which too little is known stands alone."""
    groups: dict[object, list[str]] = defaultdict(list)
    for name, devices in nodes.items():
        groups[kin(devices) or name].append(name)
    yield from groups.values()


def _counts(group: Iterable[Ports]) -> Mapping[str, Counter[int]]:
    """Port -> how often it has each speed."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for ports in group:
        for port, speed in ports.items():
            counts[port][speed] += 1
    return counts


def _usual(counts: Counter[int], own: int) -> tuple[int, int, int] | None:
    """The speed that most of the others have, how many that are, and of how many."""
    others = counts - Counter([own])
    agreed = majority(others, threshold("link_rate_peers").value)
    return (*agreed, others.total()) if agreed else None
