"""No health agent must report a GPU fault that holds."""

from kubegap_checks.facts.nodes import ComputeDomain, Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.accelerators import has_accelerators
from kubegap_checks.inventory.reports import faults, speaks_of
from kubegap_checks.model import Check, Cite, Confidence, Severity
from kubegap_checks.text import Text


def _applies(facts: Facts) -> bool:
    return speaks_of(facts.known(Node), "gpu_health") or has_accelerators(facts)


CHECK = Check(
    module=__name__,
    title=Text(en="A health agent reports a GPU fault", ko="헬스 에이전트가 보고한 GPU 장애"),
    why=Text(
        en="The scheduler does not look at what health agents report, so new work still lands on the faulty "
        "GPU, and one bad GPU stops the whole job.",
        ko="스케줄러는 헬스 에이전트의 보고를 보지 않으므로 고장 난 GPU에도 새 작업이 계속 배치되고, GPU 하나 "
        "때문에 작업 전체가 멈춘다.",
    ),
    fix=Text(
        en="Check the fault on the node, cordon and drain it where the fault is real, and repair the agent "
        "where it is a known false positive.",
        ko="노드에서 장애 여부를 확인해 실제 장애면 cordon 후 drain하고, 알려진 오탐이면 에이전트를 고친다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Node, ComputeDomain, ResourceSlice),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="host health checks and DCGM metrics gave faulty machines away, and a host that failed a check did "
                "not train",
                ko="호스트 헬스 체크와 DCGM 메트릭으로 고장 난 장비를 찾았고, 점검에 실패한 호스트는 학습에 쓰지 "
                "않았음",
            ),
        ),
        Cite(
            incident="2023-huggingface-idefics80b-row-remap-loss-spikes",
            because=Text(
                en="a node whose GPU reported memory-remap errors stayed in the pool and came back into the job, "
                "since nothing took such nodes away",
                ko="메모리 리매핑 오류를 낸 노드를 자동으로 빼는 장치가 없어, 풀에 남아 있다가 다시 학습에 투입됐음",
            ),
        ),
        Cite(
            incident="2024-meta-rsc-lemon-nodes",
            because=Text(
                en="Xid reports were one of seven signals that gave forty bad nodes away; without those nodes, large "
                "jobs failed in 4% of the cases instead of 14%",
                ko="Xid 보고를 비롯한 일곱 가지 신호로 불량 노드 40대를 가려냈고, 이를 빼자 큰 작업의 실패율이 "
                "14%에서 4%로 떨어짐",
            ),
        ),
        Cite(
            incident="2025-ncsa-delta-gpu-resilience",
            because=Text(
                en="an error that the GPU reported often ended the job on it",
                ko="GPU가 보고한 오류는 그 GPU에서 돌던 작업의 종료로 이어지는 일이 많았음",
            ),
        ),
    ),
    verify=(
        "kubectl describe node NODE",
        "kubectl get events -A --field-selector involvedObject.kind=Node,involvedObject.name=NODE",
    ),
    looks_like=(
        Text(
            en="EKS conditions that end in Ready, where True is the healthy state",
            ko="True가 정상인 EKS의 ...Ready 컨디션",
        ),
        Text(
            en="GKE's XidCriticalError of an earlier boot: its message is not the node's boot id",
            ko="메시지가 노드의 현재 boot id와 다른, 이전 부팅의 GKE XidCriticalError",
        ),
        Text(
            en="an IMEX daemon that is not ready on a node that no ComputeDomain uses, reported as a hint only",
            ko="ComputeDomain을 쓰지 않는 노드의 IMEX 미준비 상태, 참고로만 보고함",
        ),
        Text(
            en="EKS DCGMError, where the agent and not the GPU fails, reported as a hint only",
            ko="GPU가 아니라 에이전트가 실패한 EKS DCGMError, 참고로만 보고함",
        ),
    ),
    find=lambda facts: faults(facts, "gpu_health"),
    applies=_applies,
)
