"""An operator may not take most GPU nodes at once for a new driver without waiting for what runs there."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import NicClusterPolicy, Node, ResourceSlice
from kubegap_checks.facts.operators import ClusterPolicy, NVIDIADriver
from kubegap_checks.facts.read import Facts, UnreadError
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.driver_upgrades import DriverUpgrade, driver_upgrades
from kubegap_checks.inventory.sources import once
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    found = offered(facts)
    if unread := once(found.unread, facts.unread(Node)):
        raise UnreadError(*unread)  # a part of the nodes is no measure
    nodes = len({devices.node.name for devices in found.devices})
    upgrades, _ = driver_upgrades(facts)  # what could not be read, `_applies` has told
    for upgrade in upgrades:
        at_once = upgrade.at_once(nodes)
        most = at_once > 1 and at_once * 100 > threshold("upgrade_share").value * nodes
        if most and upgrade.policy.auto and not upgrade.policy.waits_for:
            yield _finding(upgrade, at_once, nodes)


def _applies(facts: Facts) -> bool:
    """Whether any operator is told how to replace a driver."""
    upgrades, unread = driver_upgrades(facts)
    if unread:
        raise UnreadError(*unread)
    return bool(upgrades)


def _finding(upgrade: DriverUpgrade, at_once: int, nodes: int) -> Finding:
    return Finding(
        subject=upgrade.subject,
        says=Text(
            en=f"a new driver takes {at_once} of {nodes} GPU nodes at once, and waits for no run",
            ko=f"새 드라이버를 GPU 노드 {nodes}대 중 {at_once}대에 한꺼번에 적용하고 실행 중인 학습을 기다리지 않음",
        ),
        evidence={
            f"{upgrade.path}.autoUpgrade": True,
            f"{upgrade.path}.maxParallelUpgrades": upgrade.policy.max_parallel,
            f"{upgrade.path}.maxUnavailable": upgrade.max_unavailable,
        },
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="Drivers may be replaced on most nodes at once", ko="드라이버가 대부분의 노드에서 한꺼번에 교체될 수 있음"
    ),
    why=Text(
        en="A changed version, or a new release of the operator that brings one, evicts the GPU pods of that many "
        "nodes together; a bad driver is everywhere before anybody has seen it on one node.",
        ko="버전이 바뀌거나 새 오퍼레이터 릴리스가 새 버전을 들여오면 그만큼의 노드에서 GPU 파드가 함께 축출된다. "
        "문제가 있는 드라이버도 한 대에서 확인하기 전에 전체로 퍼진다.",
    ),
    fix=Text(
        en="Limit the nodes that are upgraded in parallel and unavailable, and have the operator wait for pods that "
        "train.",
        ko="동시에 업그레이드하는 노드 수와 사용 불가 노드 수를 제한하고, 학습 파드가 끝날 때까지 오퍼레이터가 "
        "기다리게 한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice, ClusterPolicy, NVIDIADriver, NicClusterPolicy),
    cites=(
        Cite(
            incident="2024-nvidia-nic-driver-rollout-drains-nodes",
            because=Text(
                en="network operators drained worker nodes for a driver or setting, and early versions could reboot "
                "a whole zone at once",
                ko="네트워크 오퍼레이터가 드라이버나 설정 변경으로 워커 노드를 drain했고, 초기 버전은 존 전체를 "
                "한꺼번에 재부팅할 수 있었음",
            ),
        ),
        Cite(
            incident="2025-openai-gpu-node-network-loss",
            because=Text(
                en="an automatic update reached many GPU servers before it was seen that it cut their network; there "
                "it was the host's operating system",
                ko="자동 업데이트가 네트워크를 끊는다는 사실이 드러나기 전에 많은 GPU 서버에 적용되었음. 드라이버가 "
                "아니라 호스트 OS 업데이트였음",
            ),
        ),
    ),
    verify=(
        "kubectl get clusterpolicies.nvidia.com -o jsonpath='{.items[*].spec.driver.upgradePolicy}'",
        "kubectl get nicclusterpolicies.mellanox.com -o jsonpath='{.items[*].spec.ofedDriver.upgradePolicy}'",
    ),
    looks_like=(
        Text(en="one limit that is large beside the other that is small", ko="한쪽 제한은 크지만 다른 쪽 제한이 작음"),
        Text(en="an operator that waits for the pods that train", ko="학습 파드가 끝나기를 기다리는 오퍼레이터"),
        Text(en="a driver that the node image brings", ko="노드 이미지에 포함된 드라이버"),
    ),
    find=find,
    applies=_applies,
)
