"""Where GPU metrics are exported and alerts are kept as objects, one of them must tell of GPU faults."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.monitoring import Prometheus, PrometheusRule, ThanosRuler
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.alerts import Alerts, alerts
from kubegap_checks.inventory.exporters import Exporter, exporters, watched_otherwise
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    kept = alerts(facts)
    if kept.tells_of("gpu_fault"):
        return
    elsewhere = watched_otherwise(facts) is not None
    if idle := kept.idle_about("gpu_fault"):
        yield _never_loaded(idle, hint=elsewhere)
    elif kept.count:
        exporter = max(exporters(facts, "gpu"), key=lambda one: one.daemon_set.desired)
        yield _no_alert(exporter, kept, elsewhere=elsewhere)


def _never_loaded(rule: PrometheusRule, *, hint: bool) -> Finding:
    return Finding(
        subject=Subject("PrometheusRule", rule.name, rule.namespace),
        says=Text(
            en="its alerts on GPU faults are loaded by no Prometheus, and no other alert tells of them",
            ko="GPU 장애 알림이 있지만 이를 불러오는 Prometheus가 없고, GPU 장애를 알리는 다른 규칙도 없음",
        ),
        evidence={"metadata.labels": ", ".join(f"{key}={value}" for key, value in sorted(rule.labels.items()))},
        severity=Severity.LOW if hint else None,
        confidence=Confidence.HINT if hint else None,
    )


def _no_alert(exporter: Exporter, kept: Alerts, *, elsewhere: bool) -> Finding:
    """It counts only where other GPU alerts are kept here: else they may all live where no object shows them."""
    on_gpus = sorted(set(kept.alerts_on("gpu")))
    sure = bool(on_gpus) and not elsewhere
    beside = f" ({', '.join(on_gpus[:3])})" if on_gpus else ""
    return Finding(
        subject=exporter.subject,
        says=Text(
            en=f"none of {kept.count} alerts tells of GPU faults (Xid, ECC, row remap) that it measures{beside}",
            ko=f"알림 {kept.count}개 중 GPU 장애(Xid, ECC, row remap)를 알리는 것이 없음{beside}",
        ),
        evidence={"PrometheusRule.count": len(kept.evaluated), "PrometheusRule.alerts": kept.count},
        severity=None if sure else Severity.LOW,
        confidence=None if sure else Confidence.HINT,
    )


def _applies(facts: Facts) -> bool:
    return any(exporters(facts, "gpu")) and any(rule.alerts for rule in facts.known(PrometheusRule))


CHECK = Check(
    module=__name__,
    title=Text(en="No alert tells of GPU faults", ko="GPU 장애를 알리는 알림 없음"),
    why=Text(
        en="Xid errors, uncorrectable memory errors and failed row remaps announce a GPU that will end or silently "
        "corrupt a run; without an alert the node goes back into the next job.",
        ko="Xid, 정정 불가능한 메모리 오류, row remap 실패는 학습을 중단시키거나 조용히 결과를 망칠 GPU의 징후다. "
        "알림이 없으면 그 노드가 다음 작업에 다시 들어간다.",
    ),
    fix=Text(
        en="Add alerts on Xid, ECC, row-remap and health metrics of the exporter, and have a Prometheus load them.",
        ko="익스포터의 Xid, ECC, row remap, 헬스 메트릭에 알림을 만들고 Prometheus가 불러오는지 확인한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(DaemonSet, Deployment, StatefulSet, PrometheusRule, Prometheus, ThanosRuler),
    cites=(
        Cite(
            incident="2023-huggingface-idefics80b-row-remap-loss-spikes",
            because=Text(
                en="GPUs with row-remap errors (Xid 63 and 64) stayed in use and a bad node came back into the run "
                "(on Slurm)",
                ko="row remap 오류(Xid 63, 64)가 난 GPU를 계속 썼고 불량 노드가 다시 투입되었음(Slurm)",
            ),
        ),
        Cite(
            incident="2024-meta-rsc-lemon-nodes",
            because=Text(
                en="Xid events were among the seven signals that gave nodes away which failed large jobs again and "
                "again (on Slurm)",
                ko="큰 작업을 거듭 실패시킨 노드를 가려낸 일곱 가지 신호 중 하나가 Xid 이벤트였음(Slurm)",
            ),
        ),
    ),
    verify=(
        "kubectl get prometheusrules -A -o json | grep -iE 'xid|ecc|remap'",
        "kubectl get prometheus -A -o jsonpath='{.items[*].spec.ruleSelector}'",
    ),
    looks_like=(
        Text(
            en="alerts that live in Grafana, a cloud or another product: without any GPU alert among the objects, or "
            "beside such software, the finding is a hint",
            ko="Grafana, 클라우드, 다른 제품에 있는 알림: GPU 알림 객체가 하나도 없거나 그런 제품이 있으면 "
            "참고로만 보고함",
        ),
        Text(
            en="an alert on node conditions of a health agent, on the device count, or on a recording rule",
            ko="헬스 에이전트의 노드 컨디션, 디바이스 수, recording rule에 건 알림",
        ),
        Text(en="a cluster that keeps no alerts as objects", ko="알림을 객체로 두지 않는 클러스터"),
    ),
    find=find,
    applies=_applies,
)
