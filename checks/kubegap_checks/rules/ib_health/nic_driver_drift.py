"""Nodes that are alike must run the same driver and firmware of their network adapters."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from kubegap_checks.facts.adapters import NicDevice
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.drift import Software, differing
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.fabric_versions import FabricVersion, fabric_versions
from kubegap_checks.text import Text

# Year and month of a driver, family and release of a firmware: 25.10, 28.43.
_BRANCH = 2


def find(facts: Facts) -> Iterator[Finding]:
    boards: dict[str, list[NicDevice]] = defaultdict(list)
    for device in facts.known(NicDevice):
        boards[device.board].append(device)
    settled = (board for board, devices in sorted(boards.items()) if not any(one.updating for one in devices))
    firmware = (_firmware(board, boards[board]) for board in settled)
    yield from differing(facts, *map(_driver, fabric_versions()), *firmware)


def _driver(row: FabricVersion) -> Software:
    def read(devices: Devices) -> tuple[str, str]:
        return f"metadata.labels.{row.key}", devices.node.labels.get(row.key, "")

    return Software(name=row.what, branch=_BRANCH, read=read)


def _firmware(board: str, adapters: Sequence[NicDevice]) -> Software:
    """Of the boards with one PSID, which take the same firmware; a node with several versions tells them all."""
    versions: dict[str, set[str]] = defaultdict(set)
    for one in adapters:
        if one.firmware:
            versions[one.node].add(one.firmware)

    def read(devices: Devices) -> tuple[str, str]:
        told = sorted(versions.get(devices.node.name, ()))
        return f"NicDevice[psid={board}].status.firmwareVersion", "/".join(told)

    return Software(name=Text(en=f"firmware of boards {board}", ko=f"{board} 보드 펌웨어"), branch=_BRANCH, read=read)


def _applies(facts: Facts) -> bool:
    keys = {row.key for row in fabric_versions()}
    return any(keys & node.labels.keys() for node in facts.known(Node)) or any(facts.seen(NicDevice))


CHECK = Check(
    module=__name__,
    title=Text(
        en="Network driver or firmware differs among like nodes", ko="같은 종류 노드의 NIC 드라이버·펌웨어 불일치"
    ),
    why=Text(
        en="Collectives are as good as the worst adapter, and one that runs another version fails or slows in ways "
        "that look like a bad cable.",
        ko="집합 통신은 가장 나쁜 어댑터에 맞춰지고, 버전이 다른 어댑터의 오류나 성능 저하는 케이블 불량처럼 보인다.",
    ),
    fix=Text(
        en="Drain the node, bring its network driver and firmware to the version of the others together, and test "
        "the links before it comes back.",
        ko="노드를 drain하고 NIC 드라이버와 펌웨어를 함께 다른 노드의 버전으로 맞춘 뒤, 링크를 시험하고 복귀시킨다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice, NicDevice),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="faulty firmware and drivers came one by one, until a check held every host to exact versions of "
                "OFED and adapter firmware; on bare metal",
                ko="베어메탈 사례. 펌웨어와 드라이버 문제를 겪은 뒤 모든 호스트의 OFED와 NIC 펌웨어 버전을 점검했음",
            ),
        ),
        Cite(
            incident="2023-aws-kernel-breaks-gpudirect-efa",
            because=Text(
                en="parts of the network stack that were not upgraded together cost the direct path to the adapter; "
                "there within a node, not between nodes",
                ko="네트워크 스택 일부만 업그레이드되어 어댑터로 가는 직접 경로를 잃었음. 노드 사이가 아니라 한 노드 "
                "안에서 어긋난 사례",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -L nvidia.com/mofed.version",
        "kubectl get nicdevices.configuration.net.nvidia.com -A -o jsonpath='{.items[*].status}'",
    ),
    looks_like=(
        Text(
            en="an upgrade: a mark on a node of the pool, a device that is updated, younger nodes with another version",
            ko="업그레이드 중인 풀: 노드의 표시, 업데이트 중인 디바이스, 다른 버전으로 합류한 새 노드",
        ),
        Text(en="other machines, or other boards, which take other firmware", ko="다른 머신이나 펌웨어가 다른 보드"),
        Text(en="too few nodes to say which version is meant", ko="기준 버전을 정하기에 노드가 너무 적음"),
    ),
    find=find,
    applies=_applies,
)
