"""The image of GPU machines must be one that somebody chose, never simply the newest."""

from collections.abc import Iterator

from kubegap_checks.facts.node_classes import EC2NodeClass
from kubegap_checks.facts.node_pools import NodePool
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text

# What Karpenter writes on its nodes and into its objects: kubernetes-sigs/karpenter:pkg/apis/v1 (labels.go,
# nodepool.go); aws/karpenter-provider-aws:pkg/apis/v1/ec2nodeclass.go calls the alias not fit for production.
_POOL, _NEWEST, _DRIFTED = "karpenter.sh/nodepool", "@latest", "Drifted"


def find(facts: Facts) -> Iterator[Finding | Unread]:
    classes = {one.name: alias for one in facts.seen(EC2NodeClass) if (alias := _newest(one))}
    found = offered(facts)
    with_gpus = {devices.node.labels.get(_POOL) for devices in found.devices}
    pools: dict[str, list[NodePool]] = {}
    for pool in facts.known(NodePool):
        if pool.name in with_gpus and pool.node_class in classes:
            pools.setdefault(pool.node_class, []).append(pool)
    for name, using in pools.items():
        yield _finding(name, classes[name], using)
    yield from found.unread


def _newest(node_class: EC2NodeClass) -> str | None:
    return next((alias for alias in node_class.image_aliases if alias.endswith(_NEWEST)), None)


def _holds_off(pool: NodePool) -> bool:
    """Whether the pool keeps its nodes when a newer image comes, be it at times only."""
    return any(budget.nodes in {"0", "0%"} and _DRIFTED in (budget.reasons or (_DRIFTED,)) for budget in pool.budgets)


def _finding(name: str, alias: str, pools: list[NodePool]) -> Finding:
    replaced = [pool.name for pool in pools if not _holds_off(pool)]
    named = ", ".join(sorted(replaced or [pool.name for pool in pools]))
    return Finding(
        subject=Subject("EC2NodeClass", name),
        says=Text(
            en=f"a newer image replaces the GPU nodes of pool {named} as soon as it is released"
            if replaced
            else f"new GPU nodes of pool {named} get the newest image, whatever the others run",
            ko=f"새 이미지가 나오는 즉시 {named} 풀의 GPU 노드가 교체됨"
            if replaced
            else f"{named} 풀의 새 GPU 노드는 기존 노드와 관계없이 최신 이미지를 받음",
        ),
        evidence={"spec.amiSelectorTerms.alias": alias, "NodePool.spec.template.spec.nodeClassRef.name": name},
        severity=Severity.MEDIUM if replaced else Severity.LOW,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="GPU nodes follow the newest machine image", ko="GPU 노드가 항상 최신 머신 이미지를 씀"),
    why=Text(
        en="A new image brings another driver, kernel and toolkit on a day that the vendor picks: nodes with a run are "
        "replaced, and a broken driver reaches the pool before anybody has tried it.",
        ko="새 이미지는 벤더가 정한 날에 다른 드라이버, 커널, 툴킷을 들여온다. 학습 중인 노드가 교체되고, 문제가 "
        "있는 드라이버가 검증 없이 풀 전체로 퍼진다.",
    ),
    fix=Text(
        en="Name the image's version, and move the pool to a newer one after a node of each machine type has run a job "
        "on it.",
        ko="이미지 버전을 지정하고, 머신 유형마다 한 대에서 작업을 돌려 본 뒤 풀을 새 버전으로 옮긴다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice, NodePool, EC2NodeClass),
    cites=(
        Cite(
            incident="2023-aws-eks-gsp-driver-g4-g5",
            because=Text(
                en="autoscalers that resolved the newest image brought a driver branch that broke g4 and g5 nodes",
                ko="최신 AMI를 고르던 오토스케일러가 g4, g5 노드를 망가뜨리는 드라이버를 들여왔음",
            ),
        ),
        Cite(
            incident="2024-aws-eks-wrong-nvidia-kernel-module",
            because=Text(
                en="nodes that Karpenter made from the newest image came up with a driver that did not work on them",
                ko="Karpenter가 최신 이미지로 만든 노드가 맞지 않는 드라이버로 올라왔음",
            ),
        ),
    ),
    verify=(
        "kubectl get ec2nodeclasses.karpenter.k8s.aws -o yaml",
        "kubectl get nodepools.karpenter.sh -o jsonpath='{.items[*].spec.disruption.budgets}'",
    ),
    looks_like=(
        Text(en="an alias with a version", ko="버전이 지정된 alias"),
        Text(en="a class that no pool with GPU nodes uses", ko="GPU 노드가 있는 풀이 쓰지 않는 클래스"),
        Text(
            en="a budget that keeps drifted nodes: new nodes still get the newest image, which is a hint of low "
            "severity",
            ko="드리프트된 노드를 유지하는 budget이 있는 경우: 새 노드만 최신 이미지를 받으므로 심각도가 낮음",
        ),
    ),
    find=find,
    applies=lambda facts: any(facts.seen(EC2NodeClass)),
)
