"""A training run must not keep its only checkpoints where they end with a container, a pod or a node."""

from collections.abc import Iterator

from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory.checkpoints import Fate, Save, looked, told
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.inventory.training import TrainingRun, complete_runs, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

_LOST: dict[Fate, Text] = {
    "container": Text(en="lies in the container's own layer", ko="컨테이너 자체 레이어에 있음"),
    "pod": Text(en="is on a volume that ends with the pod", ko="파드와 함께 사라지는 볼륨에 있음"),
    "node": Text(en="is on a disk of the node", ko="노드의 로컬 디스크에 있음"),
}


def find(facts: Facts) -> Iterator[Finding | Unread]:
    storage = Storage(facts)
    for run in complete_runs(facts):
        try:
            yield from _judge(run, storage)
        except UnreadError as error:
            yield from error.unread


def _judge(run: TrainingRun, storage: Storage) -> Iterator[Finding | Unread]:
    named, likely = list(told(run, storage)), list(looked(run, storage))
    fates = {save.fate for save in (*named, *likely)}
    if fates & {"kept", "copied"}:
        return
    if "unsaid" in fates:
        yield _unsaid(run)
        return
    yield from (_finding(run, save) for save in (named or likely)[:1])


def _finding(run: TrainingRun, save: Save) -> Finding:
    lost = _LOST[save.fate]
    sure = Confidence.HINT if save.fate == "node" else Confidence.LIKELY
    large = run.devices >= threshold("training_pod_devices").value
    return Finding(
        subject=run.subject,
        says=Text(
            en=f"the checkpoint path {save.sign.value} of pod {save.pod.name} {lost.en}",
            ko=f"파드 {save.pod.name}의 체크포인트 경로({save.sign.value})가 {lost.ko}",
        ),
        evidence={save.sign.path: save.sign.value},
        severity=Severity.LOW if not large else Severity.MEDIUM if save.fate == "node" else Severity.HIGH,
        confidence=sure.at_most(run.sign.confidence, save.sign.confidence),
    )


def _unsaid(run: TrainingRun) -> Unread:
    return Unread(
        what=Text(en=f"where the checkpoints of {run.subject} lie", ko=f"{run.subject}의 체크포인트가 놓이는 곳"),
        reason="invalid",
        remedy=Text(
            en="name an absolute path under a mounted volume; look at a path of the node with `findmnt` there",
            ko="마운트한 볼륨 아래의 절대 경로로 지정하고, 노드 경로라면 그 노드에서 `findmnt`로 확인",
        ),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Checkpoints do not outlive the pod or node", ko="체크포인트가 파드나 노드와 함께 사라짐"),
    why=Text(
        en="A checkpoint in the container's layer, in an emptyDir or on a node's disk goes with what failed: the run "
        "starts again from nothing just when the checkpoint is needed.",
        ko="컨테이너 레이어, emptyDir, 노드 디스크에 둔 체크포인트는 장애가 난 파드나 노드와 함께 사라진다. "
        "정작 필요한 순간에 학습을 처음부터 다시 해야 한다.",
    ),
    fix=Text(
        en="Write checkpoints to a persistent volume that other nodes can mount, or copy each one there as it is made.",
        ko="체크포인트를 다른 노드에서도 마운트할 수 있는 퍼시스턴트 볼륨에 쓰거나, 저장할 때마다 그곳에 복사한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, Claim, Volume, StorageClass, WekaCluster),
    cites=(
        Cite(
            incident="2021-meta-opt175b-cluster-deleted",
            because=Text(
                en="all training hosts were deleted by mistake; the run went on the same day from a checkpoint",
                ko="학습 호스트가 실수로 모두 삭제됐지만, 남은 체크포인트에서 그날 바로 이어 갈 수 있었음",
            ),
        ),
        Cite(
            incident="2022-bigscience-bloom-crash-without-exit",
            because=Text(
                en="a GPU died about every week and took what no checkpoint held, 7.3 hours once; there the "
                "interval was too long, not the place wrong",
                ko="GPU가 매주 하나꼴로 죽으며 체크포인트 이후의 진행분을 잃었음(한 번은 7.3시간). 저장 위치가 "
                "아니라 주기가 문제였던 사례",
            ),
        ),
    ),
    verify=(
        "kubectl get pod -n NAMESPACE POD -o jsonpath='{.spec.containers[*].command}{.spec.containers[*].args}'",
        "kubectl get pod -n NAMESPACE POD -o jsonpath='{.spec.volumes}{.spec.containers[*].volumeMounts}'",
    ),
    looks_like=(
        Text(en="only the first pod saves, and it mounts a persistent volume", ko="저장은 첫 파드만 하고 PVC를 씀"),
        Text(en="a local first tier, beside a second one that is shared", ko="로컬은 1차이고 공유 스토리지에 2차를 둠"),
        Text(en="a sidecar sees the volume and copies it out", ko="사이드카가 같은 볼륨을 보고 밖으로 복사함"),
        Text(en="a local disk that the framework replicates", ko="프레임워크가 로컬 디스크를 다른 노드에 복제함"),
        Text(en="a base model that an init container downloads", ko="init 컨테이너가 내려받은 사전학습 모델"),
        Text(en="Slurm in pods: its jobs are not seen here", ko="파드 안의 Slurm: 작업은 여기서 보이지 않음"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
