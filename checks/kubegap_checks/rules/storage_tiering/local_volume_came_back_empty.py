"""A node-local volume that holds what a run needs may not have been made anew on another node, where it is empty."""

from collections.abc import Iterator

from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.inventory.training import TrainingRun, Use, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    storage = Storage(facts)
    found: dict[str, Finding] = {}
    for run in training_runs(facts):
        for use in (*run.uses("checkpoint"), *run.uses("dataset")):
            backing, unread = storage.behind(use)
            yield from unread
            if backing is None:
                continue
            volume = backing.volume
            if volume and (moved := _moved(backing, volume)) and not _filled(use):
                found.setdefault(volume.name, _finding(run, use, volume, moved))
    yield from found.values()


def _moved(backing: Backing, volume: Volume) -> tuple[str, str] | None:
    """The node that the volume was made on and the one it is on; None where it is still there or nothing tells."""
    row = backing.driver
    if row is None or row.moves is None:
        return None
    first, now = volume.attributes.get(row.moves.made_on), volume.annotations.get(row.moves.now_on)
    return (first, now) if first and now and first != now else None


def _filled(use: Use) -> bool:
    """Whether an init container has the volume too: it may bring the data each time."""
    inits = (container for container in use.pod.containers if container.init)
    return any(mount.volume == use.volume.name for container in inits for mount in container.mounts)


def _finding(run: TrainingRun, use: Use, volume: Volume, moved: tuple[str, str]) -> Finding:
    first, now = moved
    path = f"PersistentVolume[{volume.name}]"
    return Finding(
        subject=Subject("PersistentVolume", volume.name),
        says=Text(
            en=f"was made anew on node {now} and was empty then: what {run.subject} kept on node {first} stayed there",
            ko=f"노드 {now}에 빈 볼륨으로 다시 만들어짐: {run.subject}의 데이터는 노드 {first}에 남아 있음",
        ),
        evidence={f"{path}.spec.csi.volumeAttributes": first, f"{path}.metadata.annotations": now},
        severity=Severity.HIGH if use.role == "checkpoint" else Severity.MEDIUM,
        confidence=run.surely(use, Confidence.LIKELY),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Node-local volume came back empty", ko="노드 로컬 볼륨이 빈 채로 다시 만들어짐"),
    why=Text(
        en="A driver that lets pods move away from a lost node gives them an empty volume under the old name: the "
        "run starts at its first step again, or looks for a dataset that is not there.",
        ko="노드를 잃은 파드를 옮겨 주는 드라이버는 같은 이름의 빈 볼륨을 새로 만든다. 학습은 체크포인트를 찾지 못해 "
        "처음부터 시작하거나, 없는 데이터셋을 읽으려 한다.",
    ),
    fix=Text(
        en="Bring the data back before the run goes on, and keep what must last on storage that outlives a node.",
        ko="학습을 잇기 전에 데이터를 다시 올리고, 남아야 하는 것은 노드가 없어져도 남는 스토리지에 둔다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, Claim, Volume, StorageClass, WekaCluster),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="with the dataset on node-local disks, a node that replaced a dead one came up empty, and filling "
                "it again held the run up until a spare with a copy stood by; on Slurm",
                ko="Slurm 클러스터 사례. 데이터셋을 노드 로컬 디스크에 두자 교체된 노드는 빈 채로 떴고, "
                "사본을 올린 예비 노드를 둘 때까지 다시 채우는 시간이 걸렸음",
            ),
        ),
    ),
    verify=(
        "kubectl get pv PV -o jsonpath='{.metadata.annotations}{.spec.csi.volumeAttributes}'",
        "kubectl get storageclass -o custom-columns=NAME:.metadata.name,PARAMETERS:.parameters",
    ),
    looks_like=(
        Text(en="the volume is still on the node that it was made on", ko="볼륨이 처음 만든 노드에 그대로 있음"),
        Text(en="an init container fills it each time", ko="init 컨테이너가 매번 다시 채움"),
        Text(en="scratch or a cache, which may be empty", ko="비어 있어도 되는 스크래치나 캐시"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
