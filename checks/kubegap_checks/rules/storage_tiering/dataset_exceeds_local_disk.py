"""What holds a dataset near the accelerators must be as large as the dataset."""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod, PodVolume
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.facts.storage import FluidDataset
from kubegap_checks.inventory.node_state import READ_STATUS
from kubegap_checks.inventory.training import TrainingRun, Use, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.workloads import Role
from kubegap_checks.text import Text

_STORAGE = "ephemeral-storage"
_STAGED: tuple[Role, ...] = ("dataset", "index_cache", "cache", "scratch")


def find(facts: Facts) -> Iterator[Finding | Unread]:
    for dataset in facts.seen(FluidDataset):
        if dataset.total is not None and dataset.capacity and dataset.capacity < dataset.total:
            yield _cached(dataset, dataset.total, dataset.capacity)
    nodes = {node.name: node for node in facts.seen(Node)}
    for run in training_runs(facts):
        found: dict[str, Finding] = {}
        for use in (use for role in _STAGED for use in run.uses(role)):
            limit, node = _limit(use.volume), nodes.get(use.pod.node)
            if limit is None or node is None:
                continue
            offered = (node.allocatable or {}).get(_STORAGE)
            if offered is None:
                yield _untold(node)
            elif limit > offered:
                found.setdefault(use.volume.name, _staged(run, use, node, {"limit": limit, "offered": offered}))
        yield from found.values()


def _limit(volume: PodVolume) -> int | None:
    """How much may be written to a directory on the node's disk; None for any other volume, or without a bound."""
    return volume.size_limit if volume.medium != "Memory" else None


def _cached(dataset: FluidDataset, total: int, capacity: int) -> Finding:
    path = f"Dataset[{dataset.namespace}/{dataset.name}].status"
    return Finding(
        subject=Subject("Dataset", dataset.name, dataset.namespace),
        says=Text(
            en=f"can cache {capacity / 2**30:,.1f} GiB of its {total / 2**30:,.1f} GiB",
            ko=f"전체 {total / 2**30:,.1f} GiB 중 {capacity / 2**30:,.1f} GiB만 캐시할 수 있음",
        ),
        evidence={f"{path}.ufsTotal": total, f"{path}.cacheStates.cacheCapacity": capacity},
    )


def _staged(run: TrainingRun, use: Use, node: Node, sizes: Mapping[str, int]) -> Finding:
    limit, offered = sizes["limit"] / 2**30, sizes["offered"] / 2**30
    at = f"Pod[{use.pod.namespace}/{use.pod.name}].spec.volumes[{use.volume.name}]"
    return Finding(
        subject=run.subject,
        key=use.volume.name,
        says=Text(
            en=f"may write {limit:,.0f} GiB to emptyDir {use.volume.name} on node {node.name}, which offers "
            f"{offered:,.0f} GiB",
            ko=f"emptyDir {use.volume.name}에 {limit} GiB까지 쓸 수 있는데 노드 {node.name}의 가용량은 {offered} "
            f"GiB뿐임",
        ),
        evidence={
            f"{at}.emptyDir.sizeLimit": sizes["limit"],
            f"Node[{node.name}].status.allocatable.{_STORAGE}": sizes["offered"],
        },
        confidence=run.surely(use, Confidence.LIKELY),
    )


def _untold(node: Node) -> Unread:
    what = Text(en=f"{_STORAGE} of node {node.name}", ko=f"노드 {node.name}의 {_STORAGE}")
    return Unread(what=what, reason="invalid", remedy=READ_STATUS)


CHECK = Check(
    module=__name__,
    title=Text(en="Dataset larger than the disk or cache for it", ko="데이터셋이 로컬 디스크나 캐시보다 큼"),
    why=Text(
        en="A cache smaller than its dataset evicts in every epoch what the next one reads, and a copy that does not "
        "fit the node's disk gets the pod evicted in the middle of staging.",
        ko="데이터셋보다 작은 캐시는 다음 에폭에 읽을 데이터를 매번 밀어내고, 노드 디스크에 들어가지 않는 사본은 "
        "복사 도중 파드가 축출되게 만든다.",
    ),
    fix=Text(
        en="Size the cache or the local disk for the whole dataset, or give each node only its part of it.",
        ko="캐시나 로컬 디스크를 데이터셋 전체 크기로 늘리거나, 노드마다 자기 몫만 올린다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Pod, Node, FluidDataset),
    cites=(
        Cite(
            incident="2023-huggingface-idefics80b-data-path-limits",
            because=Text(
                en="several terabytes of data did not fit the local disks, so batches were streamed and data loading "
                "held the run back; on Slurm",
                ko="Slurm 클러스터 사례. 수 TB 데이터가 로컬 디스크에 들어가지 않아 스트리밍했고, 데이터 로딩이 "
                "학습의 병목이 됐음",
            ),
        ),
    ),
    verify=(
        "kubectl get datasets.data.fluid.io -A",
        "kubectl get node NODE -o jsonpath='{.status.allocatable}'",
    ),
    looks_like=(
        Text(en="the size of the dataset is still being calculated", ko="데이터셋 크기를 아직 계산하는 중"),
        Text(en="the cache's workers are not up yet: its capacity is zero", ko="캐시 워커가 뜨기 전: 용량이 0"),
        Text(en="a directory in memory, or one without a size limit", ko="메모리에 있거나 sizeLimit가 없는 디렉터리"),
    ),
    find=find,
    applies=lambda facts: any(facts.seen(FluidDataset)) or any(training_runs(facts)),
)
