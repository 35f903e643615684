"""No health agent must report a fault of an adapter or link of the training fabric."""

from kubegap_checks.facts.nodes import Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.fabric import has_fabric
from kubegap_checks.inventory.reports import faults, speaks_of
from kubegap_checks.model import Check, Cite, Confidence, Severity
from kubegap_checks.text import Text


def _applies(facts: Facts) -> bool:
    return speaks_of(facts.known(Node), "ib_health") or has_fabric(facts)


CHECK = Check(
    module=__name__,
    title=Text(en="A health agent reports a fault of a fabric link", ko="헬스 에이전트가 보고한 패브릭 링크 장애"),
    why=Text(
        en="Collectives wait for the slowest link, so one link that flaps slows or stops a job on hundreds of "
        "GPUs while the node stays schedulable.",
        ko="집합 통신은 가장 느린 링크를 기다린다. 링크 하나만 플래핑해도 GPU 수백 개를 쓰는 작업이 "
        "느려지거나 멈추지만, 노드는 계속 스케줄링 대상이다.",
    ),
    fix=Text(
        en="Cordon the node and clean or replace the cable or transceiver that the error counters of both ends point "
        "to, or in a cloud hand the machine back, before work returns.",
        ko="노드를 cordon하고 양쪽 포트의 오류 카운터가 가리키는 케이블이나 트랜시버를 청소하거나 교체한 "
        "뒤(클라우드라면 장비를 반납하고 새로 받아) 복귀시킨다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Node, NodeFeature, ResourceSlice),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="links that flapped slowed or stopped training, and ports that kept warning were cleaned, "
                "reseated or turned off",
                ko="링크 플래핑으로 학습이 느려지거나 멈췄고, 경고가 남은 포트는 청소하고 다시 꽂거나 껐음",
            ),
        ),
        Cite(
            incident="2023-bytedance-megascale-nic-flapping",
            because=Text(
                en="interfaces that came back within seconds still ended a job on more than 10,000 GPUs",
                ko="몇 초 만에 돌아온 인터페이스도 GPU 1만 개가 넘는 작업을 중단시켰음",
            ),
        ),
        Cite(
            incident="2023-nccl-error-12-flapping-ports",
            because=Text(
                en="flapping ports were one of the causes behind NCCL error 12 and behind hangs that only a watchdog "
                "ended",
                ko="NCCL 오류 12와, 워치독이 끊어 줄 때까지 이어진 학습 멈춤의 원인 중 하나가 포트 플래핑이었음",
            ),
        ),
    ),
    verify=(
        "kubectl describe node NODE",
        "grep . /sys/class/infiniband/*/ports/*/counters/link*  # on the node",
    ),
    looks_like=(
        Text(
            en="an IPoIB interface that is down while its InfiniBand port is active",
            ko="InfiniBand 포트는 active인데 IPoIB 인터페이스만 down인 상태",
        ),
        Text(
            en="a report whose agent has stopped confirming it, shown as a hint only",
            ko="에이전트가 갱신을 멈춘 보고, 참고로만 표시함",
        ),
        Text(
            en="a condition whose status is Unknown: the check could not run",
            ko="점검이 실행되지 못해 Unknown인 컨디션",
        ),
    ),
    find=lambda facts: faults(facts, "ib_health"),
    applies=_applies,
)
