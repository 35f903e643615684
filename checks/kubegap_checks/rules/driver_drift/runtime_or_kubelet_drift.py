"""Nodes that are alike must have the same kubelet and container runtime."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.drift import Software, differing, fleets
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text

_KUBELET = Software(
    name=Text(en="kubelet", ko="kubelet"),
    branch=2,
    read=lambda devices: ("status.nodeInfo.kubeletVersion", devices.node.kubelet),
)
_RUNTIME = Software(
    name=Text(en="container runtime", ko="컨테이너 런타임"),
    branch=2,
    read=lambda devices: ("status.nodeInfo.containerRuntimeVersion", devices.node.runtime),
)


def find(facts: Facts) -> Iterator[Finding]:
    yield from differing(facts, _KUBELET, _RUNTIME)


CHECK = Check(
    module=__name__,
    title=Text(
        en="Nodes of one kind have different kubelets or runtimes", ko="같은 종류의 노드인데 kubelet이나 런타임이 다름"
    ),
    why=Text(
        en="How devices are given to a container depends on kubelet and runtime; on the node that differs a GPU pod "
        "can "
        "be refused or lose its devices, where all the others work.",
        ko="디바이스를 컨테이너에 넘기는 방식은 kubelet과 런타임에 달려 있다. 버전이 다른 노드에서만 GPU 파드가 "
        "거부되거나 "
        "디바이스를 잃을 수 있다.",
    ),
    fix=Text(
        en="Drain the node and bring it to the versions that the others have.",
        ko="노드를 drain한 뒤 다른 노드와 같은 버전으로 맞춘다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice),
    cites=(
        Cite(
            incident="2023-circleci-kube-proxy-version-skew",
            because=Text(
                en="after an upgrade the components of the nodes no longer fitted each other, and the cluster's "
                "traffic broke; there it was kube-proxy",
                ko="업그레이드 뒤 노드 구성 요소의 버전이 서로 맞지 않아 클러스터 통신이 깨졌음. 당시 원인은 "
                "kube-proxy였음",
            ),
        ),
        Cite(
            incident="2023-kubernetes-kubelet-restart-kills-device-pods",
            because=Text(
                en="some kubelet versions end running pods with devices when they restart, others do not",
                ko="일부 kubelet 버전은 재시작할 때 디바이스를 쓰는 실행 중 파드를 종료시켰음",
            ),
        ),
    ),
    verify=("kubectl get nodes -o wide",),
    looks_like=(
        Text(
            en="a pool that is being upgraded: a mark on one of its nodes, or younger nodes with the other version "
            "that joined within days",
            ko="업그레이드 중인 풀: 노드에 표시가 있거나, 다른 버전의 새 노드가 며칠 안에 합류한 경우",
        ),
        Text(en="another pool or machine type", ko="다른 풀이나 머신 유형"),
        Text(
            en="a node that is cordoned, has just joined or is being deleted",
            ko="cordon되었거나 막 합류했거나 삭제 중인 노드",
        ),
    ),
    find=find,
    applies=lambda facts: bool(fleets(facts)),
)
