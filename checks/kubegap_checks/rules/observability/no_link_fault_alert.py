"""Where nodes train over InfiniBand or RoCE and alerts are kept as objects, one of them must tell of link faults."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.monitoring import Prometheus, PrometheusRule, ThanosRuler
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.alerts import alerts
from kubegap_checks.inventory.exporters import exporters, watched_otherwise
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.signals.fabrics import fabric_of
from kubegap_checks.text import Text

# What node_exporter counts; adapters of other fabrics have counters of their own.
_COUNTED = frozenset({"infiniband", "roce"})


def find(facts: Facts) -> Iterator[Finding | Unread]:
    kept = alerts(facts)
    if kept.tells_of("link_fault") or not (kept.count and _has_fabric(facts)) or watched_otherwise(facts):
        return
    exporter = max(exporters(facts, "fabric"), key=lambda one: one.daemon_set.desired)
    yield Finding(
        subject=exporter.subject,
        says=Text(
            en=f"none of {kept.count} alerts tells of a link that goes down or counts errors",
            ko=f"알림 {kept.count}개 중 링크 다운이나 링크 오류를 알리는 것이 없음",
        ),
        evidence={"PrometheusRule.count": len(kept.evaluated), "PrometheusRule.alerts": kept.count},
        # Where faults of GPUs are told of by these objects, those of links would be too.
        confidence=None if kept.tells_of("gpu_fault") else Confidence.HINT,
    )


def _applies(facts: Facts) -> bool:
    kept = any(rule.alerts for rule in facts.known(PrometheusRule))
    return kept and any(exporters(facts, "fabric")) and _has_fabric(facts)


def _has_fabric(facts: Facts) -> bool:
    offered = {name for node in facts.known(Node) for name, count in (node.capacity or {}).items() if count}
    return any((row := fabric_of(name)) is not None and row.kind in _COUNTED for name in offered)


CHECK = Check(
    module=__name__,
    title=Text(en="No alert tells of link faults", ko="링크 장애를 알리는 알림 없음"),
    why=Text(
        en="A port that flaps for seconds stalls every rank of a run or ends it, and without an alert it is found "
        "only by reading the counters of all nodes afterwards.",
        ko="몇 초씩 끊기는 포트 하나가 모든 랭크를 멈추거나 학습을 끝낸다. 알림이 없으면 나중에 모든 노드의 카운터를 "
        "뒤져야 찾을 수 있다.",
    ),
    fix=Text(
        en="Add alerts on link_downed, port state and symbol errors of the adapters that runs use.",
        ko="학습이 쓰는 어댑터의 link_downed, 포트 상태, symbol error에 알림을 만든다.",
    ),
    severity=Severity.LOW,
    confidence=Confidence.LIKELY,
    reads=(Node, DaemonSet, Deployment, StatefulSet, PrometheusRule, Prometheus, ThanosRuler),
    cites=(
        Cite(
            incident="2023-bytedance-megascale-nic-flapping",
            because=Text(
                en="interfaces that were down for seconds stopped training on more than 10,000 GPUs, and the answer "
                "included watching link flaps",
                ko="몇 초 끊긴 인터페이스가 GPU 1만여 개의 학습을 멈췄고, 대책 중 하나가 링크 플랩 모니터링이었음",
            ),
        ),
        Cite(
            incident="2024-deepseek-infiniband-flash-cuts",
            because=Text(
                en="momentary losses of InfiniBand links were 89 of 292 memory and network faults in half a year, "
                "and one of them can end a whole task",
                ko="반년간 메모리·네트워크 장애 292건 중 89건이 InfiniBand 링크의 순간 끊김이었고, 한 번으로 작업 "
                "전체가 중단될 수 있었음",
            ),
        ),
    ),
    verify=(
        "kubectl get prometheusrules -A -o json | grep -iE 'link_downed|infiniband|rdma'",
        "rdma link show  # on the node",
    ),
    looks_like=(
        Text(
            en="links that a fabric manager or another product watches from outside",
            ko="패브릭 매니저나 다른 제품이 클러스터 밖에서 감시하는 링크",
        ),
        Text(en="an alert on node conditions of a health agent", ko="헬스 에이전트의 노드 컨디션에 건 알림"),
        Text(
            en="EFA and GPUDirect-TCPX, whose counters this exporter does not have",
            ko="이 익스포터가 카운터를 내보내지 않는 EFA와 GPUDirect-TCPX",
        ),
    ),
    find=find,
    applies=_applies,
)
