"""Nodes with accelerators that are alike, and those among them that have another version than most.

Alike are nodes of the same machine and the same pool: what another pool runs is somebody's choice. Where a rollout is
under way nothing is said of its nodes.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from kubegap_checks.facts.derived import derived
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts, UnreadError
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.devices import Devices, kin
from kubegap_checks.inventory.node_state import settling, under_way
from kubegap_checks.inventory.sources import once
from kubegap_checks.model import Confidence, Finding, Severity, Subject
from kubegap_checks.signals.instance_labels import pools
from kubegap_checks.signals.rollouts import rolling
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text
from kubegap_checks.versions import plain, series

Fleet = tuple[Devices, ...]


class Software(Struct, frozen=True, kw_only=True):
    """Something whose version nodes tell; `read` gives the field's path and its value, "" where it is not told.

    Versions that differ in what stands before them, or in the first `branch` numbers, are far apart; it is None where
    numbers tell nothing of that.
    """

    name: Text
    branch: int | None
    read: Callable[[Devices], tuple[str, str]]

    def version(self, devices: Devices) -> str:
        return plain(self.read(devices)[1])

    def far(self, one: str, other: str) -> bool:
        return self.branch is not None and series(one, self.branch) != series(other, self.branch)


class Difference(Struct, frozen=True, kw_only=True):
    """A node's version, and the one that most nodes like it have.

    `by_age` says that all nodes with either version are older than all with the other: a pool that is being replaced.
    """

    software: Software
    devices: Devices
    usual: str
    holders: int
    alike: int
    by_age: bool

    @property
    def far(self) -> bool:
        return self.software.far(self.software.version(self.devices), plain(self.usual))


@derived
def fleets(facts: Facts) -> tuple[Fleet, ...]:
    """The nodes in service that are alike, at least two each; UnreadError where any node may be missing."""
    found = offered(facts)
    if unread := once(found.unread, facts.unread(Node)):
        raise UnreadError(*unread)
    alike: dict[object, list[Devices]] = defaultdict(list)
    for devices in found.devices:
        node = devices.node
        if (kind := kin(devices)) and not (settling(node, facts.read_at) or node.unschedulable):
            alike[kind, pools(node.labels)].append(devices)
    return tuple(tuple(fleet) for fleet in alike.values() if len(fleet) > 1)


def _changing(devices: Devices) -> bool:
    """Whether the node's software is being replaced now, or waits for it."""
    return under_way(devices.node) is not None or rolling(devices.node)


@derived
def settled(facts: Facts) -> tuple[Fleet, ...]:
    """The fleets none of whose nodes is being changed."""
    return tuple(fleet for fleet in fleets(facts) if not any(map(_changing, fleet)))


def differing(facts: Facts, *kinds: Software) -> Iterator[Finding]:
    """One finding for each node on which any of these differs from what most nodes like it have."""
    for fleet in settled(facts):
        found: dict[str, list[Difference]] = defaultdict(list)
        for software in kinds:
            for difference in _differences(software, fleet, facts.read_at):
                found[difference.devices.node.name].append(difference)
        yield from map(_finding, found.values())


def _differences(software: Software, fleet: Fleet, now: datetime) -> Iterator[Difference]:
    told = [(devices, software.read(devices)[1]) for devices in fleet]
    least = threshold("drift_usual_min").value
    if len({text for _, text in told}) == 1:
        return
    telling = [(devices, plain(text)) for devices, text in told if text]
    counts = Counter(version for _, version in telling)
    usual, holders = counts.most_common(1)[0] if counts else ("", 0)
    if holders < least or holders * 2 <= len(telling):
        return
    most = [devices for devices, version in telling if version == usual]
    for version in sorted(counts.keys() - {usual}):
        others = [devices for devices, its_own in telling if its_own == version]
        began = _replaced_since(most, others)
        if began and now - began < timedelta(days=threshold("rollout_days").value):
            continue
        for devices in others:
            yield Difference(
                software=software,
                devices=devices,
                usual=software.read(most[0])[1],
                holders=holders,
                alike=len(telling),
                by_age=began is not None,
            )


def _replaced_since(some: Sequence[Devices], others: Sequence[Devices]) -> datetime | None:
    """When the younger version began to join, where every node of the one is younger than all of the other."""
    ages = [[devices.node.created for devices in part if devices.node.created] for part in (some, others)]
    if len(ages[0]) < len(some) or len(ages[1]) < len(others):
        return None
    older, younger = sorted(ages, key=min)
    return min(younger) if max(older) < min(younger) else None


def _finding(differences: Sequence[Difference]) -> Finding:
    """One for the node; grave where a version is far from the usual one and no replacement explains it."""
    replaced = all(difference.by_age for difference in differences)
    grave = any(difference.far and not difference.by_age for difference in differences)
    node = differences[0].devices.node
    return Finding(
        subject=Subject("Node", node.name),
        says=Text(
            en=", ".join(_said(difference).en for difference in differences),
            ko=", ".join(_said(difference).ko for difference in differences),
        ),
        evidence=dict(difference.software.read(difference.devices) for difference in differences),
        severity=Severity.MEDIUM if grave else Severity.LOW,
        confidence=Confidence.HINT if replaced else Confidence.CERTAIN,
    )


def _said(difference: Difference) -> Text:
    name, version = difference.software.name, difference.software.read(difference.devices)[1]
    holders, alike = difference.holders, difference.alike
    return Text(
        en=f"{name.en} {version}, where {holders} of {alike} like nodes have {difference.usual}",
        ko=f"{name.ko} {version}, 같은 종류의 노드 {alike}대 중 {holders}대는 {difference.usual}",
    )
