"""A training run must not switch off in its environment the adapters or the links that its pods were given."""

from collections.abc import Iterator

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.run_settings import Held, held
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.harmful_env import HarmfulSetting, harmful_env
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    for run in training_runs(facts):
        for row in harmful_env():
            for item in held(facts, run, row):
                yield _finding(run, row, item) if isinstance(item, Held) else item


def _finding(run: TrainingRun, row: HarmfulSetting, found: Held) -> Finding:
    return Finding(
        subject=run.subject,
        key=row.name,
        says=Text(
            en=f"{row.name}={found.value} {row.does.en}",
            ko=f"{row.name}={found.value} 설정: {row.does.ko}",
        ),
        evidence=found.evidence,
        severity=row.severity,
        confidence=found.confidence,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A run's NCCL settings switch off what it was given", ko="할당받은 네트워크를 끄는 NCCL 설정"),
    why=Text(
        en="Such settings come from a search for a fault or from another cluster and stay in the job: it asks for fast "
        "adapters and leaves them idle, and every collective waits for the slower way.",
        ko="장애를 추적하며 넣었거나 다른 클러스터에서 가져온 설정이 작업에 남는다. 빠른 어댑터를 할당받고도 쓰지 "
        "않게 되고, 모든 집합 통신이 느린 경로를 기다린다.",
    ),
    fix=Text(
        en="Remove the variable from the job, or write beside it which fault it works around and until when.",
        ko="작업에서 이 변수를 지우거나, 어떤 문제를 언제까지 피하려는 설정인지 옆에 적어 둔다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, Node, ResourceSlice),
    cites=(
        Cite(
            incident="2025-experiment-template-nccl-ib-disable",
            because=Text(
                en="NCCL_IB_DISABLE=1 in a shared Slurm script kept runs off RoCE, and a step took twice as long",
                ko="Slurm 사례. 공용 스크립트의 NCCL_IB_DISABLE=1 때문에 RoCE를 쓰지 못해 스텝이 두 배 넘게 걸렸음",
            ),
        ),
        Cite(
            incident="2023-bytedance-megascale-nic-flapping",
            because=Text(
                en="with too short a timeout, then the default, ports that were back within seconds ended a run",
                ko="타임아웃이 당시 기본값으로 너무 짧아, 몇 초 만에 돌아온 포트 때문에도 학습이 중단됐음",
            ),
        ),
    ),
    verify=(
        "kubectl get pod -n NAMESPACE POD -o jsonpath='{.spec.containers[*].env}{.spec.containers[*].resources}'",
        "kubectl logs -n NAMESPACE POD | grep NCCL  # with NCCL_DEBUG=INFO it names the network in use",
    ),
    looks_like=(
        Text(
            en="a run on one node, or adapters that no pod asks for", ko="단일 노드 작업, 어댑터를 요청하지 않은 파드"
        ),
        Text(en="what the guide of a platform asks for, such as GPUDirect-TCPX", ko="플랫폼 가이드가 요구하는 설정"),
        Text(en="a plugin or multi-node NVLink that carries the traffic", ko="플러그인이나 다중 노드 NVLink로 통신함"),
        Text(en="GPUs without NVLink, where peer access fails", ko="P2P가 되지 않는 NVLink 없는 GPU"),
        Text(en="a run that someone debugs, shown as a hint", ko="디버깅 중인 작업, 참고로만 표시함"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
