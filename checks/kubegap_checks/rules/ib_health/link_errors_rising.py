"""Error counters of fabric ports must not rise above what a working link shows."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from kubegap_checks.facts.metrics import Exported, LinkErrors
from kubegap_checks.facts.nodes import Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread, came
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.fabric import has_fabric
from kubegap_checks.inventory.measured import by_part, counted, in_order, shown, unmeasured
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.quantities import group
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

# What NVSentinel calls fatal; the others slow a run down without stopping it.
_STOPS_A_RUN = frozenset({"link_downed", "local_link_integrity", "buffer_overrun"})


def find(facts: Facts) -> Iterator[Finding | Unread]:
    nodes = {node.name: node for node in facts.known(Node)}
    watched = [device.node.name for device in offered(facts).devices]
    risen, lacking = came(facts.seen(LinkErrors))
    for (name, part), rows in by_part(risen).items():
        raised = [row for row in rows if name in watched and _is_raised(row, nodes[name], facts)]
        if raised:
            yield _finding(name, part, raised)
    yield from lacking
    yield from unmeasured(facts, LinkErrors, watched)


def _is_raised(row: LinkErrors, node: Node, facts: Facts) -> bool:
    if row.value < threshold(f"link_error_{row.quantity}").value:
        return False
    return row.quantity != "link_downed" or row.value >= threshold("link_flaps").value or not _came_back(node, facts)


def _came_back(node: Node, facts: Facts) -> bool:
    """Whether the node became ready within the window: a reboot takes every link down once."""
    ready, window = node.condition("Ready"), timedelta(hours=group(LinkErrors.KIND.plural).window_hours)
    return ready is not None and ready.since is not None and ready.since > facts.read_at - window


def _finding(node: str, part: str, raised: Sequence[LinkErrors]) -> Finding:
    en, ko = counted(raised)
    stops = any(row.quantity in _STOPS_A_RUN for row in raised)
    return Finding(
        subject=Subject("Node", node),
        key=part,
        says=Text(en=f"port {part}: {en}", ko=f"포트 {part}: {ko}"),
        evidence={f"metrics.{row.quantity}[{part}]": shown(row) for row in in_order(raised)},
        severity=Severity.HIGH if stops else Severity.MEDIUM,
        confidence=Confidence.LIKELY,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Error counters of a fabric link rise", ko="패브릭 링크의 오류 카운터가 증가 중"),
    why=Text(
        en="A port that loses its link or corrects errors all the time holds up every collective that crosses it, long "
        "before its state says that it is down.",
        ko="링크가 끊기거나 오류를 계속 정정하는 포트는 상태가 down으로 바뀌기 훨씬 전부터 그 포트를 지나는 집합 "
        "통신을 모두 붙잡는다.",
    ),
    fix=Text(
        en="Take the node out of training, look at the counters of the port at the other end, and clean, reseat or "
        "replace the cable or transceiver (in a cloud, hand the machine back).",
        ko="노드를 학습에서 빼고 반대편 포트의 카운터까지 확인한 뒤 케이블이나 트랜시버를 청소하거나 다시 꽂거나 "
        "교체한다(클라우드라면 장비를 반납한다).",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(LinkErrors, Exported, Node, NodeFeature, ResourceSlice),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="links that flapped slowed or stopped training, and were found in the counters of the ports",
                ko="플래핑하는 링크 때문에 학습이 느려지거나 멈췄고, 포트 카운터에서 찾아냄",
            ),
        ),
        Cite(
            incident="2023-bytedance-megascale-nic-flapping",
            because=Text(
                en="interfaces that came back within seconds still ended a job on more than 10,000 GPUs",
                ko="몇 초 만에 돌아온 인터페이스도 GPU 1만 개가 넘는 작업을 중단시켰음",
            ),
        ),
    ),
    verify=(
        "grep . /sys/class/infiniband/*/ports/*/counters/link_downed  # on the node",
        "ibstat  # on the node",
    ),
    looks_like=(
        Text(
            en="a link that went down once or twice when its node was rebooted",
            ko="노드 재부팅 때 한두 번 끊긴 링크",
        ),
        Text(
            en="a few symbol errors on HDR or NDR links, whose encoding corrects them",
            ko="HDR, NDR 링크의 적은 심볼 오류. 인코딩이 정정함",
        ),
        Text(
            en="a node without accelerators, or one of another cluster in the same Prometheus",
            ko="가속기가 없는 노드, 같은 Prometheus에 있는 다른 클러스터의 노드",
        ),
    ),
    find=find,
    applies=has_fabric,
)
