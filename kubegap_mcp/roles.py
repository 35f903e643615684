"""The least rights that checks need, as a manifest: a question that needs no cluster."""

from collections.abc import Sequence

from kubegap_checks import catalog
from kubegap_checks.inventory import readiness
from kubegap_checks.model import Check
from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.own_choices import refuse_no_namespace
from kubegap_mcp.report import rbac
from kubegap_mcp.settings import Settings


def least(checks: Sequence[Check], settings: Settings, *, every_topic: bool, namespace: str | None) -> str:
    """A ClusterRole, or a Role for one namespace, as YAML; beside it one for the metrics service that was named."""
    wanted = catalog.reads(checks)
    if every_topic:
        wanted |= frozenset(readiness.READS)
    refuse_no_namespace(namespace)
    if namespace is not None and not any(record.KIND.workload for record in wanted):
        raise ConfigError(
            Text(
                en="these checks look at objects that are in no namespace: leave --namespace out for a ClusterRole",
                ko="이 점검들은 네임스페이스에 속하지 않는 오브젝트를 봄. --namespace를 빼면 ClusterRole이 나옴",
            )
        )
    metrics = settings.metrics
    return rbac.manifest(wanted, namespace=namespace, service=metrics.service if metrics else None)
