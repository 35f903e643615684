"""An exporter of GPU or fabric metrics must be scraped by a Prometheus."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.monitoring import Monitor, PodMonitor, Prometheus, PrometheusAgent, ServiceMonitor
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.exporters import Exporter, exporters, monitors_of, scrapers, takes, watched_otherwise
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    running = scrapers(facts)
    if not running or any(scraper.scrapes_more for scraper in running) or watched_otherwise(facts):
        return
    for exporter in (*exporters(facts, "gpu"), *exporters(facts, "fabric")):
        monitors = monitors_of(facts, exporter)
        if not monitors:
            yield _no_monitor(exporter, len(running))
        elif not any(takes(scraper, monitor) for scraper in running for monitor in monitors):
            yield _not_taken(exporter, monitors[0], running[0])


def _no_monitor(exporter: Exporter, running: int) -> Finding:
    product = exporter.signal.product
    return Finding(
        subject=exporter.subject,
        says=Text(
            en=f"{product} runs, and no ServiceMonitor or PodMonitor points at it",
            ko=f"{product} 파드가 실행 중이지만 이를 가리키는 ServiceMonitor나 PodMonitor가 없음",
        ),
        evidence={"status.numberReady": exporter.daemon_set.ready, "Prometheus.count": running},
    )


def _not_taken(exporter: Exporter, monitor: Monitor, scraper: Prometheus | PrometheusAgent) -> Finding:
    is_service = isinstance(monitor, ServiceMonitor)
    field = "serviceMonitorSelector" if is_service else "podMonitorSelector"
    objects = (scraper.service_monitors if is_service else scraper.pod_monitors).objects
    wanted = ", ".join(f"{key}={value}" for key, value in objects.labels.items()) if objects else ""
    product = exporter.signal.product
    return Finding(
        subject=Subject(monitor.kind, monitor.name, monitor.namespace),
        says=Text(
            en=f"the monitor of {product} is selected by no Prometheus",
            ko=f"{product}의 모니터를 선택하는 Prometheus가 없음",
        ),
        evidence={f"Prometheus[{scraper.namespace}/{scraper.name}].spec.{field}": wanted},
    )


def _applies(facts: Facts) -> bool:
    return any(exporters(facts, "gpu")) or any(exporters(facts, "fabric"))


CHECK = Check(
    module=__name__,
    title=Text(
        en="Metrics of GPUs or the fabric that no Prometheus collects",
        ko="Prometheus가 수집하지 않는 GPU 또는 패브릭 메트릭",
    ),
    why=Text(
        en="The exporter runs and looks well, but its values are kept nowhere: no dashboard, no alert, and no history "
        "to look at when a run slows down.",
        ko="익스포터는 정상으로 보이지만 값이 어디에도 저장되지 않는다. 대시보드도 알림도 없고, 학습이 느려졌을 때 "
        "들여다볼 이력도 없다.",
    ),
    fix=Text(
        en="Create a ServiceMonitor or PodMonitor for the exporter, with the labels and in a namespace that the "
        "Prometheus selects.",
        ko="익스포터용 ServiceMonitor나 PodMonitor를 Prometheus가 선택하는 레이블과 네임스페이스로 만든다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(DaemonSet, Deployment, StatefulSet, ServiceMonitor, PodMonitor, Prometheus, PrometheusAgent),
    cites=(
        Cite(
            incident="2023-nvidia-dcgm-exporter-blind-spots",
            because=Text(
                en="GPU alerts rested on one exporter, and when its values stood still no log told of it; there the "
                "exporter itself was at fault",
                ko="GPU 알림이 익스포터 하나에 걸려 있었는데, 값이 멈춰도 로그에 아무것도 남지 않았음. 당시 원인은 "
                "익스포터 자체였음",
            ),
        ),
        Cite(
            incident="2024-bytedance-minder-faulty-machine",
            because=Text(
                en="people need over half an hour to find a faulty machine by hand; comparing collected metrics of "
                "all machines takes seconds",
                ko="사람이 불량 장비를 찾는 데 30분 넘게 걸리지만, 모든 장비의 메트릭을 모아 비교하면 몇 초면 됨",
            ),
        ),
    ),
    verify=(
        "kubectl get prometheus -A -o jsonpath='{.items[*].spec.serviceMonitorSelector}'",
        "kubectl get servicemonitors,podmonitors -A --show-labels",
    ),
    looks_like=(
        Text(
            en="a Prometheus that is told what to scrape in a Secret, in ScrapeConfigs or by hand",
            ko="Secret, ScrapeConfig 또는 수동 설정으로 수집 대상을 받는 Prometheus",
        ),
        Text(en="another agent that collects the metrics", ko="메트릭을 수집하는 다른 에이전트"),
        Text(en="a cluster without a Prometheus of the operator", ko="Prometheus Operator를 쓰지 않는 클러스터"),
        Text(
            en="a Prometheus that selects namespaces by labels, which are not read",
            ko="네임스페이스를 레이블로 고르는 Prometheus(해당 레이블은 읽지 않음)",
        ),
    ),
    find=find,
    applies=_applies,
)
