"""Nodes that are alike must have the same version of the accelerators' driver."""

from collections.abc import Iterator
from itertools import islice

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.drift import Fleet, differing, fleets
from kubegap_checks.inventory.driver_versions import DRIVER
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    yield from differing(facts, DRIVER)


def _applies(facts: Facts) -> bool:
    """Whether any two nodes that are alike tell their driver's version."""
    return any(_two_tell(fleet) for fleet in fleets(facts))


def _two_tell(fleet: Fleet) -> bool:
    telling = (devices for devices in fleet if DRIVER.version(devices))
    return len(tuple(islice(telling, 2))) > 1


CHECK = Check(
    module=__name__,
    title=Text(en="Nodes of one kind have different GPU drivers", ko="같은 종류의 노드인데 GPU 드라이버 버전이 다름"),
    why=Text(
        en="A job works on some nodes and fails or is slow on others, according to where it lands, and a fault of one "
        "driver version looks like a fault of the hardware.",
        ko="같은 작업이 배치된 노드에 따라 되기도 하고 실패하거나 느려지기도 하며, 특정 드라이버 버전의 문제가 "
        "하드웨어 "
        "장애처럼 보인다.",
    ),
    fix=Text(
        en="Drain the node and bring it to the version that the others have, and pin driver and node image of the "
        "pool.",
        ko="노드를 drain한 뒤 다른 노드와 같은 버전으로 맞추고, 풀의 드라이버와 노드 이미지를 고정한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice),
    cites=(
        Cite(
            incident="2024-nvidia-toolkit-imex-regression",
            because=Text(
                en="after a toolkit update the same image saw other CUDA libraries on nodes with other drivers, and "
                "distributed training broke",
                ko="툴킷 업데이트 뒤 드라이버가 다른 노드에서 같은 이미지가 다른 CUDA 라이브러리를 보게 되어 분산 "
                "학습이 깨졌음",
            ),
        ),
        Cite(
            incident="2026-microsoft-aks-a10-driver-mismatch",
            because=Text(
                en="only fresh nodes of a pool had a broken driver, 570 in the kernel beside libraries of 580; those "
                "versions differed within a node",
                ko="풀에서 새로 만든 노드만 커널 모듈 570에 라이브러리 580이 섞여 GPU를 쓸 수 없었음(노드 사이가 "
                "아니라 한 노드 안에서 어긋남)",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -L node.kubernetes.io/instance-type,nvidia.com/cuda.driver-version.full",
        "nvidia-smi --query-gpu=driver_version --format=csv,noheader  # on the node",
    ),
    looks_like=(
        Text(
            en="an upgrade under way: an operator's mark on a node of the kind, or younger nodes with the other "
            "version "
            "that joined within days",
            ko="업그레이드 진행 중: 같은 종류의 노드에 오퍼레이터 표시가 있거나, 다른 버전의 새 노드가 며칠 안에 "
            "합류한 경우",
        ),
        Text(
            en="another pool, another machine type, or nodes that follow another driver object by choice",
            ko="다른 풀, 다른 머신 유형, 또는 의도적으로 다른 드라이버 객체를 따르는 노드",
        ),
        Text(en="vGPU guests whose hosts have different drivers", ko="호스트 드라이버가 서로 다른 vGPU 게스트"),
        Text(
            en="a node that is cordoned, has just joined or is being deleted",
            ko="cordon되었거나 막 합류했거나 삭제 중인 노드",
        ),
    ),
    find=find,
    applies=_applies,
)
