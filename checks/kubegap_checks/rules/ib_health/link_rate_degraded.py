"""A fabric port must run at its former speed, and at that of the same port on nodes that are alike."""

from collections.abc import Iterator

from kubegap_checks.facts.metrics import Exported, LinkRates
from kubegap_checks.facts.nodes import Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.fabric import has_fabric
from kubegap_checks.inventory.link_speeds import SlowPort, slow_ports
from kubegap_checks.inventory.measured import unmeasured
from kubegap_checks.inventory.steady import steady
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.quantities import group
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    nodes = steady(facts)
    for slow in slow_ports(facts, nodes):
        yield _finding(slow)
    yield from unmeasured(facts, LinkRates, nodes)


def _finding(slow: SlowPort) -> Finding:
    now, beside = _now(slow), _beside(slow)
    reference = "peers" if slow.others else "before"
    return Finding(
        subject=Subject("Node", slow.node),
        key=slow.port,
        says=Text(en=f"port {slow.port} {now.en}, {beside.en}", ko=f"포트 {slow.port}: {now.ko}, {beside.ko}"),
        evidence={
            f"metrics.link_rate[{slow.port}] (Gb/s)": slow.speed,
            f"{reference}.metrics.link_rate[{slow.port}] (Gb/s)": slow.better,
        },
        severity=Severity.MEDIUM if slow.speed else Severity.HIGH,
    )


def _now(slow: SlowPort) -> Text:
    if not slow.speed:
        return Text(en="has no link", ko="링크 없음")
    return Text(en=f"runs at {slow.speed} Gb/s", ko=f"현재 {slow.speed} Gb/s")


def _beside(slow: SlowPort) -> Text:
    if slow.others:
        return Text(
            en=f"where {slow.holders} of {slow.others} like nodes have {slow.better} Gb/s",
            ko=f"같은 종류의 다른 노드 {slow.others}대 중 {slow.holders}대는 {slow.better} Gb/s",
        )
    hours = f"{group(LinkRates.KIND.plural).window_hours:g}"
    return Text(
        en=f"where it had {slow.better} Gb/s within the last {hours} hours",
        ko=f"최근 {hours}시간 안에는 {slow.better} Gb/s였음",
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A fabric port runs below its speed", ko="제 속도보다 느린 패브릭 포트"),
    why=Text(
        en="A collective is as fast as its slowest port: one that came up at half its speed, or not at all, slows down "
        "every rank, and nothing reports an error.",
        ko="집합 통신은 가장 느린 포트에 맞춰진다. 절반 속도로 연결되거나 링크가 없는 포트 하나가 모든 랭크를 늦추지만 "
        "오류는 어디에도 나오지 않는다.",
    ),
    fix=Text(
        en="Take the node out of training, compare the port with the one at the other end, and reseat or replace the "
        "cable or transceiver (in a cloud, hand the machine back).",
        ko="노드를 학습에서 빼고 반대편 포트와 속도를 비교한 뒤 케이블이나 트랜시버를 다시 꽂거나 교체한다"
        "(클라우드라면 장비를 반납한다).",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(LinkRates, Exported, Node, NodeFeature, ResourceSlice),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="ports that gave out under load and a miswired fabric slowed training until every port was checked",
                ko="부하가 걸리면 나빠지는 포트와 잘못된 배선이 모든 포트를 점검할 때까지 학습을 늦췄음",
            ),
        ),
        Cite(
            incident="2024-bytedance-minder-faulty-machine",
            because=Text(
                en="one link that fell back to a lower speed, a PCIe link there, slowed 128 machines for 40 minutes",
                ko="낮은 속도로 떨어진 링크(PCIe 링크) 하나가 장비 128대를 40분 동안 늦췄음",
            ),
        ),
    ),
    verify=(
        "grep . /sys/class/infiniband/*/ports/*/{rate,state}  # on the node",
        "ibstat  # on the node",
    ),
    looks_like=(
        Text(
            en="adapters for management or storage, which have another speed on all nodes alike",
            ko="모든 노드에서 똑같이 속도가 다른 관리용, 스토리지용 어댑터",
        ),
        Text(
            en="ports that are unused, and so without a link, on most nodes of a kind",
            ko="같은 종류의 노드 대부분에서 쓰지 않아 링크가 없는 포트",
        ),
        Text(
            en="HDR beside NDR: nodes with another machine type or GPU, or no speed that most nodes of a kind have",
            ko="HDR과 NDR이 섞인 클러스터. 장비 유형이나 GPU가 다르거나, 같은 종류 대부분이 갖는 속도가 없음",
        ),
        Text(
            en="adapters that have other numbers on one node, whose speeds add up to the same",
            ko="한 노드에서 번호만 다르게 붙은 어댑터. 속도의 합은 같음",
        ),
        Text(
            en="a node that is cordoned, under repair, or up for a few minutes only",
            ko="cordon되었거나 수리 중이거나 막 켜진 노드",
        ),
    ),
    find=find,
    applies=has_fabric,
)
