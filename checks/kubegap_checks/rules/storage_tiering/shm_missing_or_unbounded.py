"""Training pods must have a /dev/shm that is larger than the default and bounded below their memory limit."""

from collections.abc import Iterator

from kubegap_checks.facts.pods import Container, Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.training import TrainingRun, mount_of, training_runs, workers
from kubegap_checks.model import Check, Cite, Confidence, Finding, Seen, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

_PATH = "/dev/shm"  # noqa: S108 (the path that is looked for)
_LESS = {"unbounded": Severity.LOW}  # it takes a leak to get there


def find(facts: Facts) -> Iterator[Finding | Unread]:
    for run in training_runs(facts):
        found: dict[str, Finding] = {}
        for pod in run.pods:
            for container in workers(pod):
                for finding in _judge(run, pod, container):
                    found.setdefault(finding.key, finding)
        yield from found.values()


def _judge(run: TrainingRun, pod: Pod, container: Container) -> Iterator[Finding]:
    mount = mount_of(container, _PATH)
    at = f"Pod[{pod.namespace}/{pod.name}].spec.containers[{container.name}]"
    if mount is None:
        if not pod.host_ipc and run.devices > 1:
            paths: dict[str, Seen] = {f"{at}.volumeMounts": ", ".join(mount.path for mount in container.mounts)}
            yield _finding(run, "missing", _missing(pod), paths)
        return
    volume = pod.volume(mount.volume)
    if volume is None or volume.medium != "Memory":
        return
    sizes: dict[str, Seen] = {
        f"Pod[{pod.namespace}/{pod.name}].spec.volumes[{volume.name}].emptyDir.sizeLimit": volume.size_limit,
        f"{at}.resources.limits.memory": container.memory_limit,
    }
    if container.memory_limit is None:
        if volume.size_limit is None:
            yield _finding(run, "unbounded", _unbounded(pod), sizes)
    elif volume.size_limit is not None and volume.size_limit >= container.memory_limit:
        yield _finding(run, "over_limit", _over_limit(pod), sizes)


def _finding(run: TrainingRun, key: str, says: Text, evidence: dict[str, Seen]) -> Finding:
    sure = Confidence.LIKELY.at_most(run.sign.confidence)
    return Finding(subject=run.subject, key=key, says=says, evidence=evidence, severity=_LESS.get(key), confidence=sure)


def _missing(pod: Pod) -> Text:
    size = int(threshold("shm_default").value)
    return Text(
        en=f"pod {pod.name} mounts no {_PATH}, so its workers share the default {size} MiB",
        ko=f"파드 {pod.name}에 {_PATH} 마운트가 없어 워커들이 기본값 {size} MiB를 나눠 씀",
    )


def _unbounded(pod: Pod) -> Text:
    return Text(
        en=f"{_PATH} of pod {pod.name} has no size limit, and no memory limit bounds it: it can fill the node's memory",
        ko=f"파드 {pod.name}의 {_PATH}에 sizeLimit도 메모리 제한도 없어 노드 메모리를 다 채울 수 있음",
    )


def _over_limit(pod: Pod) -> Text:
    return Text(
        en=f"{_PATH} of pod {pod.name} may grow past the container's memory limit: it is killed before a write fails",
        ko=f"파드 {pod.name}의 {_PATH}가 컨테이너 메모리 제한보다 커질 수 있어, 쓰기가 실패하기 전에 OOM으로 종료됨",
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Shared memory of a run missing or unbounded", ko="학습 파드의 공유 메모리가 없거나 한도가 없음"),
    why=Text(
        en="Dataloader workers and NCCL pass data through /dev/shm: too little kills workers, and too much takes the "
        "memory of the container or the node in the middle of a run.",
        ko="데이터로더 워커와 NCCL은 /dev/shm으로 데이터를 주고받는다. 모자라면 워커가 죽고, "
        "한도 없이 커지면 학습 도중 컨테이너나 노드의 메모리가 바닥난다.",
    ),
    fix=Text(
        en="Mount an emptyDir with medium Memory at /dev/shm, with a sizeLimit below the container's memory limit.",
        ko="medium: Memory인 emptyDir를 /dev/shm에 마운트하고 sizeLimit를 컨테이너 메모리 제한보다 작게 둔다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Pod,),
    cites=(
        Cite(
            incident="2019-pytorch-kubernetes-shared-memory-bus-error",
            because=Text(
                en="loader workers pass batches through /dev/shm; where it was the default, runs ended in a bus error",
                ko="데이터로더 워커는 /dev/shm으로 배치를 넘기는데, 기본 크기 그대로 두자 버스 오류로 학습이 중단됐음",
            ),
        ),
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="a dataloader index took ever more shared memory and throughput fell, on a Slurm cluster",
                ko="Slurm 클러스터 사례. 데이터로더 인덱스가 공유 메모리를 점점 더 쓰며 처리량이 급락했음",
            ),
        ),
    ),
    verify=(
        "kubectl get pod -n NAMESPACE POD -o jsonpath='{.spec.volumes}{.spec.containers[*].volumeMounts}'",
        "kubectl get pod -n NAMESPACE POD -o jsonpath='{.spec.containers[*].resources.limits}'",
        "df -h /dev/shm  # in the pod's container",
    ),
    looks_like=(
        Text(en="the pod shares the host's IPC namespace", ko="파드가 호스트의 IPC 네임스페이스를 공유함"),
        Text(en="the host's own /dev/shm is mounted", ko="호스트의 /dev/shm을 마운트함"),
        Text(en="one pod with one GPU, and no others in its run", ko="GPU 하나짜리 파드 하나뿐인 작업"),
        Text(en="no sizeLimit, but a memory limit of the container", ko="sizeLimit는 없지만 메모리 제한이 있음"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
