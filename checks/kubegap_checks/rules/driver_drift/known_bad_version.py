"""No node may run a version of which its vendor, or an incident, says that it is broken or unsafe."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.operators import ClusterPolicy, NVIDIADriver
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators
from kubegap_checks.inventory.installed import installs
from kubegap_checks.inventory.known_defects import Defective, defective
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    for item in defective(facts):
        yield item if isinstance(item, Unread) else _finding(item)


def _finding(found: Defective) -> Finding:
    """One for all that is wrong with the version; the worst decides how bad it is."""
    worst = max(found.rows, key=lambda row: row.severity.rank)
    wrong = [row.does for row in found.rows]
    return Finding(
        subject=found.subject,
        key=found.key,
        says=Text(
            en=f"{found.name.en} {found.version}: {'; '.join(text.en for text in wrong)}",
            ko=f"{found.name.ko} {found.version}: {'; '.join(text.ko for text in wrong)}",
        ),
        evidence={found.path: found.seen, "fixed in": found.rows[0].fixed, "notice": found.rows[0].notice},
        severity=worst.severity,
        confidence=worst.confidence,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A version with a known defect is in use", ko="결함이 알려진 버전을 사용 중임"),
    why=Text(
        en="Somebody has already paid for this version: it lets an image out of its container, ends pods, loses GPUs "
        "or the direct path to the network, and the vendor has told what to use instead.",
        ko="이미 다른 곳에서 피해가 확인된 버전이다. 컨테이너 탈출을 허용하거나 파드를 종료시키거나 GPU와 GPUDirect "
        "경로를 잃게 하며, 벤더가 대체 버전을 안내했다.",
    ),
    fix=Text(
        en="Move to the version that the notice names, on one node of each kind first.",
        ko="공지에 나온 버전으로 올리되, 노드 종류마다 한 대에서 먼저 확인한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice, ClusterPolicy, NVIDIADriver, DaemonSet),
    cites=(
        Cite(
            incident="2025-nvidia-container-escape-cves",
            because=Text(
                en="versions of the NVIDIA Container Toolkit let any GPU image take over its host, on public AI "
                "platforms too",
                ko="NVIDIA Container Toolkit의 여러 버전에서 GPU 이미지가 호스트를 장악할 수 있었고, 공개 AI "
                "플랫폼에서도 "
                "재현되었음",
            ),
        ),
        Cite(
            incident="2024-nvidia-toolkit-imex-regression",
            because=Text(
                en="toolkit 1.17.1 reached EKS's GPU image, and containers of older CUDA images no longer started",
                ko="툴킷 1.17.1이 EKS GPU 이미지에 들어가 예전 CUDA 이미지의 컨테이너가 시작되지 않았음",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -o wide",
        "kubectl get clusterpolicies.nvidia.com -o yaml",
        "nvidia-smi --query-gpu=driver_version --format=csv,noheader  # on the node",
    ),
    looks_like=(
        Text(
            en="a distribution's suffix behind the fixed version: 1.17.8-ubuntu20.04 is 1.17.8",
            ko="수정된 버전 뒤의 배포판 접미사: 1.17.8-ubuntu20.04는 1.17.8임",
        ),
        Text(
            en="a kernel of the affected series on machines without EFA, or with a newer driver that may be the open "
            "one",
            ko="EFA가 없거나, 오픈 커널 모듈일 수 있는 새 드라이버를 쓰는 노드의 같은 계열 커널",
        ),
        Text(
            en="a driver that fails only where whole GPUs and MIG devices are mixed, on nodes that have one kind alone",
            ko="온전한 GPU와 MIG가 섞인 노드에서만 문제가 되는 드라이버를 한 종류만 있는 노드에서 사용",
        ),
        Text(en="an image that only its digest names", ko="digest로만 지정되어 버전을 알 수 없는 이미지"),
    ),
    find=find,
    applies=lambda facts: has_accelerators(facts) or installs(facts),
)
