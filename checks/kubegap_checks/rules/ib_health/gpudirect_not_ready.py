"""Adapters must be able to reach GPU memory directly on nodes that have both."""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.operators import ClusterPolicy
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.node_state import changing
from kubegap_checks.inventory.peer_memory import (
    DirectNode,
    direct_nodes,
    modules_of_kin,
    peers_with_module,
    without_dma_buf,
)
from kubegap_checks.model import Check, Cite, Confidence, Finding, Seen, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    nodes = tuple(direct_nodes(facts))
    counts = modules_of_kin(nodes)
    for one in nodes:
        if one.has_module or changing(one.node, facts.read_at):
            continue
        if one.row.is_too_old(one.node.kernel):
            yield _old_kernel(one)
        elif not facts.unread(Node) and (peers := peers_with_module(one, counts)):
            yield _unlike_peers(one, peers)
        elif policy := without_dma_buf(one, facts):
            yield _wrong_modules(one, policy)


def _old_kernel(one: DirectNode) -> Finding:
    first = ".".join(map(str, one.row.dma_buf_kernel))
    why = Text(
        en=f"kernel {one.node.kernel} has no DMA-BUF, which comes with {first}",
        ko=f"커널 {one.node.kernel}에는 {first}부터 있는 DMA-BUF가 없음",
    )
    return _finding(one, why, {"status.nodeInfo.kernelVersion": one.node.kernel}, Severity.HIGH)


def _unlike_peers(one: DirectNode, peers: int) -> Finding:
    why = Text(en=f"{peers} nodes of the same kind have it loaded", ko=f"같은 종류의 노드 {peers}대에는 로드되어 있음")
    return _finding(one, why, {"peers.loaded": peers}, Severity.MEDIUM)


def _wrong_modules(one: DirectNode, policy: ClusterPolicy) -> Finding:
    modules = policy.driver.kernel_modules
    why = Text(
        en=f"its {modules} driver modules do no DMA-BUF", ko=f"{modules} 드라이버 모듈은 DMA-BUF를 지원하지 않음"
    )
    path = f"ClusterPolicy[{policy.name}].spec.driver"
    found = {f"{path}.kernelModuleType": modules, f"{path}.rdma.enabled": policy.driver.rdma}
    return _finding(one, why, found, Severity.HIGH)


def _finding(one: DirectNode, why: Text, found: Mapping[str, Seen], severity: Severity) -> Finding:
    module = one.row.peer_memory[0]
    return Finding(
        subject=Subject("Node", one.node.name),
        says=Text(en=f"{module} is not loaded, and {why.en}", ko=f"{module} 모듈이 로드되지 않았고, {why.ko}"),
        evidence={f"NodeFeature.spec.features.flags.kernel.loadedmodule[{module}]": None, **found},
        severity=severity,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Adapters cannot reach GPU memory directly", ko="GPUDirect RDMA를 쓸 수 없는 노드"),
    why=Text(
        en="Without GPUDirect RDMA every byte between nodes is copied through host memory, and the run on all nodes "
        "waits for the one that copies.",
        ko="GPUDirect RDMA가 되지 않으면 노드 간 데이터가 모두 호스트 메모리를 거쳐 복사되고, 모든 노드의 작업이 그 "
        "노드를 기다린다.",
    ),
    fix=Text(
        en="Load the peer memory module after the network driver and keep it loaded, or move to a kernel and open "
        "driver modules that do DMA-BUF.",
        ko="네트워크 드라이버 다음에 피어 메모리 모듈을 로드해 유지하거나, DMA-BUF를 지원하는 커널과 오픈 드라이버 "
        "모듈로 옮긴다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Node, NodeFeature, ResourceSlice, NicClusterPolicy, ClusterPolicy),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="GPUDirect RDMA worked only once a kernel module was added and PCIe ACS, which no object shows, "
                "was off",
                ko="커널 모듈을 추가하고, 객체로는 보이지 않는 PCIe ACS를 끈 뒤에야 GPUDirect RDMA가 동작했음",
            ),
        ),
        Cite(
            incident="2023-aws-kernel-breaks-gpudirect-efa",
            because=Text(
                en="a newer kernel kept the proprietary GPU driver from linking to the adapter's, and the direct "
                "path was lost; on EFA",
                ko="EFA 사례. 새 커널에서 proprietary 드라이버가 어댑터 드라이버와 연결되지 못해 직접 경로를 잃었음",
            ),
        ),
    ),
    verify=(
        "kubectl get nodefeatures.nfd.k8s-sigs.io -A -l nfd.node.kubernetes.io/node-name=NODE -o yaml",
        "grep peer /proc/modules  # on the node",
    ),
    looks_like=(
        Text(
            en="DMA-BUF, which needs no module: newer kernels with open driver modules",
            ko="모듈이 필요 없는 DMA-BUF(새 커널과 오픈 드라이버 모듈)",
        ),
        Text(en="a kernel that carries DMA-BUF back to an older number", ko="번호는 낮지만 DMA-BUF가 백포트된 커널"),
        Text(en="adapters that bring their own way, such as EFA", ko="EFA처럼 자체 경로가 있는 어댑터"),
        Text(en="a node that has just joined or is being upgraded", ko="막 합류했거나 업그레이드 중인 노드"),
    ),
    find=find,
    applies=lambda facts: any(True for _ in direct_nodes(facts)),
)
