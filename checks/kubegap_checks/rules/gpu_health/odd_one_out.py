"""A node of a training run must not be worse than the others of the run that do the same work on the same machines."""

from collections.abc import Iterator, Sequence

from kubegap_checks.facts.metrics import Exported, NodeProfile
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.measured import unmeasured
from kubegap_checks.inventory.odd_nodes import OF_THE_MACHINE, Crew, Oddity, crews, oddities, profiles
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.quantities import quantity, unit
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    of_nodes = profiles(facts)
    for crew in crews(facts):
        for name, odd in oddities(crew, of_nodes):
            yield _finding(name, crew, odd)
        yield from unmeasured(facts, NodeProfile, crew.nodes)


def _finding(name: str, crew: Crew, odd: Sequence[Oddity]) -> Finding:
    said = [_said(one) for one in odd]
    sure = Confidence.LIKELY if any(one.quantity in OF_THE_MACHINE for one in odd) else Confidence.HINT
    return Finding(
        subject=Subject("Node", name),
        says=Text(
            en=f"in {crew.run.subject}: {'; '.join(text.en for text in said)}",
            ko=f"{crew.run.subject}에서 {'; '.join(text.ko for text in said)}",
        ),
        evidence={f"metrics.{one.quantity}": round(one.value, 2) for one in odd}
        | {f"peers.metrics.{one.quantity}": round(one.usual, 2) for one in odd}
        | {crew.run.sign.path: crew.run.sign.value},
        confidence=sure.at_most(crew.run.sign.confidence),
    )


def _said(odd: Oddity) -> Text:
    row = quantity(odd.quantity)
    value, usual, far = f"{odd.value:,.4g}", f"{odd.usual:,.4g}", f"{odd.percent:.0f}"
    return Text(
        en=f"{row.text.en} {value} {row.unit}, {far} percent off the median of {odd.nodes} like nodes ({usual})",
        ko=f"{row.text.ko} {value} {unit(row).ko}, 같은 일을 하는 노드 {odd.nodes}대의 중앙값({usual})과 {far}% 차이",
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A node of a training run is worse than the others", ko="같은 학습의 다른 노드보다 뒤처지는 노드"),
    why=Text(
        en="In synchronous training all ranks wait for the slowest, so that one node with a low clock or a hot GPU "
        "costs the whole run, and no check of its own calls it faulty.",
        ko="동기식 학습에서는 모든 랭크가 가장 느린 랭크를 기다린다. 클럭이 낮거나 뜨거운 노드 하나가 학습 전체를 "
        "늦추지만, 노드 자체 점검에서는 정상으로 나온다.",
    ),
    fix=Text(
        en="Replace the node in the run at the next checkpoint, compare the throughput, and test the node alone "
        "against a baseline of its kind before it comes back.",
        ko="다음 체크포인트에서 노드를 교체하고 처리량을 비교한다. 그 노드는 같은 종류의 기준 성능과 비교해 점검한 뒤 "
        "다시 투입한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(NodeProfile, Exported, Node, ResourceSlice, Pod),
    cites=(
        Cite(
            incident="2022-bigscience-bloom-slow-gpu",
            because=Text(
                en="one slow GPU of 384 cost 5% of the throughput, and no tool could compare GPUs in place",
                ko="GPU 384개 중 느린 하나가 처리량을 5% 낮췄는데, 돌고 있는 GPU를 비교할 도구가 없었음",
            ),
        ),
        Cite(
            incident="2024-bytedance-minder-faulty-machine",
            because=Text(
                en="healthy machines of a task look alike, and the one that stays different was mostly the faulty one",
                ko="한 작업의 정상 장비는 서로 비슷하고, 계속 다른 장비가 대개 문제의 장비였음",
            ),
        ),
        Cite(
            incident="2024-bytedance-straggler-study",
            because=Text(
                en="stages of a pipeline and sequences were uneven more often than machines: why work alone makes a "
                "hint",
                ko="장비보다 파이프라인 스테이지와 시퀀스의 불균형이 더 흔했음. 작업량만 다르면 참고로만 보는 까닭",
            ),
        ),
    ),
    verify=(
        "nvidia-smi --query-gpu=index,clocks.sm,temperature.gpu,power.draw,power.limit --format=csv  # on the node",
        "dcgmi diag -r 3  # on the node, when nothing else runs there",
    ),
    looks_like=(
        Text(en="nodes that are idle or run another job", ko="유휴 노드, 다른 작업을 돌리는 노드"),
        Text(
            en="a head or master node that does less: it is not busy, holds fewer GPUs, or is cooler",
            ko="일을 덜 하는 헤드·마스터 노드. 바쁘지 않거나 GPU가 적거나 더 차가움",
        ),
        Text(
            en="two machine types or power caps in one run: nodes are compared with their like, and spread counts",
            ko="한 학습에 섞인 두 장비 유형이나 전력 제한. 같은 종류끼리 퍼진 정도까지 고려해 비교함",
        ),
        Text(
            en="a node that works harder: it draws more power, and is hotter or slower for it",
            ko="일을 더 하는 노드. 전력을 더 쓰고 그만큼 뜨겁거나 느림",
        ),
        Text(en="pods that started within the last hour", ko="최근 한 시간 안에 시작한 파드"),
        Text(en="all nodes slow alike", ko="모든 노드가 똑같이 느린 경우"),
    ),
    find=find,
    applies=lambda facts: any(True for _ in crews(facts)),
)
