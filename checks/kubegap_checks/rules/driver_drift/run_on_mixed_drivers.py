"""All nodes that a training run uses must have the same driver version, where the nodes are alike."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.devices import Devices, kin
from kubegap_checks.inventory.driver_versions import DRIVER, driver_version
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = offered(facts)
    on: dict[str, list[Devices]] = defaultdict(list)
    for devices in found.devices:
        if not devices.unread:  # DRA might tell another product
            on[devices.node.name].append(devices)
    for run in training_runs(facts):
        for alike in _used(run, on).values():
            versions = Counter(map(DRIVER.version, alike))
            if len(versions) > 1:
                yield _finding(run, alike, versions)
    yield from found.unread


def _used(run: TrainingRun, on: Mapping[str, list[Devices]]) -> Mapping[object, list[Devices]]:
    """The run's nodes that tell their driver's version, by what makes them alike."""
    used: dict[object, list[Devices]] = defaultdict(list)
    for name in sorted({pod.node for pod in run.pods}):
        for devices in on.get(name, ()):
            if (kind := kin(devices)) and DRIVER.version(devices):
                used[kind].append(devices)
    return used


def _finding(run: TrainingRun, alike: list[Devices], versions: Counter[str]) -> Finding:
    """A node of each version proves it."""
    examples = {DRIVER.version(devices): devices for devices in reversed(alike)}
    told = {version: driver_version(devices) for version, devices in examples.items()}
    counts = sorted((-count, version) for version, count in versions.items())
    apart = any(DRIVER.far(version, counts[0][1]) for version in versions)
    return Finding(
        subject=run.subject,
        key=alike[0].vendor,
        says=Text(
            en="its nodes have "
            + ", ".join(f"driver {told[version][1]} ({-count} nodes)" for count, version in counts),
            ko="노드마다 드라이버가 다름: " + ", ".join(f"{told[version][1]}({-count}대)" for count, version in counts),
        ),
        evidence={
            f"Node[{examples[version].node.name}].{path}": seen for version, (path, seen) in sorted(told.items())
        },
        severity=Severity.HIGH if apart else Severity.MEDIUM,
        confidence=run.sign.confidence,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A training run spans different GPU drivers", ko="학습 하나가 드라이버 버전이 다른 노드에 걸쳐 있음"),
    why=Text(
        en="Ranks on other drivers load other CUDA libraries; collectives between them can fail or hang, and what goes "
        "wrong shows on some ranks only.",
        ko="드라이버가 다른 랭크는 다른 CUDA 라이브러리를 쓰게 된다. 이들 사이의 집합 통신이 실패하거나 멈출 수 "
        "있고, 증상은 "
        "일부 랭크에서만 나타난다.",
    ),
    fix=Text(
        en="Bring the nodes to one driver version, or keep the run on nodes of one version until that is done.",
        ko="노드의 드라이버 버전을 통일하고, 그전까지는 한 버전의 노드에서만 학습을 실행한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice, Pod),
    cites=(
        Cite(
            incident="2024-nvidia-toolkit-imex-regression",
            because=Text(
                en="after a toolkit update a team's distributed training broke where its nodes had different drivers",
                ko="툴킷 업데이트 뒤 노드마다 드라이버가 다른 팀의 분산 학습이 깨졌음",
            ),
        ),
    ),
    verify=(
        "kubectl get pods -n NAMESPACE -o wide",
        "kubectl get nodes -L nvidia.com/cuda.driver-version.full,amd.com/gpu.driver-version",
    ),
    looks_like=(
        Text(en="a run over machines of different types", ko="서로 다른 머신 유형에 걸친 학습"),
        Text(
            en="two spellings of one version, as labels and DRA write them",
            ko="레이블과 DRA가 같은 버전을 다르게 적은 경우",
        ),
        Text(en="serving replicas, each of which stands alone", ko="서로 독립적인 서빙 레플리카"),
    ),
    find=find,
    applies=lambda facts: any(training_runs(facts)),
)
