"""What is known to be wrong with the versions that run here, by the object that is to be changed."""

from collections.abc import Iterator

from msgspec import Struct

from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.driver_versions import driver_version
from kubegap_checks.inventory.installed import installation
from kubegap_checks.model import Subject
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.signals.known_bad import KnownBad, OfNode, defects
from kubegap_checks.text import Text

_NAMES: dict[OfNode, Text] = {
    "driver": Text(en="driver", ko="드라이버"),
    "kernel": Text(en="kernel", ko="커널"),
    "kubelet": Text(en="kubelet", ko="kubelet"),
    "node-image": Text(en="node image", ko="노드 이미지"),
}


class Defective(Struct, frozen=True, kw_only=True):
    """One component of one object, in a version with at least one known defect, the gravest first."""

    subject: Subject
    key: str
    name: Text
    version: str
    path: str
    seen: str
    rows: tuple[KnownBad, ...]


def defective(facts: Facts) -> Iterator[Defective | Unread]:
    """Everything that can be seen; what could not be read comes after it."""
    nodes = offered(facts)
    for devices in nodes.devices:
        yield from _of_node(devices)
    software = installation(facts)
    for installed in software.found:
        tag = installed.image.tag
        if rows := defects(installed.component.id, tag):
            yield Defective(
                subject=installed.subject,
                key=f"{installed.component.id} {tag}",
                name=installed.component.name,
                version=tag,
                path=installed.path,
                seen=installed.seen,
                rows=rows,
            )
    yield from (*nodes.unread, *software.unread)


def _of_node(devices: Devices) -> Iterator[Defective]:
    node = devices.node
    image = told("image", node.labels) or ("", "")
    versions: dict[OfNode, tuple[str, str]] = {
        "driver": driver_version(devices),
        "kernel": ("status.nodeInfo.kernelVersion", node.kernel),
        "kubelet": ("status.nodeInfo.kubeletVersion", node.kubelet),
        "node-image": (f"metadata.labels.{image[0]}", image[1]),
    }
    for component, (path, version) in versions.items():
        if rows := tuple(row for row in defects(component, version) if _concerns(row, devices)):
            yield Defective(
                subject=Subject("Node", node.name),
                key=component,
                name=_NAMES[component],
                version=version,
                path=path,
                seen=version,
                rows=rows,
            )


def _concerns(row: KnownBad, devices: Devices) -> bool:
    """Whether the node is one that the defect hurts."""
    offers = [name for name, count in (devices.node.capacity or {}).items() if count]
    if any(not any(map(pattern.fullmatch, offers)) for pattern in row.offers):
        return False
    kind = told("instance_type", devices.node.labels)
    if row.instance_type and not (kind and row.instance_type.fullmatch(kind[1])):
        return False
    return row.takes_driver(devices.driver)
