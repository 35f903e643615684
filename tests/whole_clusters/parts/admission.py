"""Webhook configurations as good clusters have them: a short time, and none in the way of the system's own pods."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.whole_clusters.objects import Object, ago, reached, thing
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.workloads import deployment

# A CA of ten years from 2026-11, of which nobody has the key.
CA = base64.b64encode((Path(__file__).parents[1] / "certificates" / "ca.pem").read_bytes()).decode()

KINDS = {"Mutating": "MutatingWebhookConfiguration", "Validating": "ValidatingWebhookConfiguration"}
NOT_SYSTEM = {
    "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system"]}]
}


def webhooks(form: str, name: str, *hooks: Object, labels: Mapping[str, str] | None = None) -> Object:
    kind = f"admissionregistration.k8s.io/v1/{KINDS[form]}"
    return thing(kind, name, labels=labels or {}, webhooks=list(hooks))


def hook(
    name: str,
    rule: Object,
    *,
    to: str = "",
    url: str = "",
    path: str = "/",
    policy: str = "Ignore",
    seconds: int = 10,
    apart: Object | None = None,
    **rest: Any,
) -> Object:
    """`to` is the `namespace/name` of its Service; a platform's own is reached by `url`."""
    namespace, _, service = to.partition("/")
    at: Object = (
        {"url": url} if url else {"service": {"namespace": namespace, "name": service, "path": path, "port": 443}}
    )
    made = {"name": name, "clientConfig": at | {"caBundle": CA}, "rules": [rule], "failurePolicy": policy}
    made |= {"timeoutSeconds": seconds, "sideEffects": "None", "admissionReviewVersions": ["v1"]}
    made |= {"matchPolicy": "Equivalent", "namespaceSelector": apart or {}, "objectSelector": {}}
    return made | rest


def rule(group: str, resources: Sequence[str], operations: Sequence[str] = ("CREATE",), version: str = "v1") -> Object:
    made = {"apiGroups": [group], "apiVersions": [version], "resources": list(resources), "scope": "*"}
    return made | {"operations": list(operations)}


PODS = rule("", ["pods"])


def kueue(namespace: str = "kueue-system") -> Iterable[Object]:
    """kubernetes-sigs/kueue:config/components/webhook; the pod webhooks leave out kube-system and its own namespace."""
    to = f"{namespace}/kueue-webhook-service"
    apart = {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", namespace]}
        ]
    }
    jobs = rule("batch", ["jobs"])
    queues = rule("kueue.x-k8s.io", ["clusterqueues"], ("CREATE", "UPDATE"), "v1beta1")
    for form, first in (("Mutating", "m"), ("Validating", "v")):
        yield webhooks(
            form,
            f"kueue-{form.lower()}-webhook-configuration",
            hook(f"{first}pod.kb.io", PODS, to=to, policy="Fail", apart=apart),
            hook(f"{first}job.kb.io", jobs, to=to, policy="Fail", apart=apart),
            hook(f"{first}clusterqueue.kb.io", queues, to=to, policy="Fail"),
        )


def jobset(site: Site, namespace: str = "jobset-system") -> Iterable[Object]:
    """kubernetes-sigs/jobset:config/components/webhook and its server; of pods only those of a JobSet."""
    labels = {"control-plane": "controller-manager", "app.kubernetes.io/name": "jobset"}
    image = "registry.k8s.io/jobset/jobset:v0.10.1"
    yield from deployment(
        "jobset-controller-manager",
        namespace,
        image,
        site.two,
        labels=labels,
        port=9443,
        serves="jobset-webhook-service",
    )
    to = f"{namespace}/jobset-webhook-service"
    sets = rule("jobset.x-k8s.io", ["jobsets"], ("CREATE", "UPDATE"), "v1alpha2")
    own = {"matchExpressions": [{"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}]}
    for form, first in (("Mutating", "m"), ("Validating", "v")):
        yield webhooks(
            form,
            f"jobset-{form.lower()}-webhook-configuration",
            hook(f"{first}jobset.kb.io", sets, to=to, policy="Fail"),
            hook(f"{first}pod.kb.io", PODS, to=to, policy="Fail", objectSelector=own),
        )


def cert_manager() -> Iterable[Object]:
    """cert-manager/cert-manager:deploy/charts/cert-manager/templates/webhook-validating-webhook.yaml."""
    asked = rule("cert-manager.io", ["*/*"], ("CREATE", "UPDATE"))
    apart = {
        "matchExpressions": [{"key": "cert-manager.io/disable-validation", "operator": "NotIn", "values": ["true"]}]
    }
    checked = hook(
        "webhook.cert-manager.io", asked, to="cert-manager/cert-manager-webhook", policy="Fail", seconds=30, apart=apart
    )
    yield webhooks("Validating", "cert-manager-webhook", checked)
    yield webhooks("Mutating", "cert-manager-webhook", checked | {"namespaceSelector": {}})


def prometheus_rules(namespace: str = "monitoring") -> Iterable[Object]:
    """prometheus-community/helm-charts:charts/kube-prometheus-stack/templates/prometheus-operator/admission-webhooks."""
    asked = rule("monitoring.coreos.com", ["prometheusrules"], ("CREATE", "UPDATE"), "*")
    checked = hook("prometheusrulemutate.monitoring.coreos.com", asked, to=f"{namespace}/prometheus-operator")
    for form in KINDS:
        yield webhooks(form, "kube-prometheus-stack-admission", checked)


def certificate(name: str, namespace: str, days: int = 75) -> Object:
    """A cert-manager Certificate that renews itself long before it ends."""
    spec = {
        "secretName": name,
        "duration": "2160h0m0s",
        "renewBefore": "360h0m0s",
        "dnsNames": [f"{name}.{namespace}.svc"],
    }
    spec |= {"issuerRef": {"kind": "Issuer", "name": "selfsigned"}}
    status = {"notBefore": ago(days=90 - days), "notAfter": ago(days=-days), "renewalTime": ago(days=15 - days)}
    status |= {"revision": 4}
    return thing(
        "cert-manager.io/v1/Certificate", name, namespace, spec=spec, status=status | {"conditions": [reached("Ready")]}
    )
