"""A webhook that must answer before the system's own writes must be able to lose a replica and to start again."""

from collections.abc import Iterator

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
from kubegap_checks.inventory.admission import Labels, admits_pods_of, configurations, stopped_by
from kubegap_checks.inventory.backends import Backends, copies
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.text import Text

_ONE = Text(en="{} has one replica: while it is away, {}", ko="{}의 레플리카가 하나뿐이라 그 파드가 없는 동안 {}")
_ITSELF = Text(
    en="{} must admit its own pods: once all {n} are lost none can start, and {}",
    ko="{} 웹훅은 자기 파드도 심사하므로 {n}개를 모두 잃으면 다시 뜨지 못하고 {}",
)


def find(facts: Facts) -> Iterator[Finding]:
    for configuration in configurations(facts):
        for webhook in configuration.webhooks:
            if webhook.fails_closed and webhook.service:
                labels = {namespace.name: namespace.labels for namespace in facts.known(Namespace)}
                yield from _judge(facts, configuration, webhook, webhook.service, labels)


def _judge(
    facts: Facts, at: WebhookConfiguration, webhook: Webhook, service: tuple[str, str], labels: Labels
) -> Iterator[Finding]:
    stopped = stopped_by(webhook, labels)
    if not stopped:
        return
    servers = Backends(facts).behind(service)
    replicas = sum(copies(server) for server in servers)
    severity = Severity.HIGH
    if servers and replicas <= 1:
        says = _ONE
    elif any(admits_pods_of(webhook, server, labels) for server in servers):
        says, severity = _ITSELF, Severity.MEDIUM
    else:
        return
    stops = stopped[0].text
    path = f"webhooks[{webhook.name}]"
    yield Finding(
        subject=Subject(at.KIND.name, at.name),
        key=webhook.name,
        says=Text(
            en=says.en.format(webhook.name, stops.en, n=replicas), ko=says.ko.format(webhook.name, stops.ko, n=replicas)
        ),
        severity=severity,
        evidence={
            f"{path}.failurePolicy": "Fail",
            f"{path}.clientConfig.service": webhook.served_by,
            "replicas": replicas,
        },
    )


CHECK = Check(
    module=__name__,
    title=Text(
        en="A webhook without a spare can stop the system's own writes",
        ko="여분이 없어 시스템 쓰기까지 막을 수 있는 웹훅",
    ),
    why=Text(
        en="When it does not answer, nodes and system pods cannot be repaired either: one lost pod can stop the "
        "cluster and every run on it.",
        ko="웹훅이 응답하지 않으면 노드와 시스템 파드도 복구되지 않아, 파드 하나를 잃는 것만으로 클러스터와 그 위의 "
        "학습이 모두 멈출 수 있다.",
    ),
    fix=Text(
        en="Exclude kube-system, kube-node-lease and the webhook's own namespace in its namespaceSelector, narrow its "
        "rules to what it judges, and run at least two replicas.",
        ko="namespaceSelector에서 kube-system, kube-node-lease와 웹훅의 네임스페이스를 제외하고, rules를 실제 대상으로 "
        "좁히고, 레플리카를 둘 이상 둔다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(
        *(ValidatingWebhookConfiguration, MutatingWebhookConfiguration, Namespace),
        *(Service, Deployment, StatefulSet, DaemonSet),
    ),
    cites=(
        Cite(
            incident="2019-jetstack-opa-webhook-gke-outage",
            because=Text(
                en="a validating webhook over all namespaces did not answer, since its backend hung: the new API "
                "server could not write to kube-system, and all nodes were rebuilt in a loop",
                ko="모든 네임스페이스에 걸린 웹훅이 백엔드가 멈춰 응답하지 않자 새 API 서버가 kube-system에 쓰지 "
                "못했고, 노드가 끝없이 재생성됐음",
            ),
        ),
    ),
    verify=("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml",),
    looks_like=(
        Text(en="a webhook that lets requests pass when it fails", ko="실패하면 요청을 통과시키는 웹훅"),
        Text(
            en="one narrowed by namespaces, by objects, by CEL conditions or to its own kinds",
            ko="네임스페이스나 객체, CEL 조건, 자기 종류로 대상을 좁힌 웹훅",
        ),
        Text(en="one whose server is gone, which is another check's", ko="서버가 없는 웹훅(다른 점검에서 다룸)"),
        Text(en="one reached by a URL, as the platforms' own are", ko="플랫폼 자체 웹훅처럼 URL로 연결되는 웹훅"),
        Text(
            en="one with several replicas that does not judge their pods",
            ko="레플리카가 여럿이고 자기 파드는 심사하지 않는 웹훅",
        ),
    ),
    find=find,
    applies=lambda facts: any(True for _ in configurations(facts)),
)
