"""A run's volumes must be reachable from a node that has accelerators."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.facts.storage import Claim, Volume
from kubegap_checks.inventory.bound import BoundVolumes
from kubegap_checks.inventory.local_disks import has_accelerators
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text, moment


def find(facts: Facts) -> Iterator[Finding | Unread]:
    volumes = BoundVolumes(facts)
    late = facts.read_at - timedelta(minutes=threshold("pod_wait_grace").value)
    for run in training_runs(facts):
        found: list[Finding] = []
        for pod in run.pods:
            if pod.node or pod.unplaced_since is None or pod.unplaced_since > late:
                continue
            bound, unread = volumes.all_of(pod)
            yield from unread
            pinned = [volume for volume in bound if volume.node_affinity]
            if pinned and _out_of_reach(facts, pinned):
                found.append(_finding(run, pod, pod.unplaced_since, pinned))
        yield from found[:1]


def _out_of_reach(facts: Facts, pinned: Sequence[Volume]) -> bool:
    """Whether there are accelerator nodes, and none of them satisfies all of the volumes."""
    nodes = [node for node in facts.known(Node) if has_accelerators(node)]
    if not nodes or any(all(_satisfies(node, volume) for volume in pinned) for node in nodes):
        return False
    if lost := facts.unread(Node):
        raise UnreadError(*lost)
    return True


def _satisfies(node: Node, volume: Volume) -> bool:
    """As the scheduler judges it: one term holds, and a term holds where each of its keys does."""
    return any(all(node.labels.get(key) in values for key, values in term.items()) for term in volume.node_affinity)


def _finding(run: TrainingRun, pod: Pod, since: datetime, pinned: Sequence[Volume]) -> Finding:
    terms = [item for volume in pinned for term in volume.node_affinity for item in term.items()]
    where = ", ".join(sorted({f"{key}={value}" for key, values in terms for value in values})[:4])
    names = ", ".join(volume.name for volume in pinned)
    return Finding(
        subject=run.subject,
        says=Text(
            en=f"pod {pod.name} cannot be placed: no accelerator node can reach its volumes {names} ({where})",
            ko=f"파드 {pod.name}: 볼륨 {names}에 접근할 수 있는 가속기 노드가 없어({where}) 배치할 수 없음",
        ),
        evidence={
            f"Pod[{pod.namespace}/{pod.name}].status.conditions[PodScheduled].message": pod.unplaced,
            f"PersistentVolume[{pinned[0].name}].spec.nodeAffinity": where,
        },
        since=moment(since),
        confidence=Confidence.LIKELY.at_most(run.sign.confidence),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Volume lies where no accelerator node is", ko="가속기 노드가 없는 곳에 볼륨이 있음"),
    why=Text(
        en="A disk of one zone, or of a node that is gone, pins its pod there: the run never starts while GPUs of "
        "other zones stay idle, and no autoscaler helps where the zone has none.",
        ko="특정 존의 디스크나 사라진 노드의 볼륨은 파드를 그곳에 묶는다. 다른 존의 GPU가 놀아도 학습은 시작되지 "
        "않고, 그 존에 GPU가 없으면 오토스케일러도 소용없다.",
    ),
    fix=Text(
        en="Create the volume again in the accelerators' zone, and use a class that binds when its first pod is "
        "placed.",
        ko="가속기가 있는 존에 볼륨을 다시 만들고, 첫 파드가 배치될 때 바인딩하는 스토리지 클래스를 쓴다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, Claim, Volume, Node),
    cites=(
        Cite(
            incident="2023-kubeflow-volumes-in-two-zones",
            because=Text(
                en="a pod with two disks in different zones could be placed on no node; a notebook, not a training run",
                ko="서로 다른 영역의 디스크 두 개를 쓰는 파드가 어느 노드에도 배치되지 못했음. 학습이 아니라 노트북 "
                "파드",
            ),
        ),
    ),
    verify=(
        "kubectl describe pod -n NAMESPACE POD",
        "kubectl get pv -o custom-columns=NAME:.metadata.name,CLAIM:.spec.claimRef.name,WHERE:.spec.nodeAffinity",
        "kubectl get nodes -L topology.kubernetes.io/zone",
    ),
    looks_like=(
        Text(
            en="the accelerators there are in use: the pod waits for its turn",
            ko="그곳 가속기가 모두 쓰이는 중: 차례를 기다림",
        ),
        Text(
            en="the scheduler said so a moment ago, and a node may be on its way",
            ko="방금 나온 판정: 노드가 뜨는 중일 수 있음",
        ),
        Text(
            en="the claim waits for its first pod and is not bound yet",
            ko="첫 파드를 기다리느라 아직 바인딩되지 않은 PVC",
        ),
        Text(en="no accelerator node is up at all", ko="가속기 노드가 하나도 없는 상태"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
