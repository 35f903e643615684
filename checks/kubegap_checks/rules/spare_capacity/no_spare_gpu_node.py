"""A training run over many nodes must have a node beside them that can take the place of one that fails."""

from collections.abc import Iterator

from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.readiness import READS
from kubegap_checks.inventory.spares import Reserve, reserves
from kubegap_checks.model import Check, Cite, Confidence, Finding, Seen, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    for reserve in reserves(facts):
        if not reserve.spares:
            yield from reserve.doubts or (_finding(reserve),)


def _finding(reserve: Reserve) -> Finding:
    run, count = reserve.run, len(reserve.nodes)
    evidence: dict[str, Seen] = {run.sign.path: run.sign.value, "nodes": count, "spare nodes": 0}
    says = Text(
        en=f"runs on {count} nodes, and no other node of their kind is ready and idle",
        ko=f"노드 {count}대에서 도는데, 같은 종류의 노드 중 Ready이면서 비어 있는 것이 없음",
    )
    sure = Confidence.LIKELY.at_most(run.sign.confidence)
    if reserve.on_demand is None:
        return Finding(subject=run.subject, says=says, evidence=evidence, confidence=sure)
    key, value = reserve.on_demand
    evidence[f"Node[{reserve.nodes[0]}].metadata.labels[{key}]"] = value
    return Finding(
        subject=run.subject,
        says=Text(
            en=f"{says.en}; another one would have to be made on demand first",
            ko=f"{says.ko}. 필요할 때 새로 만들어야 함",
        ),
        evidence=evidence,
        severity=Severity.LOW,
        confidence=Confidence.HINT,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="No spare node for a large training run", ko="대규모 학습에 예비 노드가 없음"),
    why=Text(
        en="A synchronous run stops with its first lost node. Without a node to swap in it waits for a repair or for "
        "the cloud, hours or days, with all other GPUs idle.",
        ko="동기식 학습은 노드 하나만 잃어도 멈춘다. 바꿔 넣을 노드가 없으면 나머지 GPU를 모두 놀리면서 "
        "수리나 클라우드의 교체를 몇 시간에서 며칠씩 기다린다.",
    ),
    fix=Text(
        en="Keep a tested node of the same kind idle beside the run, or let work of lower priority use it.",
        ko="검증을 마친 같은 종류의 노드 하나를 비워 두거나, 우선순위가 낮은 작업만 쓰게 한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=READS,
    cites=(
        Cite(
            incident="2021-meta-opt175b-no-spare-nodes",
            because=Text(
                en="with almost no spare hosts every fault stopped 1,024 GPUs until the cloud gave another host; "
                "rented "
                "machines, no Kubernetes",
                ko="예비 호스트가 거의 없어, 고장이 날 때마다 새 호스트를 받을 때까지 GPU 1,024개가 멈췄음. "
                "Kubernetes가 아닌 임대 서버 사례",
            ),
        ),
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="one spare node in the reservation, with the dataset on it, was swapped in as soon as a node died; "
                "on a Slurm cluster",
                ko="데이터셋까지 올려 둔 예비 노드 하나를 두고 노드가 죽자마자 바꿔 넣었음. Slurm 클러스터 사례",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -L node.kubernetes.io/instance-type,nvidia.com/gpu.product",
        "kubectl get pods -A -o wide --field-selector spec.nodeName=NODE",
    ),
    looks_like=(
        Text(
            en="work of lower priority on a like node gives way",
            ko="같은 종류의 노드를 우선순위가 낮은 작업이 쓰고 있어 밀어낼 수 있음",
        ),
        Text(en="a run on few nodes, which others can take in", ko="노드 몇 대만 쓰는 작은 작업"),
        Text(en="nodes that are made on demand: a hint only", ko="필요할 때 만들어지는 노드, 이때는 참고로만 보고함"),
    ),
    find=find,
    applies=lambda facts: any(reserves(facts)),
)
