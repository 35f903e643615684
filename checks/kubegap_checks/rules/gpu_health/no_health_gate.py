"""Something must take a node out of service when one of its GPUs fails."""

from collections.abc import Iterator
from functools import lru_cache

from kubegap_checks.facts.controllers import DaemonSet, Deployment
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.conditions import conditions
from kubegap_checks.signals.health_agents import names_health_agent
from kubegap_checks.signals.labels import labels
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    names = sorted({devices.node.name for devices in offered(facts).devices})
    # A node that makes no sense may be the one that an agent watches.
    if not names or facts.unread(Node) or any(_is_watched(node) for node in facts.known(Node)):
        return
    controllers = (*facts.known(DaemonSet), *facts.known(Deployment))
    if not any(
        names_health_agent(text) for controller in controllers for text in (controller.name, *controller.images)
    ):
        yield _ungated(names)


def _is_watched(node: Node) -> bool:
    """Whether an agent says anything of the node's GPUs, good or bad."""
    return any(_is_condition_of_agent(one.type) for one in node.conditions) or any(map(_is_label_of_agent, node.labels))


@lru_cache(maxsize=1024)
def _is_condition_of_agent(kind: str) -> bool:
    known = any(row.topic == "gpu_health" and row.type.fullmatch(kind) for row in conditions())
    return known or names_health_agent(kind)


@lru_cache(maxsize=8192)
def _is_label_of_agent(key: str) -> bool:
    rows = (row for row in labels() if row.topic in {"gpu_health", "node"})
    return any(row.key.fullmatch(key) and not row.under_way for row in rows)


def _ungated(names: list[str]) -> Finding:
    nodes = examples(names)
    return Finding(
        subject=Subject("Cluster", "gpu-nodes"),
        says=Text(
            en=f"no known agent reports the health of GPUs on {nodes.en}, or takes one out",
            ko=f"{nodes.ko}에서 GPU 상태를 보고하거나 노드를 빼는 에이전트를 찾지 못함",
        ),
        evidence={"Node.status.conditions[gpu health]": 0, "DaemonSet and Deployment[health agent]": 0},
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Nothing takes a node out when a GPU fails", ko="GPU가 고장 나도 노드를 빼 줄 장치가 없음"),
    why=Text(
        en="The device plugin only lowers a count; the node stays open, and every restart of the run can land on "
        "the broken GPU again.",
        ko="디바이스 플러그인은 개수만 줄일 뿐 노드는 그대로 열려 있어, 작업이 재시작할 때마다 고장 난 GPU에 다시 "
        "배치될 수 있다.",
    ),
    fix=Text(
        en="Run an agent that tests GPUs and cordons a node whose GPU fails, or turn on the platform's node repair.",
        ko="GPU를 점검하고 고장 난 노드를 cordon하는 에이전트를 실행하거나, 플랫폼의 노드 복구 기능을 켠다.",
    ),
    severity=Severity.LOW,  # agents of the host, of a scheduler and of the cloud cannot be seen
    confidence=Confidence.HINT,
    reads=(Node, ResourceSlice, DaemonSet, Deployment),
    cites=(
        Cite(
            incident="2023-huggingface-idefics80b-row-remap-loss-spikes",
            because=Text(
                en="no mechanism removed a node after Xid 63 or 64, and a bad node came back into the job",
                ko="Xid 63, 64가 나도 노드를 빼는 장치가 없어 불량 노드가 작업에 다시 들어왔음",
            ),
        ),
        Cite(
            incident="2021-bigscience-13b-bad-node-requeued",
            because=Text(
                en="nothing checked a node before it got the next job, which died on the same broken GPU; under Slurm",
                ko="다음 작업을 올리기 전에 노드를 확인하는 것이 없어 같은 고장 GPU에서 또 죽었음. Slurm 환경",
            ),
        ),
    ),
    verify=("kubectl get daemonsets,deployments -A", "kubectl describe node NODE"),
    looks_like=(
        Text(
            en="an agent of one's own, which a name or a condition gives away",
            ko="이름이나 컨디션으로 드러나는 자체 에이전트",
        ),
        Text(en="a platform that labels nodes with their health", ko="노드 상태를 레이블로 표시하는 플랫폼"),
        Text(
            en="an agent or repair outside the cluster, which cannot be seen: the finding is a hint",
            ko="클러스터 밖에 있어 보이지 않는 에이전트나 복구 기능, 그래서 참고로만 보고함",
        ),
    ),
    find=find,
    applies=has_accelerators,
)
