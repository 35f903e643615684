"""The least rights that a set of kinds needs, as a manifest to apply."""

from collections.abc import Iterable, Mapping, Sequence

import yaml

from kubegap_checks.facts.read import Measure, Record
from kubegap_mcp.metrics.settings import Service

_NAME = "kubegap-reader"
_METRICS_NAME = "kubegap-metrics-reader"


def manifest(records: Iterable[type[Record]], *, namespace: str | None, service: Service | None = None) -> str:
    """A ClusterRole over all kinds; with a namespace, a Role over the kinds of people's work in it.

    Listing namespaces is only needed by someone who may read pods in some of them. For a `service` whose proxy is
    asked for metrics a Role follows, in that service's namespace.
    """
    kinds = [record.KIND for record in records if not isinstance(record.KIND, Measure)]
    if namespace is not None:
        kinds = [kind for kind in kinds if kind.workload]
    resources = {"": {"namespaces"}} if namespace is None else {}
    for kind in kinds:
        resources.setdefault(kind.group, set()).add(kind.plural)
    rules = [
        {"apiGroups": [group], "resources": sorted(names), "verbs": ["list"]}
        for group, names in sorted(resources.items())
    ]
    text = _role(_NAME, namespace, rules)
    return text if service is None else f"{text}---\n{_of_proxy(service)}"


def _of_proxy(service: Service) -> str:
    # The name as it stands in the proxy's path, scheme and port included, as Kubernetes' own dashboard has it:
    # https://github.com/kubernetes/dashboard/blob/v2.7.0/aio/deploy/recommended.yaml
    names = [service.resource_name]
    rule = {"apiGroups": [""], "resources": ["services/proxy"], "resourceNames": names, "verbs": ["get"]}
    return _role(_METRICS_NAME, service.namespace, [rule])


def _role(name: str, namespace: str | None, rules: Sequence[Mapping[str, Sequence[str]]]) -> str:
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole" if namespace is None else "Role",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "rules": rules,
    }
    text: str = yaml.safe_dump(  # pyright: ignore[reportUnknownMemberType] (its stubs leave `width` untyped)
        role, sort_keys=False, allow_unicode=True
    )
    return text
