from typing import Any

import pytest

from checks import build
from kubegap_checks.facts.controllers import PodDisruptionBudget
from kubegap_checks.facts.node_pools import DisruptionBudget, NodePool
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.model import Confidence, Severity, Status
from kubegap_checks.rules.job_recovery.disruption_unprotected import CHECK

GPUS = {"nvidia.com/gpu": 8}
KEEP = {"karpenter.sh/do-not-disrupt": "true"}
OURS = {"karpenter.sh/nodepool": "gpu"}
LLM = {"app": "llm"}


def pod(name: str = "llm-0", kind: str = "PyTorchJob", **fields: Any) -> Pod:
    owner = Run(kind=kind, namespace="ml", name="llm")
    return build.pod(name, run=owner, **{"resources": GPUS, "labels": LLM, **fields})


def pool(**fields: Any) -> NodePool:
    return NodePool(name="gpu", **fields)


def budget(allowed: int | None, namespace: str = "ml", **labels: str) -> Record:
    return build.budget(labels or LLM, namespace=namespace, allowed=allowed)


def of(*records: Record) -> Facts:
    return build.facts(*records)


NODE = build.node("gpu-1", OURS)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(of(pod(), NODE, pool()), "gap", id="by default"),
        pytest.param(of(pod(), NODE, pool(consolidation_policy="WhenEmptyOrUnderutilized")), "gap", id="by its policy"),
        pytest.param(of(pod(), NODE, pool(consolidation_policy="WhenEmpty")), "clear", id="only empty nodes"),
        pytest.param(of(pod(), NODE, pool(consolidate_after="Never")), "clear", id="never"),
        pytest.param(of(pod(), NODE, pool(static=True)), "clear", id="a pool that keeps its number"),
        pytest.param(of(pod(), NODE, pool(budgets=(DisruptionBudget(nodes="10%"),))), "gap", id="some at a time"),
        pytest.param(of(pod(), NODE, pool(budgets=(DisruptionBudget(nodes="0"),))), "clear", id="none"),
        pytest.param(of(pod(), NODE, pool(budgets=(DisruptionBudget(nodes="0%"),))), "clear", id="no share"),
        pytest.param(
            of(pod(), NODE, pool(budgets=(DisruptionBudget(nodes="0", scheduled=True),))), "gap", id="none by day"
        ),
        pytest.param(
            of(pod(), NODE, pool(budgets=(DisruptionBudget(nodes="0", reasons=("Drifted",)),))),
            "gap",
            id="none for drift",
        ),
        pytest.param(
            of(pod(), NODE, pool(budgets=(DisruptionBudget(nodes="0", reasons=("Underutilized",)),))),
            "clear",
            id="none for this",
        ),
        pytest.param(of(pod(annotations=KEEP), NODE, pool()), "clear", id="a pod that stays"),
        pytest.param(
            of(pod(annotations={"karpenter.sh/do-not-disrupt": "false"}), NODE, pool()), "gap", id="a pod that may go"
        ),
        pytest.param(of(pod(), build.node("gpu-1", OURS, annotations=KEEP), pool()), "clear", id="a node that stays"),
        pytest.param(of(pod(), build.node("gpu-1"), pool()), "clear", id="a node of nobody"),
        pytest.param(of(pod(node=""), NODE, pool()), "clear", id="a pod without a node"),
        pytest.param(of(pod(), pool()), "clear", id="a node that is gone"),
        pytest.param(of(pod(), NODE), "clear", id="a pool that is gone"),
        pytest.param(of(pod(), NODE, pool(), budget(0)), "clear", id="a budget that admits none"),
        pytest.param(of(pod(), NODE, pool(), budget(1)), "gap", id="a budget that admits one"),
        pytest.param(of(pod(), NODE, pool(), budget(None)), "gap", id="a budget that says nothing"),
        pytest.param(of(pod(), NODE, pool(), budget(0, "other")), "gap", id="a budget of another namespace"),
        pytest.param(of(pod(), NODE, pool(), budget(0, app="api")), "gap", id="a budget of other pods"),
        pytest.param(
            of(pod(), NODE, pool(), PodDisruptionBudget(namespace="ml", name="pdb", selector=None, allowed=0)),
            "gap",
            id="a budget that selects none",
        ),
        pytest.param(of(pod(kind="Deployment"), NODE, pool()), "not_applicable", id="pods that serve"),
    ],
)
def test_what_may_be_taken_away_under_a_run(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


def test_a_run_is_one_finding_that_counts_its_pods() -> None:
    verdict = CHECK.run(
        of(pod(annotations=KEEP), pod("llm-1"), pod("llm-2"), NODE, pool(consolidation_policy="Balanced"))
    )

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/llm"
    assert finding.says.en == "nothing keeps 2 of its 3 pods from eviction when pool gpu is consolidated"
    assert finding.evidence == {
        "Pod[ml/llm-1].spec.nodeName": "gpu-1",
        "NodePool[gpu].spec.disruption.consolidationPolicy": "Balanced",
    }
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.HIGH, Confidence.LIKELY)


@pytest.mark.parametrize(
    ("exposed", "severity", "confidence"),
    [
        pytest.param(pod(resources={"nvidia.com/gpu": 7}), Severity.LOW, Confidence.LIKELY, id="a small run"),
        pytest.param(pod(kind="Job"), Severity.HIGH, Confidence.HINT, id="what only looks like training"),
    ],
)
def test_how_bad_and_how_sure(exposed: Pod, severity: Severity, confidence: Confidence) -> None:
    verdict = CHECK.run(of(exposed, NODE, pool()))

    (finding,) = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (severity, confidence)


@pytest.mark.parametrize(
    ("node", "lost", "status"),
    [
        *(pytest.param(NODE, lost, "unknown", id=lost.__name__) for lost in (Pod, Node, NodePool, PodDisruptionBudget)),
        pytest.param(build.node("gpu-1"), NodePool, "clear", id="pools where none made the node"),
        pytest.param(build.node("gpu-1"), PodDisruptionBudget, "clear", id="budgets where nothing takes the node"),
    ],
)
def test_a_read_that_lacks_is_unknown_where_it_is_needed(node: Node, lost: type[Record], status: Status) -> None:
    assert CHECK.run(build.facts(pod(), node, pool(), unread=(lost,))).status == status


def test_one_run_that_cannot_be_judged_hides_no_other() -> None:
    covered = build.node("gpu-2", {"karpenter.sh/nodepool": "other"})
    first = build.pod("a-0", run=Run(kind="JobSet", namespace="ml", name="a"), node="gpu-3", resources=GPUS)
    facts = build.facts(first, pod(), NODE, covered, pool())
    partial = Partial(facts.known(Node), (build.forbidden(Node),))

    verdict = CHECK.run(facts.but(Node, partial))

    assert [str(finding.subject) for finding in verdict.findings] == ["PyTorchJob/ml/llm"]
    assert verdict.unread
