import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kubegap_checks.facts.controllers import DaemonSet, Deployment, PodDisruptionBudget, PriorityClass, StatefulSet
from kubegap_checks.facts.pods import Toleration
from kubegap_checks.facts.selectors import Requirement, Selector
from kubegap_mcp.kube.gather.registry import gatherers

EXAMPLES = Path(__file__).parent / "whole"
META = {"name": "x", "namespace": "ns", "labels": {"team": "t"}, "creationTimestamp": "2026-01-01T00:00:00Z"}
CREATED = datetime(2026, 1, 1, tzinfo=UTC)


def example(kind):
    item = {"metadata": META, **json.loads((EXAMPLES / f"{kind.KIND.name}.json").read_text())}
    page = gatherers()[kind].objects([json.dumps(item).encode()])
    assert not page.invalid
    [row] = page.rows
    return row


@pytest.mark.parametrize("kind", [DaemonSet, Deployment, StatefulSet])
def test_the_template_of_a_controller_is_taken(kind):
    row = example(kind)

    assert (row.kind, row.namespace, row.name, row.labels) == (kind.KIND.name, "ns", "x", {"team": "t"})
    assert row.created == CREATED
    assert row.images == ("example.invalid/a:1", "example.invalid/i:1")
    template = row.template
    assert (template.labels, template.node_selector) == ({"app": "a"}, {"pool": "gpu"})
    assert (template.host_network, template.priority_class) == (True, "system-node-critical")
    assert [(container.name, container.init) for container in template.containers] == [("c", False), ("i", True)]
    assert template.containers[0].env == {"NCCL_DEBUG": "INFO"}
    assert template.tolerations == (Toleration(key="k", operator="Exists", effect="NoSchedule"),)
    assert template.node_terms == (
        (
            Requirement(key="z", operator="In", values=("a",)),
            Requirement(key="metadata.name", operator="In", values=("n",)),
        ),
    )
    assert template.spread_over == {
        "kubernetes.io/hostname",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
    }


def test_how_far_and_how_fast_a_controller_rolls_is_taken():
    agents, servers, stores = example(DaemonSet), example(Deployment), example(StatefulSet)

    assert (agents.strategy, agents.max_unavailable, agents.max_surge) == ("RollingUpdate", "10%", "0")
    assert (agents.desired, agents.ready, agents.updated) == (3, 2, 1)
    assert (servers.strategy, servers.max_unavailable, servers.max_surge) == ("RollingUpdate", "1", "25%")
    assert (servers.replicas, servers.ready, servers.updated) == (3, 2, 1)
    assert (stores.strategy, stores.max_unavailable) == ("RollingUpdate", "1")
    assert (stores.replicas, stores.ready, stores.updated) == (3, 2, 1)


def test_what_protects_pods_is_taken():
    budget, priority = example(PodDisruptionBudget), example(PriorityClass)

    assert budget.selector == Selector(
        labels={"app": "a"}, requirements=(Requirement(key="tier", operator="In", values=("b",)),)
    )
    assert (budget.min_available, budget.max_unavailable, budget.allowed) == ("1", "25%", 1)
    assert (priority.value, priority.default, priority.preempts, priority.created) == (1000, True, False, CREATED)


def test_a_deployment_that_names_no_number_has_one_replica_and_zero_is_none():
    assert [
        gatherers()[Deployment].objects([json.dumps({"metadata": META, "spec": spec}).encode()]).rows[0].replicas
        for spec in ({}, {"replicas": 0})
    ] == [1, 0]


def test_a_priority_class_without_a_value_is_not_one_of_zero():
    page = gatherers()[PriorityClass].objects([json.dumps({"metadata": META}).encode()])
    assert (page.rows, page.invalid) == ((), 1)


def test_no_value_of_an_unknown_variable_or_label_of_a_template_reaches_a_snapshot():
    container = {"name": "c", "env": [{"name": "TOKEN", "value": "top-secret"}], "args": ["--token=top-secret"]}
    meta = META | {"annotations": {"a": "top-secret"}}
    item = {"metadata": meta, "spec": {"template": {"spec": {"containers": [container]}}}}
    body = json.dumps({"kind": "DeploymentList", "apiVersion": "apps/v1", "items": [item]}).encode()
    [pruned] = gatherers()[Deployment].prune(body).objects
    assert b"top-secret" not in pruned
