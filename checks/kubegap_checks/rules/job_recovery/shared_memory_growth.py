"""The memory that processes of a training run share may not grow with every step."""

import math
from collections.abc import Iterator, Sequence

from kubegap_checks.facts.metrics import ContainerMemory, Exported
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.measured import publishes, unmeasured
from kubegap_checks.inventory.memory_growth import Growth, by_container, growths
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.quantities import group
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

_SHARED = Text(en="shared memory", ko="공유 메모리")
_SHARED_OR_MAPPED = Text(en="shared memory or mapped files", ko="공유 메모리(또는 매핑한 파일)")
_PRIVATE = Text(
    en="private memory (a leak, not a shared index)", ko="공유 인덱스가 아니라 누수로 보이는 프로세스 전용 메모리"
)


def find(facts: Facts) -> Iterator[Finding | Unread]:
    memory = by_container(facts.seen(ContainerMemory))
    cache_known = publishes(facts, "active_file_growth")
    nodes: set[str] = set()
    for run in training_runs(facts):
        nodes |= {pod.node for pod in run.pods if pod.node}
        grown = tuple(growths(run, memory, cache_known=cache_known))
        if shared := [growth for growth in grown if growth.is_shared]:
            what, sure = (_SHARED, Confidence.LIKELY) if cache_known else (_SHARED_OR_MAPPED, Confidence.HINT)
            yield _finding(run, "shared", what, shared, Severity.MEDIUM, sure)
        if private := [growth for growth in grown if not growth.is_shared]:
            yield _finding(run, "private", _PRIVATE, private, Severity.LOW, Confidence.LIKELY)
    yield from unmeasured(facts, ContainerMemory, nodes)


def _finding(
    run: TrainingRun, key: str, what: Text, grown: Sequence[Growth], severity: Severity, sure: Confidence
) -> Finding:
    most = max(grown, key=lambda growth: growth.bytes)
    left = min((hours for growth in grown if (hours := growth.hours_left) is not None), default=math.inf)
    soon = left <= threshold("memory_hours_left").value
    size, window = f"{most.bytes / 1e9:,.0f} GB", int(group(ContainerMemory.KIND.plural).window_hours)
    at = f"metrics[{most.pod.namespace}/{most.pod.name}/{most.container.name}]"
    return Finding(
        subject=run.subject,
        key=key,
        says=Text(
            en=f"in {window} hours {what.en} grew by up to {size} in {len(grown)} of its containers"
            + (f", {left:,.0f} hours from the memory limit" if soon else ""),
            ko=f"{window}시간 동안 컨테이너 {len(grown)}개에서 {what.ko}가 최대 {size} 증가"
            + (f", 메모리 제한까지 {left:,.0f}시간" if soon else ""),
        ),
        evidence={
            f"{at}.working_set_growth": round(most.total),
            f"{at}.rss_growth": round(most.private),
            f"{at}.working_set": round(most.now),
            f"Pod[{most.pod.namespace}/{most.pod.name}].resources.limits.memory": most.container.memory_limit,
        },
        severity=Severity.HIGH if soon else severity,
        confidence=sure.at_most(run.sign.confidence),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Memory of a training run grows with its steps", ko="학습 메모리가 스텝에 따라 계속 증가"),
    why=Text(
        en="A data loader whose index or queue grows makes steps slower and slower until a container is killed, while "
        "disks, network and GPUs look clean: hardware is blamed for it for days.",
        ko="데이터로더의 인덱스나 큐가 커지면 스텝이 점점 느려지다가 컨테이너가 OOM으로 종료된다. 디스크, 네트워크, "
        "GPU는 정상으로 보여 며칠씩 하드웨어를 의심하게 된다.",
    ),
    fix=Text(
        en="Run the same job with far fewer steps and compare its memory; replace or fix the loader that grows with "
        "them, and bound /dev/shm and the container's memory.",
        ko="스텝 수를 크게 줄여 같은 작업을 돌려 메모리를 비교한다. 스텝에 따라 커지는 데이터로더를 고치거나 바꾸고, "
        "/dev/shm과 컨테이너 메모리에 한도를 둔다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(ContainerMemory, Exported, Pod),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="the second cause: a loader's index grew with the steps, shared memory rose and throughput "
                "collapsed, while all hardware looked clean; on Slurm",
                ko="Slurm 클러스터 사례의 두 번째 원인. 데이터로더 인덱스가 커져 공유 메모리가 늘고 처리량이 "
                "급락했지만 하드웨어는 모두 정상이었음",
            ),
        ),
        Cite(
            incident="2023-huggingface-idefics80b-data-path-limits",
            because=Text(
                en="memory leaked so slowly that processes were killed after days; on Slurm",
                ko="Slurm 클러스터 사례. 며칠이 지나야 프로세스가 OOM으로 종료될 만큼 느린 메모리 누수",
            ),
        ),
    ),
    verify=(
        "df -h /dev/shm  # in the pod's container, twice an hour apart",
        "grep -E '^(anon|shmem|active_file) ' /sys/fs/cgroup/memory.stat  # in the container",
    ),
    looks_like=(
        Text(en="page cache that can be dropped", ko="언제든 비울 수 있는 페이지 캐시"),
        Text(en="a pod that started within the window", ko="기간 중에 시작한 파드"),
        Text(en="loader workers that warm up and level off", ko="워밍업 뒤 일정해지는 데이터로더 워커"),
        Text(en="a checkpoint that was just put into memory", ko="방금 메모리에 올린 체크포인트"),
        Text(
            en="a dataset that is mapped and read: a hint where the exporter does not tell the page cache",
            ko="매핑해서 읽는 데이터셋: 익스포터에 페이지 캐시 값이 없으면 추정으로만 알림",
        ),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
