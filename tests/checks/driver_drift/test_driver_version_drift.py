from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, ResourceSlice, SliceDevice, Taint
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.driver_drift.driver_version_drift import CHECK
from tests.checks.build import LONG_AGO, READ_AT, facts, node, resource_slice
from tests.checks.driver_drift.fleet import DELL, DRIVER, alike, with_labels

NEW, OLD = {DRIVER: "580.95.05"}, {DRIVER: "570.172.08"}
USUAL = alike(4, NEW)
[ODD] = alike(1, OLD, first=9)
GKE, TYPE = "cloud.google.com/cuda.driver-version.full", "node.kubernetes.io/instance-type"
UPGRADE = "nvidia.com/gpu-driver-upgrade-state"


def young(days: int) -> Node:
    return replace(ODD, created=READ_AT - timedelta(days=days))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*USUAL, ODD), "gap", id="one of five has another driver"),
        pytest.param(facts(*alike(3, NEW), ODD), "gap", id="one of four"),
        pytest.param(facts(*alike(2, NEW), ODD), "clear", id="one of three, too few to say what is usual"),
        pytest.param(facts(*alike(3, NEW), *alike(3, OLD, first=6)), "clear", id="half and half"),
        pytest.param(facts(*alike(4, NEW), *alike(3, OLD, first=6)), "gap", id="four and three"),
        pytest.param(facts(*USUAL, *alike(1, NEW, first=9)), "clear", id="all the same"),
        pytest.param(facts(*USUAL, *alike(1, {DRIVER: ""}, first=9)), "clear", id="one does not tell"),
        pytest.param(
            facts(*USUAL, *alike(2, OLD, first=6), *alike(1, {}, first=9)), "gap", id="one does not tell, two differ"
        ),
        pytest.param(
            facts(*USUAL, with_labels(ODD, {"nvidia.com/gpu.machine": "ThinkSystem-SR675"})),
            "clear",
            id="another machine",
        ),
        pytest.param(
            facts(*USUAL, with_labels(ODD, {"cloud.google.com/gke-nodepool": "canary"})),
            "clear",
            id="another pool",
        ),
        pytest.param(
            facts(*USUAL, with_labels(ODD, {"nvidia.com/gpu-operator.driver.owner": "b"})),
            "clear",
            id="it follows another driver object",
        ),
        pytest.param(
            facts(
                *alike(4, NEW | {"nvidia.com/vgpu.host-driver-version": "580.95.02"}),
                *alike(1, OLD | {"nvidia.com/vgpu.host-driver-version": "570.172.07"}, first=9),
            ),
            "clear",
            id="vGPU guests of hosts with different drivers",
        ),
        pytest.param(
            facts(
                *(node(f"gpu-{number}", {DRIVER: "580.95.05"}, {"nvidia.com/gpu": 8}) for number in range(4)),
                node("gpu-9", {DRIVER: "570.172.08"}, {"nvidia.com/gpu": 8}),
            ),
            "not_applicable",
            id="too little is known to call them alike",
        ),
        pytest.param(
            facts(*USUAL[1:], ODD, with_labels(USUAL[0], {UPGRADE: "drain-required"})),
            "clear",
            id="an operator is upgrading one of them",
        ),
        pytest.param(
            facts(*USUAL, with_labels(ODD, {UPGRADE: "upgrade-required"})),
            "clear",
            id="it waits for its upgrade",
        ),
        pytest.param(facts(*USUAL, with_labels(ODD, {UPGRADE: "upgrade-failed"})), "gap", id="its upgrade failed"),
        pytest.param(
            facts(*USUAL, with_labels(ODD, {"network.nvidia.com/operator.nic-configuration.wait": "true"})),
            "clear",
            id="an operator is changing it",
        ),
        pytest.param(
            facts(*USUAL, replace(ODD, taints=(Taint(key="karpenter.sh/disrupted"),))),
            "clear",
            id="it is being replaced",
        ),
        pytest.param(facts(*USUAL, young(3)), "clear", id="a younger one, three days old"),
        pytest.param(facts(*USUAL, young(7)), "gap", id="a younger one, a week old"),
        pytest.param(
            facts(*(replace(usual, created=READ_AT - timedelta(days=3)) for usual in USUAL), ODD),
            "clear",
            id="the others came three days ago to replace it",
        ),
        pytest.param(
            facts(*USUAL[1:], replace(USUAL[0], created=READ_AT - timedelta(days=2)), young(3)),
            "gap",
            id="three days old, and not the youngest",
        ),
        pytest.param(facts(*USUAL, replace(ODD, created=None)), "gap", id="nothing tells its age"),
        pytest.param(
            facts(*(replace(usual, created=None) for usual in USUAL), young(3)),
            "gap",
            id="nothing tells the age of the others",
        ),
        pytest.param(facts(*USUAL, replace(ODD, unschedulable=True)), "clear", id="it is cordoned"),
        pytest.param(facts(*USUAL, replace(ODD, deleting=True)), "clear", id="it is being deleted"),
        pytest.param(facts(*USUAL[1:], node("gpu-9", DELL | OLD)), "gap", id="it offers no GPU"),
        pytest.param(
            facts(*alike(4, {DRIVER: "580.95.05"}), *alike(1, {DRIVER: "580.95.5"}, first=9)),
            "clear",
            id="the same version in another spelling",
        ),
        pytest.param(
            facts(
                *(node(f"gpu-{number}", DELL | NEW) for number in range(4)),
                node("gpu-9", DELL),
                resource_slice(
                    "gpu-9",
                    "gpu.nvidia.com",
                    SliceDevice(name="gpu-0", attributes={"type": "gpu", "driverVersion": "570.172.8"}),
                ),
            ),
            "gap",
            id="its DRA driver tells",
        ),
        pytest.param(
            facts(*alike(4, annotations={GKE: "580.95.05"}), *alike(1, annotations={GKE: "570.172.08"}, first=9)),
            "gap",
            id="an annotation tells",
        ),
        pytest.param(
            facts(*(node(f"gpu-{number}", {TYPE: "dl1.24xlarge"}, {"habana.ai/gaudi": 8}) for number in range(4))),
            "not_applicable",
            id="accelerators whose driver nothing tells",
        ),
        pytest.param(facts(*alike(5)), "not_applicable", id="no node tells"),
        pytest.param(facts(*alike(1, NEW), *alike(1, {}, first=9)), "not_applicable", id="one node tells"),
        pytest.param(facts(*alike(1, NEW)), "not_applicable", id="a single node"),
        pytest.param(facts(node("cpu-1"), node("cpu-2")), "not_applicable", id="nodes without accelerators"),
        pytest.param(facts(*USUAL, ODD, unread=(ResourceSlice,)), "unknown", id="DRA is unread"),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes are unread"),
    ],
)
def test_alike_nodes_must_have_the_same_driver(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("odd", "severity", "confidence"),
    [
        pytest.param(OLD, Severity.MEDIUM, Confidence.CERTAIN, id="another branch"),
        pytest.param({DRIVER: "580.65.06"}, Severity.LOW, Confidence.CERTAIN, id="another release of the branch"),
    ],
)
def test_another_branch_is_worse_than_another_release(odd: dict[str, str], severity: Severity, confidence: Confidence):
    [finding] = CHECK.run(facts(*USUAL, *alike(1, odd, first=9))).findings

    assert (finding.severity, finding.confidence) == (severity, confidence)


