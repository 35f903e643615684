"""What an exporter publishes of most GPU nodes it must publish of every one that is in service, and go on with it."""

from collections.abc import Iterator
from datetime import datetime

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.metrics import Exported, ExporterSeen
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import has_accelerators, offered
from kubegap_checks.inventory.heard import Heard, heard, refused_by_daemon_sets, source_stopped, unplaced, whose
from kubegap_checks.inventory.sources import examples
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.quantities import group
from kubegap_checks.text import Text, moment


def find(facts: Facts) -> Iterator[Finding | Unread]:
    if stopped := source_stopped(facts):
        yield stopped
        return
    for one in heard(facts):
        if one.now:
            yield from (_silent(one, node, since) for node, since in sorted(one.silent.items()))
        elif one.silent:
            yield _gone(one)
        yield from _never(one, facts)
    yield from offered(facts).unread


def _silent(one: Heard, node: str, since: datetime) -> Finding:
    name, told = one.exporter.name, moment(since)
    return Finding(
        subject=Subject("Node", node),
        key=one.exporter.id,
        says=Text(
            en=f"{name} was last heard at {told}, while {len(one.now)} other nodes are heard now",
            ko=f"{name}의 마지막 응답 시각이 {told}임. 다른 노드 {len(one.now)}대는 지금도 응답 중",
        ),
        evidence={f"metrics.exporter_seen[{one.exporter.id}]": told},
        since=told,
    )


def _gone(one: Heard) -> Finding:
    last, which = moment(max(one.silent.values())), examples(sorted(one.silent))
    return Finding(
        subject=Subject("Exporter", one.exporter.id),
        says=Text(
            en=f"{one.exporter.name} was heard on {which.en} and is heard nowhere any more, last at {last}",
            ko=f"{one.exporter.name}: {which.ko}에서 응답하다가 모두 끊김(마지막 응답 {last})",
        ),
        evidence={f"metrics.exporter_seen[{one.exporter.id}]": last},
        since=last,
        confidence=Confidence.HINT,  # somebody may have taken it off
    )


def _never(one: Heard, facts: Facts) -> Iterator[Finding | Unread]:
    missed = [node.name for node in one.never if not refused_by_daemon_sets(facts, one.exporter, node)]
    if missed and unplaced(facts, one.exporter):
        yield whose(one.exporter, missed)
        return
    hours = f"{group(ExporterSeen.KIND.plural).window_hours:.0f}"
    for node in missed:
        yield Finding(
            subject=Subject("Node", node),
            key=one.exporter.id,
            says=Text(
                en=f"{one.exporter.name} was not heard within {hours} hours, while {len(one.now)} other nodes are",
                ko=f"최근 {hours}시간 동안 {one.exporter.name} 응답이 없음. 다른 노드 {len(one.now)}대는 응답 중",
            ),
            evidence={f"metrics.exporter_seen[{one.exporter.id}]": None},
        )


CHECK = Check(
    module=__name__,
    title=Text(en="An exporter fell silent on GPU nodes", ko="응답이 끊긴 GPU 노드의 익스포터"),
    why=Text(
        en="Nothing rises, throttles or overheats on a node whose exporter is silent: its alerts stay quiet, and a "
        "comparison with its peers leaves it out.",
        ko="익스포터가 멈춘 노드에서는 오류도 스로틀링도 과열도 보이지 않는다. 알림이 울리지 않고, 다른 노드와의 "
        "비교에서도 빠진다.",
    ),
    fix=Text(
        en="Look at the exporter's pod and at the scrape target of the node (`up`), and restart what hangs.",
        ko="노드의 익스포터 파드와 수집 대상(`up`)을 확인하고, 멈춘 쪽을 재시작한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(ExporterSeen, Exported, Node, ResourceSlice, DaemonSet),
    cites=(
        Cite(
            incident="2023-nvidia-dcgm-exporter-blind-spots",
            because=Text(
                en="exporters hung or were killed for memory, and the alerts that rested on them stayed silent",
                ko="익스포터가 멈추거나 메모리 부족으로 종료됐고, 여기에 기대던 알림도 울리지 않았음",
            ),
        ),
    ),
    verify=("kubectl get pods -A -o wide --field-selector spec.nodeName=NODE",),
    looks_like=(
        Text(
            en="a node that is not ready, cordoned, drained, under repair, just back from a reboot or about to go",
            ko="NotReady, cordon, drain, 수리 중이거나 막 재부팅했거나 곧 사라질 노드",
        ),
        Text(
            en="a node younger than what is looked back over, which no exporter was heard on yet",
            ko="살펴보는 기간보다 늦게 생겨 아직 익스포터 응답이 없는 노드",
        ),
        Text(en="an exporter that few nodes have, or of another vendor", ko="일부 노드에만 둔 익스포터, 다른 제조사용"),
        Text(en="a node that the exporter's DaemonSet leaves out", ko="익스포터 DaemonSet이 제외한 노드"),
        Text(en="a scrape that takes minutes in a large cluster", ko="대형 클러스터에서 몇 분씩 걸리는 수집"),
    ),
    find=find,
    applies=has_accelerators,
)
