"""Two volumes that one pod mounts may never have the same volume handle."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta

from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Claim, Volume
from kubegap_checks.inventory.bound import BoundVolumes
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    volumes = BoundVolumes(facts)
    late = facts.read_at - timedelta(minutes=threshold("pod_wait_grace").value)
    for run in training_runs(facts):
        found: list[Finding] = []
        for pod in run.pods:
            if pod.phase != "Pending" or pod.created is None or pod.created > late:
                continue
            bound, unread = volumes.all_of(pod)
            yield from unread
            if alike := _alike(bound):
                found.append(_finding(run, pod, alike))
        yield from found[:1]


def _alike(volumes: Sequence[Volume]) -> Sequence[Volume]:
    """The first volumes that one driver cannot tell apart; empty where it can tell all."""
    by_handle: dict[tuple[str, str], list[Volume]] = defaultdict(list)
    for volume in volumes:
        if volume.handle:
            by_handle[volume.driver, volume.handle].append(volume)
    return next((group for group in by_handle.values() if len(group) > 1), ())


def _finding(run: TrainingRun, pod: Pod, alike: Sequence[Volume]) -> Finding:
    names = ", ".join(volume.name for volume in alike)
    return Finding(
        subject=run.subject,
        says=Text(
            en=f"pod {pod.name} has not started and mounts volumes with the same handle: {names}",
            ko=f"파드 {pod.name}: 핸들이 같은 볼륨({names})을 마운트하며 아직 시작하지 못함",
        ),
        evidence={
            f"Pod[{pod.namespace}/{pod.name}].status.phase": pod.phase,
            **{f"PersistentVolume[{volume.name}].spec.csi.driver": volume.driver for volume in alike},
        },
        confidence=Confidence.LIKELY.at_most(run.sign.confidence),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Volumes of a pod share one handle", ko="한 파드의 여러 볼륨이 같은 핸들을 씀"),
    why=Text(
        en="The kubelet takes volumes with one driver and one handle for the same volume and mounts only one of "
        "them: the pod stays in ContainerCreating without an error, and its run waits for it.",
        ko="kubelet은 드라이버와 핸들이 같은 볼륨을 하나로 보고 하나만 마운트한 채 나머지를 기다린다. "
        "파드는 오류 없이 ContainerCreating에 머물고 학습 전체가 그 파드를 기다린다.",
    ),
    fix=Text(
        en="Give each volume a handle of its own, or mount one claim and reach the directories by subPath.",
        ko="볼륨마다 다른 핸들을 주거나, PVC 하나만 마운트하고 디렉터리는 subPath로 나눈다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, Claim, Volume),
    cites=(
        Cite(
            incident="2019-kubernetes-csi-volumes-with-one-handle",
            because=Text(
                en="pods with two volumes of one handle stayed in ContainerCreating without an event or an error; none "
                "is said to train",
                ko="핸들이 같은 볼륨 두 개를 쓴 파드가 이벤트도 오류도 없이 ContainerCreating에 머물렀음. 학습 "
                "파드라는 "
                "말은 없음",
            ),
        ),
    ),
    verify=(
        "kubectl get pv -o custom-columns=NAME:.metadata.name,DRIVER:.spec.csi.driver,HANDLE:.spec.csi.volumeHandle",
        "kubectl describe pod -n NAMESPACE POD",
    ),
    looks_like=(
        Text(en="the volumes are mounted by different pods", ko="서로 다른 파드가 마운트하는 볼륨들"),
        Text(en="the pod runs: all of its volumes are mounted", ko="파드가 실행 중: 볼륨이 모두 마운트된 상태"),
        Text(en="the pod was made a moment ago", ko="방금 만들어진 파드"),
        Text(en="the same text is a handle of two drivers", ko="드라이버가 다른 볼륨의 핸들이 우연히 같음"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
