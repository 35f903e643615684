"""The least rights that a set of kinds needs, as a manifest to apply."""

from collections.abc import Iterable

import yaml

from kubegap_checks.facts.read import Measure, Record

_NAME = "kubegap-reader"


def manifest(records: Iterable[type[Record]], *, namespace: str | None) -> str:
    """A ClusterRole over all kinds; with a namespace, a Role over the kinds of people's work in it.

    Listing namespaces is only needed by someone who may read pods in some of them.
    """
    kinds = [record.KIND for record in records if not isinstance(record.KIND, Measure)]
    if namespace is not None:
        kinds = [kind for kind in kinds if kind.workload]
    resources = {"": {"namespaces"}} if namespace is None else {}
    for kind in kinds:
        resources.setdefault(kind.group, set()).add(kind.plural)
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole" if namespace is None else "Role",
        "metadata": {"name": _NAME, **({"namespace": namespace} if namespace else {})},
        "rules": [
            {"apiGroups": [group], "resources": sorted(names), "verbs": ["list"]}
            for group, names in sorted(resources.items())
        ],
    }
    text: str = yaml.safe_dump(  # pyright: ignore[reportUnknownMemberType] (its stubs leave `width` untyped)
        role, sort_keys=False, allow_unicode=True
    )
    return text
