"""DaemonSets whose restart is felt by the pods of their node."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAgent(Row):
    """`image` matches in full what stands before the tag; `stops` is what pods lose meanwhile."""

    product: Filled
    image: Regex
    stops: Literal["network", "devices"]


@cache
def node_agents() -> tuple[NodeAgent, ...]:
    return read("node_agents.yaml", NodeAgent)


def node_agent(repository: str) -> NodeAgent | None:
    return next((row for row in node_agents() if row.image.fullmatch(repository)), None)
