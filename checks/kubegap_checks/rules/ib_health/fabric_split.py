"""The pods of one run must be on nodes between which its fabric leads."""

from collections.abc import Iterator, Mapping, Sequence

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.fabric_access import asks_for_fabric, has_other_way
from kubegap_checks.inventory.fabric_parts import nodes_by_name, parts_of, room
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.fabric_domains import FabricDomain, asks_to_be_near, fabric_domains
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    for run in _on_fabric(facts):
        nodes = nodes_by_name(facts)
        on = [nodes[name] for name in sorted({pod.node for pod in run.pods}) if name in nodes]
        found = (_split(run, row, on, facts) for row in fabric_domains())
        yield from [finding for finding in found if finding][:1]


def _on_fabric(facts: Facts) -> Iterator[TrainingRun]:
    """The runs that train on a fabric."""
    for run in training_runs(facts):
        if not run.serves and any(asks_for_fabric(pod) or has_other_way(pod) for pod in run.pods):
            yield run


def _split(run: TrainingRun, row: FabricDomain, on: Sequence[Node], facts: Facts) -> Finding | None:
    parts = parts_of(row, on)
    if len(parts) < 2:  # noqa: PLR2004
        return None
    if row.between == "apart":
        return _finding(run, row, parts)
    enough = room(row, on, facts)
    if enough is None or any(asks_to_be_near(pod.annotations) for pod in run.pods):
        return None
    return _finding(run, row, parts, enough)


def _finding(run: TrainingRun, row: FabricDomain, parts: Mapping[str, Sequence[Node]], enough: str = "") -> Finding:
    """`enough` is the part that would have had room, where more switches are all that lies between."""
    few = ", ".join(sorted(parts)[:3])
    return Finding(
        subject=run.subject,
        key=row.key,
        says=Text(
            en=f"its nodes are in {len(parts)} {row.means.en} ({few})"
            + (f", and {enough} has enough" if enough else ""),
            ko=f"작업의 노드가 {row.means.ko} {len(parts)}곳에 걸쳐 있음({few})"
            + (f", {enough} 한 곳에도 노드가 충분함" if enough else ""),
        ),
        evidence={f"Node[{on[0].name}].metadata.labels.{row.key}": part for part, on in sorted(parts.items())[:3]},
        severity=Severity.LOW if enough else Severity.HIGH,
        confidence=Confidence.HINT if enough else Confidence.LIKELY.at_most(run.sign.confidence),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A run's nodes are not on one fabric", ko="작업 노드가 여러 패브릭에 나뉘어 있음"),
    why=Text(
        en="Where the fabric does not lead from one part to the other, collectives fall back to TCP or fail; where "
        "it leads over more switches, every step waits for the longest way.",
        ko="패브릭이 이어지지 않는 노드 사이에서는 집합 통신이 TCP로 넘어가거나 실패한다. 스위치를 더 거치는 곳이라면 "
        "매 스텝이 가장 먼 경로를 기다린다.",
    ),
    fix=Text(
        en="Require one value of the label for all pods of the job, by topology-aware scheduling or pod affinity, and "
        "give nodes of another fabric a queue of their own.",
        ko="토폴로지 인식 스케줄링이나 파드 어피니티로 작업의 모든 파드가 같은 레이블 값의 노드에 놓이게 하고, 다른 "
        "패브릭의 노드는 큐를 나눈다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, Node),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="the fabric's top tier was not one network and had to be rewired; there, on bare metal, the cabling "
                "was at fault and not the placement",
                ko="패브릭 최상위 계층이 한 네트워크가 아니어서 다시 배선했음. 베어메탈 사례, 원인은 배치가 아닌 배선",
            ),
        ),
        Cite(
            incident="2024-ai2-olmo2-cluster-burn-in",
            because=Text(
                en="nodes in an order that did not suit the network made collectives slow; there the order of ranks "
                "was at fault, not which nodes the job got",
                ko="네트워크 구조와 맞지 않는 노드 순서 때문에 집합 통신이 느렸음. 배정된 노드가 아니라 랭크 순서가 "
                "원인이었음",
            ),
        ),
    ),
    verify=("kubectl get pods -n NAMESPACE -o wide", "kubectl get nodes -L topology.kubernetes.io/zone"),
    looks_like=(
        Text(
            en="parts that further switches join, across which a large run has to lie",
            ko="큰 작업이면 걸칠 수밖에 없는 네트워크 블록",
        ),
        Text(
            en="a run that asked to be packed, and was as far as there was room",
            ko="모아 배치하도록 요청했고 자리가 되는 만큼 모인 작업",
        ),
        Text(en="zones of nodes whose fabric is not bound to them", ko="패브릭과 상관없는 존 레이블"),
        Text(en="groups of a serving deployment", ko="서빙 배포의 그룹들"),
    ),
    find=find,
    applies=lambda facts: any(_on_fabric(facts)),
)
