"""The authority by which the API server knows a webhook must not be about to end."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from kubegap_checks.facts.admission import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
    Webhook,
    WebhookConfiguration,
)
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.admission import configurations
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

_DAY = timedelta(days=1)


def find(facts: Facts) -> Iterator[Finding | Unread]:
    for configuration in configurations(facts):
        for webhook in configuration.webhooks:
            if webhook.trust is None:
                continue
            if webhook.trust.term is None:
                yield _unreadable(configuration, webhook)
                continue
            begins, ends = webhook.trust.term
            if ends - facts.read_at < _warned(ends - begins):
                yield _finding(configuration, webhook, ends, facts.read_at)


def _warned(life: timedelta) -> timedelta:
    """How long before its end: what renews itself does so while a larger part of its life is left."""
    few_days = threshold("webhook_ca_days").value * _DAY
    return min(few_days, life * threshold("webhook_ca_life").value / 100)


def _finding(at: WebhookConfiguration, webhook: Webhook, ends: datetime, now: datetime) -> Finding:
    day = f"{ends:%Y-%m-%d}"
    left = (ends - now).days
    if ends <= now:
        says = Text(en=f"the CA of {webhook.name} expired on {day}", ko=f"{webhook.name}의 CA가 {day}에 만료됨")
    else:
        says = Text(
            en=f"the CA of {webhook.name} expires on {day}, in {left} days",
            ko=f"{webhook.name}의 CA가 {left}일 뒤 {day}에 만료됨",
        )
    return Finding(
        subject=Subject(at.KIND.name, at.name),
        key=webhook.name,
        says=says,
        severity=None if webhook.fails_closed else Severity.LOW,
        evidence={
            f"webhooks[{webhook.name}].clientConfig.caBundle notAfter": f"{ends:%Y-%m-%dT%H:%M:%SZ}",
            f"webhooks[{webhook.name}].failurePolicy": "Fail" if webhook.fails_closed else "Ignore",
        },
    )


def _unreadable(at: WebhookConfiguration, webhook: Webhook) -> Unread:
    return Unread(
        what=Text(en=f"the CA of {at.name} {webhook.name}", ko=f"{at.name} {webhook.name}의 CA"),
        reason="invalid",
        remedy=Text(
            en="look whether caBundle holds PEM certificates, or waits for somebody to fill it in",
            ko="caBundle에 PEM 인증서가 들어 있는지, 아직 채워지지 않은 값인지 확인",
        ),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A webhook's CA has expired or is about to", ko="만료됐거나 곧 만료될 웹훅 CA"),
    why=Text(
        en="From that moment the API server no longer trusts the webhook, and refuses all that the webhook must "
        "admit, training jobs and pods among it.",
        ko="그 순간부터 API 서버가 웹훅을 신뢰하지 않으므로, 웹훅을 거쳐야 하는 학습 작업과 파드 생성이 모두 거부된다.",
    ),
    fix=Text(
        en="Renew the CA and carry it into caBundle and the serving certificate, and find out why that did not happen "
        "by itself.",
        ko="CA를 갱신해 caBundle과 서버 인증서에 반영하고, 자동 갱신이 왜 되지 않았는지 확인한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.CERTAIN,
    reads=(ValidatingWebhookConfiguration, MutatingWebhookConfiguration),
    cites=(
        Cite(
            incident="2026-amd-training-operator-ca-expiry",
            because=Text(
                en="the CA in a training operator's caBundle expired after 90 days, and every training job was refused",
                ko="트레이닝 오퍼레이터 caBundle의 CA가 90일 만에 만료되어 모든 학습 작업이 거부됐음",
            ),
        ),
    ),
    verify=(
        "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml",
        "kubectl get certificates -A  # where cert-manager makes them",
    ),
    looks_like=(
        Text(
            en="a CA of a few days that is renewed again and again, a long time before its end",
            ko="수명이 며칠이고 만료 한참 전에 계속 갱신되는 CA",
        ),
        Text(en="a bundle that holds the old CA beside the new one", ko="이전 CA와 새 CA가 함께 든 번들"),
        Text(
            en="a webhook that may fail, of which the finding is a small one: its work is left undone in silence",
            ko="실패해도 되는 웹훅, 하던 일만 조용히 빠지므로 낮은 등급으로 보고함",
        ),
    ),
    find=find,
    applies=lambda facts: any(webhook.trust for one in configurations(facts) for webhook in one.webhooks),
)