def test_a_pool_that_is_replaced_slowly_is_a_hint():
    given = facts(*USUAL, replace(ODD, created=LONG_AGO + timedelta(days=10)))

    [finding] = CHECK.run(given).findings

    assert (finding.severity, finding.confidence) == (Severity.LOW, Confidence.HINT)


def test_a_finding_names_both_versions_and_how_many_have_the_usual_one():
    [finding] = CHECK.run(facts(*USUAL, ODD)).findings

    assert str(finding.subject) == "Node/gpu-9"
    assert finding.says.en == "driver 570.172.08, where 4 of 5 like nodes have 580.95.05"
    assert finding.evidence == {f"metadata.labels.{DRIVER}": "570.172.08"}


def test_a_version_that_dra_tells_is_shown_where_it_stands():
    told = SliceDevice(name="gpu-0", attributes={"type": "gpu", "driverVersion": "570.172.8"})
    given = facts(*USUAL, node("gpu-9", DELL), resource_slice("gpu-9", "gpu.nvidia.com", told))

    [finding] = CHECK.run(given).findings

    assert finding.evidence == {"ResourceSlice[gpu.nvidia.com].spec.devices.attributes.driverVersion": "570.172.8"}


def test_a_version_that_an_annotation_tells_is_shown_where_it_stands():
    given = facts(*alike(4, annotations={GKE: "580.95.05"}), *alike(1, annotations={GKE: "570.172.08"}, first=9))

    [finding] = CHECK.run(given).findings

    assert finding.evidence == {f"metadata.annotations.{GKE}": "570.172.08"}
