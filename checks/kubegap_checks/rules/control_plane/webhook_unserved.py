"""A webhook that must answer must have somebody who can."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from kubegap_checks.facts.admission import (
    MutatingWebhookConfiguration,
    Namespace,
    Service,
    ValidatingWebhookConfiguration,
    Webhook,
    WebhookConfiguration,
)
from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.admission import admitted_work, configurations, stopped_by
from kubegap_checks.inventory.backends import Backend, Backends, copies
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    for configuration in configurations(facts):
        for webhook in configuration.webhooks:
            if webhook.fails_closed and webhook.service:
                backends = Backends(facts)
                servers = backends.behind(webhook.service)
                if not backends.exists(webhook.service):
                    says = Text(en="its Service does not exist", ko="Service가 없음")
                    yield _finding(facts, configuration, webhook, says, Confidence.CERTAIN)
                elif servers and not any(server.ready for server in servers) and not _starting(facts, servers):
                    wanted = sum(copies(server) for server in servers)
                    says = Text(en=f"none of its {wanted} pods is ready", ko=f"파드 {wanted}개 중 준비된 것이 없음")
                    yield _finding(facts, configuration, webhook, says, Confidence.LIKELY)


def _starting(facts: Facts, servers: Sequence[Backend]) -> bool:
    grace = timedelta(minutes=threshold("server_start_grace").value)
    return any(server.created and facts.read_at - server.created < grace for server in servers)


def _finding(facts: Facts, at: WebhookConfiguration, webhook: Webhook, why: Text, sure: Confidence) -> Finding:
    namespaces = {namespace.name: namespace.labels for namespace in facts.known(Namespace)}
    work, system = admitted_work(webhook, namespaces), stopped_by(webhook, namespaces)
    stops = Text(en="what it judges is refused", ko="이 웹훅이 심사하는 요청이 거부됨")
    if work:
        stops = Text(
            en=f"{work[0]}{' and other kinds' if work[1:] else ''} cannot be created",
            ko=f"{work[0]}{' 등' if work[1:] else ''} 생성이 거부됨",
        )
    elif system:
        stops = system[0].text
    path = f"webhooks[{webhook.name}]"
    return Finding(
        subject=Subject(at.KIND.name, at.name),
        key=webhook.name,
        says=Text(en=f"{webhook.name}: {why.en}, so {stops.en}", ko=f"{webhook.name}: {why.ko}, {stops.ko}"),
        evidence={f"{path}.failurePolicy": "Fail", f"{path}.clientConfig.service": webhook.served_by},
        severity=Severity.HIGH if work or system else Severity.LOW,
        confidence=sure,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A webhook that must answer has no server", ko="응답해야 하지만 서버가 없는 웹훅"),
    why=Text(
        en="Every request that it should judge is refused: new runs do not start, and pods that a failed node took do "
        "not come back.",
        ko="심사 대상 요청이 모두 거부되어 새 학습이 시작되지 않고, 노드 장애로 잃은 파드도 다시 만들어지지 않는다.",
    ),
    fix=Text(
        en="Bring the webhook's server back, or remove the configuration of one that was uninstalled.",
        ko="웹훅 서버를 되살리거나, 이미 제거한 소프트웨어의 웹훅이면 설정을 지운다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(
        *(ValidatingWebhookConfiguration, MutatingWebhookConfiguration, Namespace),
        *(Service, Deployment, StatefulSet, DaemonSet),
    ),
    cites=(
        Cite(
            incident="2019-jetstack-opa-webhook-gke-outage",
            because=Text(
                en="the server behind a webhook did not answer (it ran, but hung), and the cluster could not write",
                ko="웹훅 뒤의 서버가 응답하지 않아(떠 있었지만 멈춤) 클러스터가 쓰기를 하지 못했음",
            ),
        ),
        Cite(
            incident="2026-amd-training-operator-ca-expiry",
            because=Text(
                en="a training operator's webhook could not be called (for its certificate, not for want of a server), "
                "and every training job was refused",
                ko="트레이닝 오퍼레이터 웹훅을 호출할 수 없어(서버가 아니라 인증서 때문) 모든 학습 작업이 거부됐음",
            ),
        ),
    ),
    verify=(
        "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
        "kubectl -n NAMESPACE get services,endpoints,deployments",
    ),
    looks_like=(
        Text(en="a webhook that lets requests pass when it fails", ko="실패하면 요청을 통과시키는 웹훅"),
        Text(en="one reached by a URL, as the platforms' own are", ko="플랫폼 자체 웹훅처럼 URL로 연결되는 웹훅"),
        Text(en="a server that was installed a moment ago", ko="방금 설치한 서버"),
        Text(
            en="one that judges only kinds of its own: the finding is a small one",
            ko="자기 종류만 심사하는 웹훅, 낮은 등급으로 보고함",
        ),
    ),
    find=find,
    applies=lambda facts: any(True for _ in configurations(facts)),
)
