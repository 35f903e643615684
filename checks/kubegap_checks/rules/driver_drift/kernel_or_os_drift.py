"""Nodes that are alike must have the same kernel and operating system."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.drift import Software, differing, fleets
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text

# A kernel's series is its first two numbers; of Ubuntu, RHEL and Amazon Linux the first number is the release.
_KERNEL = Software(
    name=Text(en="kernel", ko="커널"),
    branch=2,
    read=lambda devices: ("status.nodeInfo.kernelVersion", devices.node.kernel),
)
_SYSTEM = Software(
    name=Text(en="OS", ko="OS"), branch=1, read=lambda devices: ("status.nodeInfo.osImage", devices.node.os_image)
)


def find(facts: Facts) -> Iterator[Finding]:
    yield from differing(facts, _KERNEL, _SYSTEM)


CHECK = Check(
    module=__name__,
    title=Text(
        en="Nodes of one kind have different kernels or OS versions",
        ko="같은 종류의 노드인데 커널이나 OS가 다름",
    ),
    why=Text(
        en="GPU, NIC and storage drivers are built for a kernel; the one node with another kernel can lose GPUDirect "
        "or a whole driver, and its run slows down or fails while the node is Ready.",
        ko="GPU, NIC, 스토리지 드라이버는 커널에 맞춰 빌드된다. 커널이 다른 노드는 GPUDirect나 드라이버 자체를 잃을 수 "
        "있고, 노드가 Ready인 채로 학습이 느려지거나 실패한다.",
    ),
    fix=Text(
        en="Drain the node and bring it to the image that the others have, and hold back unattended package upgrades.",
        ko="노드를 drain한 뒤 다른 노드와 같은 이미지로 맞추고, 자동 패키지 업그레이드를 막는다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice),
    cites=(
        Cite(
            incident="2023-aws-kernel-breaks-gpudirect-efa",
            because=Text(
                en="nodes whose kernel had been updated lost GPUDirect RDMA over EFA",
                ko="커널을 업데이트한 노드에서 EFA의 GPUDirect RDMA를 쓸 수 없게 됐음",
            ),
        ),
        Cite(
            incident="2023-datadog-systemd-networkd-update",
            because=Text(
                en="Ubuntu's unattended upgrades cut nodes in five regions off the network within an hour; no GPU "
                "cluster",
                ko="Ubuntu 자동 업그레이드로 다섯 리전의 노드가 한 시간 안에 네트워크에서 끊겼음. GPU 클러스터는 아님",
            ),
        ),
    ),
    verify=("kubectl get nodes -o wide", "kubectl get nodes -L node.kubernetes.io/instance-type"),
    looks_like=(
        Text(
            en="a pool that is being upgraded: a mark on one of its nodes, or younger nodes with the other version "
            "that joined within days",
            ko="업그레이드 중인 풀: 노드에 표시가 있거나, 다른 버전의 새 노드가 며칠 안에 합류한 경우",
        ),
        Text(
            en="another pool or machine type, such as nodes of another CPU architecture",
            ko="다른 풀이나 머신 유형(예: CPU 아키텍처가 다른 노드)",
        ),
        Text(
            en="a node that is cordoned, has just joined or is being deleted",
            ko="cordon되었거나 막 합류했거나 삭제 중인 노드",
        ),
    ),
    find=find,
    applies=lambda facts: bool(fleets(facts)),
)
