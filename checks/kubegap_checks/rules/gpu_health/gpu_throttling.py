"""Heat, power supply or the hardware itself may not slow down a busy GPU for long."""

from collections.abc import Iterator, Sequence

from kubegap_checks.facts.metrics import Exported, GpuThrottling
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread, came
from kubegap_checks.inventory.accelerators import has_accelerators
from kubegap_checks.inventory.measured import by_part, counted, in_order, shown, unmeasured
from kubegap_checks.inventory.steady import serving
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    nodes = serving(facts)
    told, lacking = came(facts.seen(GpuThrottling))
    for (name, part), rows in by_part(told).items():
        slowed = [row for row in rows if row.value >= threshold(f"throttled_{row.quantity}").value]
        if name in nodes and slowed:
            yield _finding(name, part, slowed)
    yield from lacking
    yield from unmeasured(facts, GpuThrottling, nodes)


def _finding(node: str, part: str, slowed: Sequence[GpuThrottling]) -> Finding:
    longest = {row.quantity: row for row in sorted(slowed, key=lambda row: row.value)}
    en, ko = counted(longest.values())
    return Finding(
        subject=Subject("Node", node),
        key=part,
        says=Text(en=f"{part}: {en}", ko=f"{part}: {ko}"),
        evidence={f"metrics.{row.quantity}[{part}]": shown(row, 1) for row in in_order(longest.values())},
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A GPU is slowed down by heat or power", ko="열이나 전력 때문에 느려진 GPU"),
    why=Text(
        en="A GPU that is clocked down makes all others of the run wait in every step, and still counts as healthy.",
        ko="클럭이 낮아진 GPU는 정상으로 보이지만 학습에 참여한 다른 GPU를 스텝마다 기다리게 한다.",
    ),
    fix=Text(
        en="Take the node out of training and look at cooling, air flow, power supplies and seating of the GPU (in a "
        "cloud, hand the machine back).",
        ko="노드를 학습에서 빼고 냉각, 공기 흐름, 전원 공급 장치, GPU 장착 상태를 점검한다(클라우드라면 장비를 "
        "반납한다).",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(GpuThrottling, Exported, Node, ResourceSlice),
    cites=(
        Cite(
            incident="2025-modal-gpu-health-across-clouds",
            because=Text(
                en="GPUs of some clouds ran above 90 degrees for months, others were braked by hardware slowdown and "
                "power brake",
                ko="어떤 클라우드의 GPU는 몇 달 동안 90도를 넘었고, 다른 곳의 GPU는 하드웨어 감속과 전력 제동이 잦았음",
            ),
        ),
        Cite(
            incident="2025-hkust-greyhound-fail-slow",
            because=Text(
                en="thermal throttling is one of the causes of slow spells there; few spells of computation lasted "
                "longer than ten minutes",
                ko="열 스로틀링이 느려진 원인 중 하나였고, 연산이 느려진 구간은 대개 10분쯤 이어졌음",
            ),
        ),
    ),
    verify=("nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER  # on the node",),
    looks_like=(
        Text(
            en="the power cap of the driver, which a GPU under full load meets all the time: it is not asked for",
            ko="최대 부하의 GPU가 늘 닿는 드라이버의 전력 제한. 조회하지 않음",
        ),
        Text(en="the low clocks of an idle GPU", ko="유휴 GPU의 낮은 클럭"),
        Text(en="an event of a few minutes", ko="몇 분짜리 일시적인 감속"),
        Text(
            en="a node that is cordoned, under repair, or under test before it joins",
            ko="cordon되었거나 수리 중이거나 투입 전 점검 중인 노드",
        ),
    ),
    find=find,
    applies=has_accelerators,
)
