"""What brings drivers, toolkit and device plugins to nodes must name one version."""

from collections import defaultdict
from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.operators import ClusterPolicy, NVIDIADriver
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.installed import Installed, installation, installs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    whole = installation(facts)
    moving: dict[Subject, list[Installed]] = defaultdict(list)
    for installed in whole.found:
        if installed.image.moves:
            moving[installed.subject].append(installed)
    for subject, found in moving.items():
        yield _finding(subject, found)
    yield from whole.unread


def _finding(subject: Subject, found: list[Installed]) -> Finding:
    """One for the object that is to be changed."""
    worst = max(found, key=lambda installed: installed.component.if_it_moves.rank).component
    return Finding(
        subject=subject,
        says=Text(
            en=f"the image of the {worst.name.en} names no fixed version",
            ko=f"{worst.name.ko} 이미지의 버전이 고정되지 않음",
        ),
        evidence={installed.path: installed.seen for installed in found},
        severity=worst.if_it_moves,
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="Driver or plugin images follow a moving tag", ko="드라이버나 플러그인 이미지의 태그가 고정되지 않음"
    ),
    why=Text(
        en="A node that joins tonight gets another version than its neighbours, without anybody's decision; a broken "
        "release then takes out exactly the nodes that the autoscaler or a repair adds.",
        ko="새로 합류하는 노드는 아무도 결정하지 않았는데도 다른 버전을 받는다. 릴리스에 결함이 있으면 "
        "오토스케일러나 복구로 추가되는 노드부터 쓸 수 없게 된다.",
    ),
    fix=Text(
        en="Name a release tag or a digest, and change it on one node first.",
        ko="릴리스 태그나 digest를 지정하고, 바꿀 때는 노드 한 대에서 먼저 확인한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(ClusterPolicy, NVIDIADriver, DaemonSet),
    cites=(
        Cite(
            incident="2020-gke-driver-installer-crash-loop",
            because=Text(
                en="the driver installer's manifest came from a moving branch, and from one Friday on no node that "
                "the autoscaler added got its GPUs",
                ko="드라이버 설치 매니페스트를 고정되지 않은 브랜치에서 가져다 썼고, 어느 금요일부터 오토스케일러가 "
                "추가한 노드는 GPU를 쓸 수 없었음",
            ),
        ),
        Cite(
            incident="2023-aws-eks-gsp-driver-g4-g5",
            because=Text(
                en="those who always took the newest node image got a driver branch that broke g4 and g5 nodes; "
                "there it was the machine image, not a container image",
                ko="항상 최신 노드 이미지를 쓰던 곳은 g4, g5 노드를 망가뜨린 드라이버를 받았음. 컨테이너 이미지가 "
                "아니라 노드 이미지였다는 점이 다름",
            ),
        ),
    ),
    verify=(
        "kubectl get daemonset -n NAMESPACE NAME -o jsonpath='{.spec.template.spec}'",
        "kubectl get clusterpolicies.nvidia.com -o yaml",
    ),
    looks_like=(
        Text(en="a moving tag beside a digest, which decides", ko="태그는 고정되지 않았지만 digest가 함께 지정됨"),
        Text(
            en="a ClusterPolicy that names no version, so that the operator's release decides",
            ko="버전을 비워 두어 오퍼레이터 릴리스가 정하는 ClusterPolicy",
        ),
        Text(
            en="Google's installer image `fixed`, which the node image brings along",
            ko="노드 이미지에 들어 있는 Google의 `fixed` 설치 이미지",
        ),
        Text(
            en="images of jobs and exporters, which bring no driver",
            ko="드라이버를 설치하지 않는 작업이나 익스포터의 이미지",
        ),
    ),
    find=find,
    applies=installs,
)
