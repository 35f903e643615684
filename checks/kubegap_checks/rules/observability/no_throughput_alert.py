"""Where the metrics of a training run are scraped and alerts are kept as objects, one must tell of lost throughput."""

from collections.abc import Iterator

from kubegap_checks.facts.monitoring import PodMonitor, Prometheus, PrometheusRule, ThanosRuler
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.alerts import alerts
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    kept = alerts(facts)
    if kept.tells_of("throughput") or not kept.count:
        return
    monitors = facts.known(PodMonitor)
    for run in training_runs(facts):
        monitor = next((monitor for monitor in monitors if _scrapes(monitor, run)), None)
        if monitor and run.sign.confidence is not Confidence.HINT:
            yield Finding(
                subject=run.subject,
                says=Text(
                    en=f"its metrics are scraped, and none of {kept.count} alerts tells when it slows down or stalls",
                    ko=f"메트릭은 수집하지만 알림 {kept.count}개 중 학습이 느려지거나 멈춘 것을 알리는 것이 없음",
                ),
                evidence={
                    f"PodMonitor[{monitor.namespace}/{monitor.name}].spec.selector": _words(monitor),
                    "PrometheusRule.alerts": kept.count,
                },
            )


def _scrapes(monitor: PodMonitor, run: TrainingRun) -> bool:
    within = monitor.namespaces is None or run.run.namespace in monitor.namespaces
    return within and any(monitor.selector.matches(pod.labels) for pod in run.pods)


def _words(monitor: PodMonitor) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(monitor.selector.labels.items()))


def _applies(facts: Facts) -> bool:
    """Most trainers report to a service outside of the cluster: only what a PodMonitor scrapes is known to be here."""
    return bool(facts.known(PodMonitor)) and any(training_runs(facts))


CHECK = Check(
    module=__name__,
    title=Text(en="No alert tells of lost throughput", ko="처리량 저하를 알리는 알림 없음"),
    why=Text(
        en="A run that is slow or stands still keeps all its GPUs and fails no check; until somebody looks at the "
        "curve, the hours are paid for and lost.",
        ko="느려지거나 멈춘 학습도 GPU를 그대로 점유하고 어떤 점검에도 걸리지 않는다. 누군가 그래프를 볼 때까지 "
        "시간과 비용이 계속 낭비된다.",
    ),
    fix=Text(
        en="Add an alert on the run's throughput against its own recent level, and one on steps that stop.",
        ko="최근 수준과 비교한 처리량 저하와 스텝 정지에 알림을 만든다.",
    ),
    severity=Severity.LOW,
    confidence=Confidence.HINT,
    reads=(Pod, PodMonitor, PrometheusRule, Prometheus, ThanosRuler),
    cites=(
        Cite(
            incident="2025-huggingface-smollm3-throughput",
            because=Text(
                en="tokens per second were logged all the time, so the plunge was seen within hours; at half the "
                "throughput a month of training becomes two (on Slurm)",
                ko="초당 토큰 수를 계속 기록한 덕에 몇 시간 만에 급락을 알아챘음. 처리량이 절반이면 한 달 학습이 두 "
                "달이 됨(Slurm)",
            ),
        ),
        Cite(
            incident="2022-bigscience-bloom-slow-gpu",
            because=Text(
                en="one slow GPU cost 5% of the throughput, and only the training log showed it (on Slurm)",
                ko="느린 GPU 하나가 처리량을 5% 떨어뜨렸고, 이를 알 수 있는 것은 학습 로그뿐이었음(Slurm)",
            ),
        ),
    ),
    verify=(
        "kubectl get prometheusrules -A -o json | grep -iE 'throughput|tokens|samples|step'",
        "kubectl get podmonitors -A -o wide",
    ),
    looks_like=(
        Text(
            en="alerts of an experiment tracker, a cloud or Grafana, which no object shows: it is never more than a "
            "hint",
            ko="실험 추적 서비스, 클라우드, Grafana의 알림: 객체로 보이지 않으므로 참고로만 보고함",
        ),
        Text(
            en="an alert on how busy the GPUs are, which falls when a run stalls",
            ko="학습이 멈추면 함께 떨어지는 GPU 사용률에 건 알림",
        ),
        Text(en="a run that no PodMonitor scrapes", ko="PodMonitor가 수집하지 않는 학습"),
    ),
    find=find,
    applies=_applies,
)
