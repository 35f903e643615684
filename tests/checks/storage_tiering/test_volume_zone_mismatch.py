from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.facts.storage import Claim, Volume
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.volume_zone_mismatch import CHECK

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
CONFLICT = "0/5 nodes are available: 2 node(s) had volume node affinity conflict, 3 Insufficient nvidia.com/gpu."
VOLUMES = tuple(PodVolume(name=name, form="claim", claim=name, attributes={}) for name in ("a", "b"))
POD = build.pod(
    node="",
    phase="Pending",
    resources={"nvidia.com/gpu": 8},
    volumes=VOLUMES,
    unplaced_since=build.LONG_AGO,
    unplaced=CONFLICT,
)
CLAIMS = (build.claim("a", volume="pv-a"), build.claim("b", volume="pv-b"))


def disk(name: str, *terms: Mapping[str, tuple[str, ...]]) -> Volume:
    return build.volume(name, "ebs.csi.aws.com", node_affinity=terms)


def gpu(zone: str, name: str = "gpu-1", **labels: str) -> Node:
    return build.node(name, {ZONE: zone, REGION: "r", **labels}, {"nvidia.com/gpu": 8})


HERE, FREE = disk("pv-a", {ZONE: ("c",)}), disk("pv-b")


def run(*records: Record, **fields: Any) -> Verdict:
    return CHECK.run(build.facts(*records, **fields))


@pytest.mark.parametrize(
    ("cluster", "status"),
    [
        pytest.param(build.facts(POD, *CLAIMS, HERE, FREE, gpu("a"), gpu("b", "gpu-2")), "gap", id="elsewhere"),
        pytest.param(build.facts(POD, *CLAIMS, HERE, FREE, gpu("a"), gpu("c", "gpu-2")), "clear", id="there too"),
    ],
)
def test_a_run_needs_accelerators_where_its_volumes_are(cluster: Facts, status: Status) -> None:
    assert CHECK.run(cluster).status == status


@pytest.mark.parametrize(
    ("nodes", "status"),
    [
        pytest.param([gpu("a"), gpu("b", "gpu-2")], "gap", id="accelerators in other zones only"),
        pytest.param([gpu("a"), gpu("c", "gpu-2")], "clear", id="one in the volume's zone"),
        pytest.param([gpu("a"), build.node("cpu", {ZONE: "c"})], "gap", id="a node without accelerators there"),
        pytest.param([build.node("cpu", {ZONE: "a"})], "clear", id="no accelerator node at all"),
        pytest.param(
            [gpu("a"), replace(gpu("c", "gpu-2"), unschedulable=True)], "clear", id="one there that is out of service"
        ),
    ],
)
def test_a_pod_waits_for_ever_where_no_accelerator_reaches_its_volume(nodes: list[Node], status: Status) -> None:
    assert run(POD, *CLAIMS, HERE, FREE, *nodes).status == status


@pytest.mark.parametrize(
    ("volumes", "status"),
    [
        pytest.param([disk("pv-a", {ZONE: ("a", "c")}), FREE], "clear", id="several zones"),
        pytest.param([disk("pv-a", {ZONE: ("c",)}, {ZONE: ("a",)}), FREE], "clear", id="a second term"),
        pytest.param([disk("pv-a", {ZONE: ("c",), REGION: ("r",)}), FREE], "gap", id="the region alone will not do"),
        pytest.param([disk("pv-a", {ZONE: ("a",), REGION: ("r",)}), FREE], "clear", id="zone and region"),
        pytest.param([disk("pv-a", {}), FREE], "clear", id="a term that asks for nothing"),
        pytest.param([disk("pv-a", {"kubernetes.io/hostname": ("gone",)}), FREE], "gap", id="a node that is gone"),
        pytest.param(
            [disk("pv-a", {ZONE: ("a",)}), disk("pv-b", {ZONE: ("b",)})], "gap", id="two volumes of two zones"
        ),
        pytest.param([disk("pv-a"), FREE], "clear", id="volumes that are everywhere"),
    ],
)
def test_the_affinity_is_judged_as_the_scheduler_does(volumes: list[Volume], status: Status) -> None:
    assert run(POD, *CLAIMS, *volumes, gpu("a"), gpu("b", "gpu-2")).status == status


