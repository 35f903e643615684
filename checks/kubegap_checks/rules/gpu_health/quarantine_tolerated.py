"""A training run may not tolerate what keeps work away from a faulty node."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Node, Taint
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.placement import tolerates
from kubegap_checks.inventory.reports import CORDON
from kubegap_checks.inventory.sources import examples
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.labels import marks
from kubegap_checks.text import Text

Against = tuple[Pod, Taint]


def find(facts: Facts) -> Iterator[Finding | Unread]:
    held_back = {node.name: _holding(node) for node in facts.known(Node)}
    for run in training_runs(facts):
        against = [(pod, taint) for pod in run.pods for taint in held_back.get(pod.node, ()) if _ignores(pod, taint)]
        if against:
            yield _tolerated(run, against)


def _holding(node: Node) -> list[Taint]:
    """The taints by which an agent or a person keeps work away; none where an operator will put the node back."""
    found = marks(node)
    if any(mark.signal.under_way for mark in found):
        return []
    faulty = {mark.key for mark in found}
    return [taint for taint in node.taints if taint.effect != "PreferNoSchedule" and _holds(taint, faulty)]


def _holds(taint: Taint, faulty: set[str]) -> bool:
    return taint.key in faulty or (taint.key == CORDON and taint.added is not None)


def _ignores(pod: Pod, taint: Taint) -> bool:
    """Whether the pod is there because of its toleration, and not since before the taint."""
    return tolerates(pod, taint) and (taint.effect == "NoExecute" or _came_later(pod, taint) is not False)


def _came_later(pod: Pod, taint: Taint) -> bool | None:
    """Whether the pod was made after the taint was set; None where nothing says when that was."""
    return None if taint.added is None or pod.created is None else pod.created > taint.added


def _tolerated(run: TrainingRun, against: list[Against]) -> Finding:
    pod, taint = against[0]
    nodes = examples(sorted(pod.node for pod, _ in against))
    sure = any(taint.effect == "NoExecute" or _came_later(pod, taint) for pod, taint in against)
    return Finding(
        subject=run.subject,
        says=Text(
            en=f"its pods run on {nodes.en}, although the taint {taint.key} keeps work away there",
            ko=f"{taint.key} 테인트로 배치가 막힌 {nodes.ko}에서 파드가 실행 중임",
        ),
        evidence={
            f"Pod[{pod.namespace}/{pod.name}].spec.nodeName": pod.node,
            f"Node[{pod.node}].spec.taints[{taint.key}].effect": taint.effect,
            run.sign.path: run.sign.value,
        },
        severity=Severity.MEDIUM if all(taint.key == CORDON for _, taint in against) else None,
        confidence=run.sign.confidence.at_most(Confidence.LIKELY if sure else Confidence.HINT),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A training run tolerates the quarantine of a node", ko="격리된 노드에도 배치되는 학습 작업"),
    why=Text(
        en="A toleration for everything, often copied from a DaemonSet, puts the pods of a run onto the very nodes "
        "that were taken out for a fault.",
        ko="DaemonSet에서 복사해 온 전체 toleration이 있으면, 장애로 빼 둔 노드에 학습 파드가 다시 배치된다.",
    ),
    fix=Text(
        en="Remove the toleration from the run, or name only the taints of ordinary GPU nodes, and start its pods "
        "again on other nodes.",
        ko="작업에서 해당 toleration을 없애거나 일반 GPU 노드의 테인트만 지정하고, 다른 노드에서 파드를 다시 시작한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Node, Pod),
    cites=(
        Cite(
            incident="2021-bigscience-13b-bad-node-requeued",
            because=Text(
                en="the next job got the node with the broken GPU again and died at once; under Slurm, where nothing "
                "held the node back",
                ko="다음 작업이 고장 난 GPU가 있는 노드를 다시 받아 곧바로 죽었음. Slurm 환경이었고 노드를 막는 장치가 "
                "없었다는 점이 다름",
            ),
        ),
    ),
    verify=(
        "kubectl -n NAMESPACE get pod POD -o jsonpath='{.spec.nodeName}{.spec.tolerations}'",
        "kubectl get node NODE -o jsonpath='{.spec.taints}'",
    ),
    looks_like=(
        Text(en="pods that were there before the taint", ko="테인트가 걸리기 전부터 실행 중이던 파드"),
        Text(en="a node that an operator is upgrading and will put back", ko="오퍼레이터가 작업 후 되돌릴 노드"),
        Text(en="a taint that marks GPU nodes as such", ko="GPU 노드임을 나타낼 뿐인 테인트"),
    ),
    find=find,
    applies=lambda facts: any(True for _ in training_runs(facts)),
)
