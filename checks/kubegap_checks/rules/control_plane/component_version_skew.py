"""What runs on a node must not be further from the rest of Kubernetes than its developers test.

The API server's version is no object. No kubelet may be newer than it, so the newest one is the least that it is.
"""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts
from kubegap_checks.images import parse
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text
from kubegap_checks.versions import kubernetes_minor


def find(facts: Facts) -> Iterator[Finding]:
    kubelets = _kubelets(facts)
    if kubelets:
        yield from _old_kubelets(kubelets)
        for proxy in facts.known(DaemonSet):
            yield from _apart_from(proxy, kubelets)


def _kubelets(facts: Facts) -> Mapping[str, tuple[int, Node]]:
    """Minor version by node; a virtual kubelet has a version of its own (virtual-kubelet/azure-aci:charts)."""
    told = {node.name: (kubernetes_minor(node.kubelet), node) for node in facts.known(Node)}
    return {
        name: (version, node)
        for name, (version, node) in told.items()
        if version is not None and node.labels.get("type") != "virtual-kubelet"
    }


def _old_kubelets(kubelets: Mapping[str, tuple[int, Node]]) -> Iterator[Finding]:
    newest = max(version for version, _ in kubelets.values())
    for version, node in kubelets.values():
        if newest - version > threshold("kubernetes_skew").value:
            says = Text(
                en=f"its kubelet 1.{version} is {newest - version} minor versions older than the 1.{newest} of other "
                f"nodes",
                ko=f"kubelet 버전(1.{version})이 다른 노드(1.{newest})보다 마이너 버전 {newest - version}단계 낮음",
            )
            yield Finding(
                subject=Subject("Node", node.name),
                says=says,
                evidence={"status.nodeInfo.kubeletVersion": node.kubelet, "newest kubelet": f"1.{newest}"},
            )


def _apart_from(proxy: DaemonSet, kubelets: Mapping[str, tuple[int, Node]]) -> Iterator[Finding]:
    for image in proxy.images:
        version = kubernetes_minor(parse(image).tag)
        if version is None or not image.rpartition("/")[2].startswith("kube-proxy") or not proxy.desired:
            continue
        away = max((abs(version - kubelet), node.kubelet) for kubelet, node in kubelets.values())
        if away[0] >= threshold("kube_proxy_lag").value:
            yield Finding(
                subject=Subject(proxy.kind, proxy.name, proxy.namespace),
                says=Text(
                    en=f"kube-proxy 1.{version} is {away[0]} minor versions from kubelet {away[1]}",
                    ko=f"kube-proxy(1.{version})와 kubelet({away[1]})의 마이너 버전이 {away[0]}단계 차이 남",
                ),
                evidence={"spec.template.spec.containers[].image": image, "status.nodeInfo.kubeletVersion": away[1]},
                severity=None if away[0] > threshold("kubernetes_skew").value else Severity.LOW,
            )


CHECK = Check(
    module=__name__,
    title=Text(en="Components of nodes are too many versions apart", ko="노드 구성 요소 간 버전 차이가 너무 큼"),
    why=Text(
        en="Formats and APIs change between such versions: services lose their routes without a clear error, and the "
        "next upgrade is blocked.",
        ko="버전이 벌어지면 그 사이에 형식과 API가 바뀌어, 뚜렷한 오류 없이 서비스 라우팅이 깨지고 다음 업그레이드도 "
        "막힌다.",
    ),
    fix=Text(
        en="Upgrade the nodes and node agents that were left behind before you upgrade the control plane further.",
        ko="컨트롤 플레인을 더 올리기 전에 뒤처진 노드와 노드 에이전트를 먼저 업그레이드한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Node, DaemonSet),
    cites=(
        Cite(
            incident="2023-circleci-kube-proxy-version-skew",
            because=Text(
                en="kubelet and kube-proxy were at versions that write iptables rules differently, and service "
                "traffic broke until every node was restarted (how far apart the versions were is not told)",
                ko="kubelet과 kube-proxy의 버전마다 iptables 규칙 형식이 달라, 모든 노드를 재시작할 때까지 서비스 "
                "통신이 깨졌음(버전 차이가 얼마였는지는 알려지지 않음)",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -o wide",
        "kubectl -n kube-system get daemonsets -o wide",
        "kubectl version",
    ),
    looks_like=(
        Text(
            en="nodes in the middle of an upgrade, a version or two apart",
            ko="업그레이드 중이라 한두 버전 차이 나는 노드",
        ),
        Text(en="a virtual kubelet, which has a version of its own", ko="자체 버전을 쓰는 virtual kubelet"),
        Text(en="a kube-proxy that runs on no node", ko="실행 중인 노드가 없는 kube-proxy"),
    ),
    find=find,
)
