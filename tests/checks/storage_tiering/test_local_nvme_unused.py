from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod, PodVolume
from kubegap_checks.facts.read import Partial, Record
from kubegap_checks.facts.storage import StorageClass, Volume
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.local_nvme_unused import CHECK

GI = 2**30
NVME = "karpenter.k8s.aws/instance-local-nvme"

P5 = build.node(
    "p5-nvme-unused",
    {"node.kubernetes.io/instance-type": "p5.48xlarge", NVME: "30400"},
    capacity={"ephemeral-storage": 20 * GI, "nvidia.com/gpu": 8},
    allocatable={"ephemeral-storage": 17 * GI, "nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32},
)
RAID0 = replace(
    P5,
    name="p5-raid0",
    capacity={"ephemeral-storage": 30400 * 10**9, "nvidia.com/gpu": 8},
    allocatable={"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32},
)
GKE = build.node(
    "gke-localssd",
    {"cloud.google.com/gke-ephemeral-storage-local-ssd": "true"},
    capacity={"ephemeral-storage": 6_388_345_131_990, "nvidia.com/gpu": 8},
)
LOCAL = build.volume("pv-local", local_path="/mnt/disks/0", node_affinity=({"kubernetes.io/hostname": (P5.name,)},))
DISKS_ON_DEMAND = build.storage_class(provisioner="localdisk.csi.acstor.io")
READER = build.pod(
    node=P5.name, volumes=(PodVolume(name="scratch", form="host_path", path="/mnt/k8s-disks/0/c4", attributes={}),)
)


def p5(**fields: Any) -> Node:
    return replace(P5, **fields)


def offering(size: int) -> Node:
    return replace(P5, allocatable={"ephemeral-storage": size, "nvidia.com/gpu": 8})


def run(*records: Record, unread: tuple[type[Record], ...] = ()) -> Verdict:
    return CHECK.run(build.facts(*records, unread=unread))


@pytest.mark.parametrize(
    ("node", "status"),
    [
        pytest.param(P5, "gap", id="17 GiB beside 30,400 GB of NVMe"),
        pytest.param(p5(labels={"node.kubernetes.io/instance-type": "p5.48xlarge"}), "gap", id="known by its type"),
        pytest.param(p5(labels={NVME: "30400"}), "gap", id="known by its label"),
        pytest.param(p5(deleting=True), "clear", id="the node is being deleted"),
        pytest.param(p5(created=build.JUST_NOW), "clear", id="the node has just joined"),
        pytest.param(RAID0, "clear", id="one RAID 0 for the kubelet"),
        pytest.param(GKE, "clear", id="local SSD that GKE offers"),
        pytest.param(
            p5(labels={**P5.labels, "cloud.google.com/gke-ephemeral-storage-local-ssd": "true"}),
            "clear",
            id="a label says that it is offered",
        ),
        pytest.param(p5(annotations={"capacity.topolvm.io/00default": "1024"}), "clear", id="TopoLVM holds the disks"),
        pytest.param(p5(annotations={"capacity.topolvm.io/00default": "0"}), "gap", id="TopoLVM has no disk here"),
        pytest.param(p5(annotations={"weka.io/weka-drives": '["a","b"]'}), "clear", id="Weka signed the drives"),
        pytest.param(p5(annotations={"weka.io/weka-drives": "[]"}), "gap", id="Weka has no drive here"),
        pytest.param(
            p5(labels={}, capacity={"ephemeral-storage": 20 * GI, "nvidia.com/gpu": 8}),
            "not_applicable",
            id="nothing tells of NVMe",
        ),
        pytest.param(
            p5(labels={"node.kubernetes.io/instance-type": "Standard_ND96isr_H200_v5"}),
            "not_applicable",
            id="a type whose disks the table does not know",
        ),
        pytest.param(
            p5(labels={}, allocatable={"ephemeral-storage": 10**12, "nvidia.com/gpu": 8}),
            "clear",
            id="nothing tells of NVMe, and a terabyte is offered",
        ),
        pytest.param(
            p5(labels={}, annotations={"capacity.topolvm.io/00default": "1024"}),
            "clear",
            id="nothing tells of NVMe, and TopoLVM holds disks",
        ),
        pytest.param(
            p5(labels={NVME: "7500"}, capacity={}, allocatable={"ephemeral-storage": 17 * GI}),
            "not_applicable",
            id="a node without accelerators",
        ),
        pytest.param(
            p5(labels={NVME: "7500", "node.kubernetes.io/instance-type": "n1-standard-8"}, capacity={}, allocatable={}),
            "not_applicable",
            id="a node without accelerators, of a family that may have them",
        ),
        pytest.param(p5(capacity=None, allocatable=None), "unknown", id="a status without quantities"),
        pytest.param(
            p5(
                labels={**P5.labels, "cloud.google.com/gke-ephemeral-storage-local-ssd": "true"},
                capacity=None,
                allocatable=None,
            ),
            "clear",
            id="a status without quantities, where a label says that it is offered",
        ),
    ],
)
def test_a_gpu_node_that_does_not_offer_its_nvme_is_a_gap(node: Node, status: Status) -> None:
    assert run(node).status == status


@pytest.mark.parametrize(
    ("user", "status"),
    [
        pytest.param(LOCAL, "clear", id="a local volume is pinned to it"),
        pytest.param(
            replace(LOCAL, node_affinity=({"kubernetes.io/hostname": ("other",)},)), "gap", id="pinned to another"
        ),
        pytest.param(replace(LOCAL, local_path=""), "gap", id="a volume that is not local is pinned to it"),
        pytest.param(
            build.volume(
                driver="localdisk.csi.acstor.io", node_affinity=({"topology.localdisk.csi.acstor.io/node": (P5.name,)},)
            ),
            "clear",
            id="a volume of a node-local driver is pinned to it",
        ),
        pytest.param(
            build.volume(
                driver="localdisk.csi.acstor.io",
                attributes={"localdisk.csi.acstor.io/selected-initial-node": P5.name},
            ),
            "clear",
            id="only an attribute pins the volume",
        ),
        pytest.param(READER, "clear", id="a pod uses the disks' mount point"),
        pytest.param(replace(READER, node="other"), "gap", id="a pod on another node does"),
        pytest.param(
            replace(READER, volumes=(replace(READER.volumes[0], path="/var/log"),)), "gap", id="a pod uses another path"
        ),
    ],
)
def test_disks_that_something_uses_are_no_gap(user: Record, status: Status) -> None:
    assert run(P5, user).status == status


@pytest.mark.parametrize(
    ("offered", "confidence"),
    [
        pytest.param(300 * 10**9, Confidence.LIKELY, id="under 1 percent"),
        pytest.param(304 * 10**9, Confidence.HINT, id="1 percent"),
        pytest.param(2000 * 10**9, Confidence.HINT, id="6 percent, a large root disk"),
    ],
)
def test_a_large_root_disk_makes_it_a_hint(offered: int, confidence: Confidence) -> None:
    verdict = run(offering(offered))

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [confidence]
    assert run(offering(3100 * 10**9)).status == "clear"


@pytest.mark.parametrize(
    ("given", "severity", "confidence"),
    [
        pytest.param((DISKS_ON_DEMAND,), Severity.LOW, Confidence.HINT, id="a driver that takes whole disks"),
        pytest.param(
            (DISKS_ON_DEMAND, build.pod(node=P5.name)),
            Severity.MEDIUM,
            Confidence.LIKELY,
            id="a pod is on the node and asks for none",
        ),
        pytest.param(
            (DISKS_ON_DEMAND, build.pod(node="other")), Severity.LOW, Confidence.HINT, id="a pod is on another node"
        ),
        pytest.param(
            (build.storage_class(provisioner="rancher.io/local-path"),),
            Severity.MEDIUM,
            Confidence.LIKELY,
            id="folders of the root disk",
        ),
    ],
)
def test_a_driver_that_makes_volumes_on_demand_makes_an_idle_node_a_hint(
    given: tuple[Record, ...], severity: Severity, confidence: Confidence
) -> None:
    verdict = run(P5, *given)

    assert [(verdict.severity_of(it), verdict.confidence_of(it)) for it in verdict.findings] == [(severity, confidence)]


def test_classes_that_may_not_be_read_leave_a_hint() -> None:
    verdict = run(P5, unread=(StorageClass,))

    (finding,) = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.MEDIUM, Confidence.HINT)


def test_raw_block_devices_make_it_a_hint() -> None:
    verdict = run(p5(labels={**P5.labels, "cloud.google.com/gke-local-nvme-ssd": "true"}))

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


def test_the_finding_says_what_is_offered_and_what_is_there() -> None:
    (finding,) = run(P5, RAID0, GKE).findings

    assert str(finding.subject) == "Node/p5-nvme-unused"
    assert finding.says.en == "offers 17 GiB of ephemeral storage beside 30,400 GB of local NVMe"
    assert finding.evidence == {
        "metadata.labels.karpenter.k8s.aws/instance-local-nvme": "30400",
        "status.allocatable.ephemeral-storage": 17 * GI,
    }


def test_nodes_whose_status_says_nothing_are_one_doubt() -> None:
    verdict = run(*(replace(P5, name=f"gpu-{number}", capacity=None, allocatable=None) for number in range(3)))

    (doubt,) = verdict.unread
    assert doubt.what.en == "ephemeral-storage of 3 nodes (gpu-0, gpu-1, gpu-2)"


@pytest.mark.parametrize("kind", [Node, Pod, Volume])
def test_what_may_not_be_read_is_unknown_and_never_clear(kind: type[Record]) -> None:
    verdict = run(P5, unread=(kind,))

    assert verdict.status == "unknown"
    assert {doubt.what.en for doubt in verdict.unread} == {kind.KIND.resource}


@pytest.mark.parametrize("user", [LOCAL, READER])
def test_disks_of_which_nothing_tells_are_there_where_something_uses_them(user: Record) -> None:
    untold = p5(labels={"kubernetes.io/hostname": P5.name})

    assert run(untold, user).status == "clear"
    assert run(untold, user, unread=(Volume,)).status == "unknown"
    assert run(replace(untold, name="other", labels={}), user).status == "not_applicable"


def test_a_machine_in_no_table_hides_no_gap_of_the_others() -> None:
    (finding,) = run(P5, p5(name="gpu-2", labels={})).findings

    assert finding.subject.name == P5.name


def test_what_uses_the_disks_does_not_matter_where_none_look_unused() -> None:
    assert run(RAID0, unread=(Pod, Volume)).status == "clear"


def test_pods_of_some_namespaces_do_not_prove_that_nobody_uses_the_disks() -> None:
    facts = build.facts(P5)

    assert CHECK.run(facts.but(Pod, Partial((), (build.forbidden(Pod),), asked_for=True))).status == "unknown"
