import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, NodeFeature
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.spare_capacity.no_spare_gpu_node import CHECK
from tests.checks.build import damaged, facts, forbidden, node, pod

GPUS = {"nvidia.com/gpu": 8}
P5 = {"node.kubernetes.io/instance-type": "p5.48xlarge", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
OFFERS = GPUS | {"vpc.amazonaws.com/efa": 32}
NODES = tuple(node(f"gpu-{place:02}", P5, OFFERS) for place in range(16))
WORKERS = tuple(pod(f"train-{place}", node=f"gpu-{place:02}", resources=GPUS, priority=100) for place in range(16))
ANOTHER = node("spare", P5, OFFERS)
OTHER_JOB = pod("other", run=Run(kind="Job", namespace="ml", name="other"), node="spare", resources=GPUS, priority=100)
FULL = (*NODES, *WORKERS)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*FULL), "gap", id="every node of the kind is in the run"),
        pytest.param(facts(*FULL, ANOTHER), "clear", id="one is ready and idle"),
        pytest.param(facts(*FULL, replace(ANOTHER, unschedulable=True)), "gap", id="the idle one is cordoned"),
        pytest.param(facts(*FULL, ANOTHER, OTHER_JOB), "gap", id="the other one is busy"),
        pytest.param(facts(*FULL, ANOTHER, replace(OTHER_JOB, priority=1)), "clear", id="busy with what gives way"),
        pytest.param(facts(*FULL, ANOTHER, replace(OTHER_JOB, priority=None)), "gap", id="no priority is told"),
        pytest.param(
            facts(*NODES, *(replace(one, priority=None) for one in WORKERS), ANOTHER, replace(OTHER_JOB, priority=1)),
            "gap",
            id="the run has no priority",
        ),
        pytest.param(
            facts(*FULL, node("spare", P5 | {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}, OFFERS)),
            "gap",
            id="the idle one has other GPUs",
        ),
        pytest.param(
            facts(*FULL, node("spare", P5 | {"node.kubernetes.io/instance-type": "p5en.48xlarge"}, OFFERS)),
            "gap",
            id="the idle one is another machine",
        ),
        pytest.param(facts(*NODES, *WORKERS[:15]), "not_applicable", id="a run on fewer nodes"),
        pytest.param(facts(*NODES), "not_applicable", id="no run"),
        pytest.param(
            facts(*NODES, *(replace(one, run=Run(kind="NodeSet", namespace="slurm", name="h100")) for one in WORKERS)),
            "not_applicable",
            id="pods of Slurm, which are on idle nodes too",
        ),
        pytest.param(
            facts(*FULL, replace(ANOTHER, conditions=())), "unknown", id="nothing says whether the idle one is ready"
        ),
        pytest.param(facts(*FULL, unread=(Pod,)), "unknown", id="pods unread"),
        pytest.param(facts(*FULL, unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(
            facts(*FULL).but(Node, Partial(NODES, (damaged(Node),))),
            "unknown",
            id="a damaged node could be the spare",
        ),
        pytest.param(
            facts(*NODES, ANOTHER).but(Pod, Partial(WORKERS, (forbidden(Pod),), asked_for=True)),
            "unknown",
            id="other namespaces may use the idle one",
        ),
        pytest.param(facts(*FULL, ANOTHER, unread=(NodeFeature,)), "clear", id="the bus does not matter here"),
    ],
)
def test_a_large_run_must_have_a_spare_node(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("given", "severity", "confidence"),
    [
        pytest.param(facts(*FULL), None, Confidence.LIKELY, id="what is there is all there is"),
        pytest.param(
            facts(*(replace(one, labels=P5 | {"karpenter.sh/nodepool": "gpu"}) for one in NODES), *WORKERS),
            Severity.LOW,
            Confidence.HINT,
            id="nodes are made on demand",
        ),
        pytest.param(
            facts(*NODES, *(replace(one, run=Run(kind="Job", namespace="ml", name="train")) for one in WORKERS)),
            None,
            Confidence.HINT,
            id="a run that only looks like training",
        ),
    ],
)
def test_how_sure_it_is_depends_on_the_run_and_its_nodes(
    given: Facts, severity: Severity | None, confidence: Confidence
):
    [finding] = CHECK.run(given).findings

    assert (finding.severity, finding.confidence) == (severity, confidence)
    assert str(finding.subject).endswith("ml/train")
    assert finding.evidence["nodes"] == 16
