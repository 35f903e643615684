"""Accelerator nodes whose measurements tell of their hardware: in service, and to be compared up for a while."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from kubegap_checks.facts.derived import derived
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts, UnreadError
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.node_state import in_service
from kubegap_checks.inventory.sources import once
from kubegap_checks.signals.thresholds import threshold


@derived
def serving(facts: Facts) -> Mapping[str, Devices]:
    """Those that nobody has taken out, by name: one under repair may well report errors."""
    return {one.node.name: one for one in offered(facts).devices if in_service(one.node, facts.read_at)}


@derived
def steady(facts: Facts) -> Mapping[str, Devices]:
    """Those of them that are ready and have not just come back: links train and caches fill for some minutes.

    They are to be compared: UnreadError where any node may be missing, since what is usual would be another thing.
    """
    if unread := once(offered(facts).unread, facts.unread(Node)):
        raise UnreadError(*unread)
    return {name: one for name, one in serving(facts).items() if _is_up(one.node, facts.read_at)}


def _is_up(node: Node, now: datetime) -> bool:
    condition = node.condition("Ready")
    if condition is None or condition.status != "True":
        return False
    return condition.since is None or now - condition.since > timedelta(minutes=threshold("node_boot_grace").value)
