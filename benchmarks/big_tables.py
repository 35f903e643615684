"""Lists as tables, as the API server prints them for kubectl and for clients that ask as it does (meta.k8s.io/v1)."""

from collections.abc import Callable
from typing import Final

import msgspec

Cells = list[str | int]


class _Names(msgspec.Struct, rename="camel"):
    name: str = ""
    node_name: str = ""
    phase: str = ""
    restart_count: int = 0


class _Info(msgspec.Struct, rename="camel"):
    kubelet_version: str = ""
    os_image: str = ""
    kernel_version: str = ""
    container_runtime_version: str = ""


class _Status(msgspec.Struct, rename="camel"):
    phase: str = ""
    node_info: _Info = msgspec.field(default_factory=_Info)
    container_statuses: list[_Names] = msgspec.field(default_factory=list[_Names])


class _Object(msgspec.Struct):
    metadata: msgspec.Raw
    spec: _Names = msgspec.field(default_factory=_Names)
    status: _Status = msgspec.field(default_factory=_Status)


_NODE: Final = ("Name", "Status", "Roles", "Age", "Version", "Internal-IP", "OS-Image", "Kernel", "Runtime")
_POD: Final = ("Name", "Ready", "Status", "Restarts", "Age", "IP", "Node")


def _node(name: str, item: _Object) -> Cells:
    info = item.status.node_info
    versions = [info.os_image, info.kernel_version, info.container_runtime_version]
    return [name, "Ready", "<none>", "20d", info.kubelet_version, "10.200.0.1", *versions]


def _pod(name: str, item: _Object) -> Cells:
    restarts = sum(status.restart_count for status in item.status.container_statuses)
    count = len(item.status.container_statuses) or 1
    return [name, f"{count}/{count}", item.status.phase, restarts, "20d", "10.1.2.3", item.spec.node_name]


TABLES: Final[dict[str, tuple[tuple[str, ...], Callable[[str, _Object], Cells]]]] = {
    "Node": (_NODE, _node),
    "Pod": (_POD, _pod),
}


def rows(kind: str, objects: list[bytes]) -> list[bytes]:
    """Each object as a row, with its metadata beside it as the server sends them unless it is told not to."""
    _, cells = TABLES[kind]
    decoder = msgspec.json.Decoder(_Object)
    made: list[bytes] = []
    for one in objects:
        item = decoder.decode(one)
        name = msgspec.json.decode(item.metadata, type=_Names).name
        partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": item.metadata}
        made.append(msgspec.json.encode({"cells": cells(name, item), "object": partial}))
    return made


def columns(kind: str) -> list[dict[str, str | int]]:
    names, _ = TABLES[kind]
    told = {"type": "string", "format": "", "description": "", "priority": 0}
    return [{"name": name, **told} for name in names]
