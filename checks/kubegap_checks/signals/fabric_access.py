"""How pods reach the adapters between nodes without asking for them, or carry their traffic by other means."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.tables import Regex, Row, read

Place = Literal[
    "annotation",  # of the pod
    "host_path",  # that the pod mounts
    "env",  # of a container of the pod
    "env_off",  # of a container of the pod, which so does without, meant or not
    "node_label",  # with one value on all nodes of the run
    "node_module",  # loaded on a node, where it makes the device plugin give the devices to every pod with a GPU
    "agent_image",  # of a DaemonSet that does so
    "agent_env",  # of such a DaemonSet
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricAccess(Row):
    """A key or path, and where `value` is given also what it must hold; both match in full."""

    sign: Place
    key: Regex
    value: Regex | None = None


@cache
def fabric_access() -> tuple[FabricAccess, ...]:
    return read("fabric_access.yaml", FabricAccess)


def gives_access(sign: Place, key: str, value: str | None = None) -> bool:
    """Whether this stands in the table; a value that is not known may be any."""
    return any(
        row.sign == sign
        and row.key.fullmatch(key)
        and (value is None or row.value is None or row.value.fullmatch(value))
        for row in fabric_access()
    )
