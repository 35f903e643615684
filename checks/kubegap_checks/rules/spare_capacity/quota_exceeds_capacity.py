"""A queue must not let in more accelerators than its nodes have."""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.queues import ClusterQueue, ResourceFlavor
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.whole_nodes import nodes_and_their
from kubegap_checks.model import Check, Cite, Confidence, Finding, Seen, Severity, Subject
from kubegap_checks.signals.accelerators import is_accelerator
from kubegap_checks.signals.instance_labels import told
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    queues, nodes = facts.known(ClusterQueue), nodes_and_their("capacity", facts)
    for flavor in facts.seen(ResourceFlavor):
        if flavor.topology:
            continue
        members = [(node, has) for node, has in nodes if flavor.node_labels.items() <= node.labels.items()]
        if any(told("made_on_demand", node.labels) for node, _ in members):
            continue
        for resource, shares in _nominal(queues, flavor).items():
            each = [has.get(resource, 0) for _, has in members]
            # A broken device or a node in repair is no fault of the quota.
            if any(each) and sum(shares.values()) > sum(each) + max(each):
                yield _finding(flavor, resource, shares, sum(each))


def _nominal(queues: tuple[ClusterQueue, ...], flavor: ResourceFlavor) -> Mapping[str, Mapping[str, int]]:
    """Resource -> queue -> quota; nothing of a resource of which a queue asks somebody else first."""
    found: dict[str, dict[str, int]] = {}
    checked: set[str] = set()
    for queue in queues:
        for quota in queue.quotas:
            if quota.flavor == flavor.name and is_accelerator(quota.resource) and not queue.stopped:
                found.setdefault(quota.resource, {})[queue.name] = quota.nominal
                checked |= {quota.resource} if queue.checked else set()
    return {resource: shares for resource, shares in found.items() if resource not in checked}


def _finding(flavor: ResourceFlavor, resource: str, shares: Mapping[str, int], capacity: int) -> Finding:
    total = sum(shares.values())
    quotas: dict[str, Seen] = {f"ClusterQueue[{name}].nominalQuota": quota for name, quota in list(shares.items())[:5]}
    return Finding(
        subject=Subject("ResourceFlavor", flavor.name),
        key=resource,
        says=Text(
            en=f"queues may let in {total} {resource}, and the flavor's nodes have {capacity}",
            ko=f"큐는 {resource} {total}개까지 받아들이는데, 이 플레이버의 노드에는 {capacity}개뿐임",
        ),
        evidence={**quotas, f"Node.status.capacity[{resource}]": capacity},
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Queue quota above what the nodes have", ko="큐 쿼터가 노드의 실제 용량보다 큼"),
    why=Text(
        en="A queue that believes in GPUs which do not exist starts jobs with part of their pods: they hold GPUs and "
        "wait "
        "for the rest, which never comes.",
        ko="없는 GPU까지 있다고 믿는 큐는 작업을 일부 파드만으로 시작시킨다. 작업은 GPU를 잡은 채 오지 않을 나머지를 "
        "기다린다.",
    ),
    fix=Text(
        en="Lower the quotas of the flavor to what its nodes have, less what is kept as a spare.",
        ko="플레이버의 쿼터 합계를 노드의 실제 용량에서 예비분을 뺀 값으로 낮춘다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Node, ClusterQueue, ResourceFlavor),
    cites=(
        Cite(
            incident="2024-kueue-partial-gang-deadlock",
            because=Text(
                en="a queue admitted a job of which only part could be placed, and the pod that ran waited in vain; "
                "there the count, not the quota, was wrong",
                ko="일부만 배치할 수 있는 작업을 큐가 받아들여, 먼저 뜬 파드가 끝없이 기다렸음. 이 사례에서는 쿼터가 "
                "아니라 "
                "계산이 틀렸음",
            ),
        ),
    ),
    verify=(
        "kubectl get clusterqueues.kueue.x-k8s.io -o jsonpath='{.items[*].spec.resourceGroups}'",
        "kubectl get nodes -o custom-columns=NAME:.metadata.name,GPU:.status.capacity",
    ),
    looks_like=(
        Text(
            en="a flavor with a topology, where Kueue looks at the nodes",
            ko="토폴로지가 있어 Kueue가 노드를 직접 보는 플레이버",
        ),
        Text(en="an admission check that brings the nodes first", ko="노드를 먼저 확보하는 어드미션 체크가 있음"),
        Text(en="nodes that are made on demand", ko="필요할 때 만들어지는 노드"),
        Text(en="a queue that is stopped", ko="중지된 큐"),
        Text(en="no more is missing than one node in repair", ko="수리 중인 노드 한 대분만 모자람"),
    ),
    find=find,
    applies=lambda facts: any(facts.seen(ResourceFlavor)),
)
