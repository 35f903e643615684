"""Nodes that are alike must have the same firmware."""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.drift import Software, differing, fleets
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.firmware_labels import firmware_in
from kubegap_checks.text import Text

# Of each node the label and the version of each part.
Firmware = Mapping[str, Mapping[str, tuple[str, str]]]


def find(facts: Facts) -> Iterator[Finding]:
    told = _told(facts)
    parts = sorted({part for firmware in told.values() for part in firmware})
    yield from differing(facts, *(_firmware(part, told) for part in parts))


def _told(facts: Facts) -> Firmware:
    """What nodes in service tell, by name; those that tell nothing are left out."""
    nodes = (devices.node for fleet in fleets(facts) for devices in fleet)
    return {node.name: firmware for node in nodes if (firmware := firmware_in(node.labels))}


def _firmware(part: str, told: Firmware) -> Software:
    """How far two versions are apart, firmware's numbers do not tell."""

    def read(devices: Devices) -> tuple[str, str]:
        label, version = told.get(devices.node.name, {}).get(part, ("", ""))
        return f"metadata.labels.{label}", version

    return Software(name=Text(en=f"firmware {part}", ko=f"펌웨어 {part}"), branch=None, read=read)


CHECK = Check(
    module=__name__,
    title=Text(en="Nodes of one kind have different firmware", ko="같은 종류의 노드인데 펌웨어가 다름"),
    why=Text(
        en="A node with other firmware can be slower, lose links or report faults that the others do not have, and "
        "after a repair it is easily the one that was missed.",
        ko="펌웨어가 다른 노드는 더 느리거나 링크를 잃거나 다른 노드에 없는 오류를 낼 수 있고, 수리한 뒤 업데이트가 "
        "빠진 노드인 경우가 많다.",
    ),
    fix=Text(
        en="Bring the node to the firmware that the others have, or have the provider do it, before it trains again.",
        ko="노드의 펌웨어를 다른 노드와 맞추거나 제공사에 요청한 뒤 다시 학습에 투입한다.",
    ),
    severity=Severity.LOW,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="faulty firmware was one of the causes, and a host could train only with the exact adapter "
                "firmware, GSP firmware and VBIOS; bare metal without Kubernetes",
                ko="펌웨어 문제도 원인 중 하나였고, 어댑터 펌웨어, GSP 펌웨어, VBIOS가 정해진 버전인 호스트만 학습에 "
                "썼음. "
                "Kubernetes가 아닌 베어메탈 사례",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -L oci.oraclecloud.com/host.fw.bundle_version",
        "nvidia-smi --query-gpu=vbios_version --format=csv,noheader  # on the node",
    ),
    looks_like=(
        Text(
            en="a pool that is being upgraded: a mark on one of its nodes, or younger nodes with the other version "
            "that joined within days",
            ko="업그레이드 중인 풀: 노드에 표시가 있거나, 다른 버전의 새 노드가 며칠 안에 합류한 경우",
        ),
        Text(
            en="drives of several makers in hosts of one shape",
            ko="같은 사양의 호스트에 섞인 여러 제조사의 드라이브",
        ),
        Text(en="another pool or machine type", ko="다른 풀이나 머신 유형"),
    ),
    find=find,
    applies=lambda facts: bool(_told(facts)),
)
