"""Marks on a node by which storage software says that it holds the node's local disks."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.facts.nodes import Node
from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class NvmeUser(Row):
    """One annotation, label or resource of a node; key and value match in full."""

    product: Filled
    where: Literal["annotation", "label", "resource"]
    key: Regex
    value: Regex

    def holds(self, node: Node) -> bool:
        places = {"annotation": node.annotations, "label": node.labels, "resource": node.capacity or {}}
        return any(
            self.key.fullmatch(key) and self.value.fullmatch(str(value)) for key, value in places[self.where].items()
        )


@cache
def nvme_users() -> tuple[NvmeUser, ...]:
    return read("nvme_users.yaml", NvmeUser)


def nvme_user(node: Node) -> NvmeUser | None:
    """The first that holds the node's disks; None where no mark says so."""
    return next((row for row in nvme_users() if row.holds(node)), None)