@pytest.mark.parametrize(
    ("pod", "status"),
    [
        pytest.param(replace(POD, unplaced_since=build.JUST_NOW), "clear", id="said a moment ago"),
        pytest.param(
            replace(POD, unplaced_since=build.READ_AT - timedelta(minutes=15)), "gap", id="as long as a new node takes"
        ),
        pytest.param(replace(POD, unplaced_since=None), "clear", id="the scheduler has said nothing"),
        pytest.param(replace(POD, node="gpu-1"), "clear", id="it was placed since"),
        pytest.param(replace(POD, volumes=()), "clear", id="it mounts no volume"),
        pytest.param(
            replace(POD, run=Run(kind="Deployment", namespace="ml", name="web")), "not_applicable", id="it serves"
        ),
    ],
)
def test_a_pod_that_is_not_kept_waiting_is_no_gap(pod: Pod, status: Status) -> None:
    assert run(pod, *CLAIMS, HERE, FREE, gpu("a")).status == status


def test_where_nothing_is_pinned_no_node_matters() -> None:
    assert run(replace(POD, volumes=()), unread=[Node]).status == "clear"


def test_a_claim_that_is_not_bound_yet_pins_nothing() -> None:
    assert run(POD, replace(CLAIMS[0], volume=""), CLAIMS[1], HERE, FREE, gpu("a")).status == "clear"


def test_one_run_is_one_finding_with_what_the_scheduler_says() -> None:
    verdict = run(POD, replace(POD, name="train-1"), *CLAIMS, HERE, FREE, gpu("a"))

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == (
        f"pod train-0 cannot be placed: no accelerator node can reach its volumes pv-a ({ZONE}=c)"
    )
    assert finding.since == "2026-10-30T12:00:00Z"
    assert finding.evidence == {
        "Pod[ml/train-0].status.conditions[PodScheduled].message": CONFLICT,
        "PersistentVolume[pv-a].spec.nodeAffinity": f"{ZONE}=c",
    }
    assert verdict.severity_of(finding) is Severity.HIGH
    assert verdict.confidence_of(finding) is Confidence.LIKELY


def test_a_run_that_only_looks_like_training_makes_a_hint() -> None:
    job = replace(POD, run=Run(kind="Job", namespace="ml", name="work"))
    verdict = run(job, *CLAIMS, HERE, FREE, gpu("a"))

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


def test_a_node_that_makes_no_sense_could_be_the_one_in_the_zone() -> None:
    facts = build.facts(POD, *CLAIMS, HERE, FREE)
    lost = build.damaged(Node)

    assert CHECK.run(facts.but(Node, Partial((gpu("a"),), (lost,)))).status == "unknown"
    assert CHECK.run(facts.but(Node, Partial((gpu("c"),), (lost,)))).findings == ()


def test_claims_that_cannot_be_read_hide_no_other_run() -> None:
    other = replace(POD, namespace="research", run=Run(kind="PyTorchJob", namespace="research", name="other"))
    facts = build.facts(other, POD, *CLAIMS, HERE, FREE, gpu("a"))
    verdict = CHECK.run(facts.but(Claim, Partial(CLAIMS, (build.forbidden(Claim),))))

    assert [str(finding.subject) for finding in verdict.findings] == ["PyTorchJob/ml/train"]
    assert [doubt.what.en for doubt in verdict.unread] == ["persistentvolumeclaims"]


@pytest.mark.parametrize("kind", [Pod, Claim, Volume, Node])
def test_what_may_not_be_read_is_unknown(kind: type[Record]) -> None:
    assert run(POD, *CLAIMS, HERE, FREE, gpu("a"), unread=[kind]).status == "unknown"


def test_no_pod_is_not_applicable() -> None:
    assert run().status == "not_applicable"
