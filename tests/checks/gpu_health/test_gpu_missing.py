from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, NodeFeature, ResourceSlice, SliceDevice
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.model import Confidence
from kubegap_checks.rules.gpu_health.gpu_missing import CHECK
from tests.checks.build import READ_AT, facts, forbidden, node, node_feature, resource_slice

TYPE = "node.kubernetes.io/instance-type"
H100 = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
AZURE = H100 | {TYPE: "Standard_ND96isr_H100_v5"}
AMD = {"amd.com/gpu.product-name": "Instinct_MI300X"}
TYPE_ONLY, RKE2 = {TYPE: "gpu-h100-8x"}, {TYPE: "rke2"}
DELL = H100 | {"nvidia.com/gpu.machine": "PowerEdge-XE9680"}
GPU, NVSWITCH = ("10de", "0302", "2330"), ("10de", "0680", "22a3")


def gpus(count: int) -> dict[str, int]:
    return {"nvidia.com/gpu": count}


def whole(number: int) -> SliceDevice:
    return SliceDevice(name=f"gpu-{number}", attributes={"type": "gpu", "uuid": f"GPU-{number}"})


SEVEN = node(labels=AZURE, devices=gpus(7))
NONE = node(labels=H100, devices=gpus(0))
MIG = SliceDevice(name="gpu-0-mig-0", attributes={"type": "mig", "parentUUID": "GPU-0"})

GAPS = [
    pytest.param(
        facts(
            node(
                labels=AZURE | {"nvsentinel.dgxc.nvidia.com/gpu.count.current": "7"},
                devices={"nvidia.com/mig-1g.10gb": 49},
            )
        ),
        id="an agent sees seven of eight behind slices",
    ),
    pytest.param(
        facts(node(labels=AZURE | {"nvidia.com/gpu.count": "7"}, devices={"nvidia.com/mig-1g.10gb": 49})),
        id="the driver counts seven of eight behind slices",
    ),
    pytest.param(
        facts(node(labels=AMD, devices={"amd.com/gpu": 7}), node_feature("gpu-1", {("1002", "1200", "74a1"): 8})),
        id="seven of the eight AMD GPUs on the PCI bus",
    ),
    pytest.param(
        facts(*(node(f"gpu-{n}", TYPE_ONLY, gpus(8)) for n in range(2, 5)), node(labels=TYPE_ONLY, devices=gpus(7))),
        id="seven where three nodes of the same unknown instance type have eight",
    ),
    pytest.param(facts(SEVEN), id="seven of the eight GPUs that the instance type has"),
    pytest.param(
        facts(node(labels=H100 | {"karpenter.k8s.aws/instance-gpu-count": "8"}, devices=gpus(7))),
        id="seven of the eight that the autoscaler's label says",
    ),
    pytest.param(
        facts(node(labels=H100 | {"nvsentinel.dgxc.nvidia.com/gpu.count.expected": "8"}, devices=gpus(7))),
        id="seven of the eight that the health agent's label says",
    ),
    pytest.param(
        facts(node(labels=H100, devices=gpus(7)), node_feature("gpu-1", {GPU: 8, NVSWITCH: 4})),
        id="seven of the eight on the PCI bus, where NVSwitches do not count",
    ),
    pytest.param(
        facts(*(node(f"gpu-{n}", DELL, gpus(8)) for n in range(2, 5)), node(labels=DELL, devices=gpus(7))),
        id="seven where three nodes of the same kind have eight",
    ),
    pytest.param(
        facts(node(labels=H100 | {"nvidia.com/gpu.count": "8"}, devices=gpus(7))),
        id="seven of the eight that the driver has seen",
    ),
    pytest.param(
        facts(
            node(
                labels=AZURE | {"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "time-slicing"},
                devices=gpus(28),
            )
        ),
        id="seven of eight behind four shares each",
    ),
    pytest.param(
        facts(node(labels=AZURE), resource_slice("gpu-1", "gpu.nvidia.com", *(whole(n) for n in range(7)))),
        id="seven of eight offered through DRA",
    ),
    pytest.param(facts(NONE), id="a labelled node that offers none"),
    pytest.param(
        facts(node(labels=H100, devices=gpus(0)), resource_slice("gpu-1", "compute-domain.nvidia.com", whole(0))),
        id="a labelled node that offers none beside a DRA driver whose devices are no GPUs",
    ),
    pytest.param(
        facts(node(labels=AZURE | {"nvidia.com/mig.strategy": "single"}, devices=gpus(7))),
        id="the operator's default MIG strategy on GPUs that are not cut",
    ),
    pytest.param(
        facts(
            node(
                labels={TYPE: "trn2.48xlarge"}, devices={"aws.amazon.com/neuron": 15, "aws.amazon.com/neuroncore": 120}
            )
        ),
        id="a Neuron node, whose cores are parts of the same devices",
    ),
]

CLEAR = [
    pytest.param(
        facts(node(labels=AZURE | {"nvidia.com/gpu.product": "H100-MIG-1g.10gb"}, devices=gpus(56))),
        id="all eight behind slices under the strategy single",
    ),
    pytest.param(
        facts(node(labels=AZURE | {"nvidia.com/gpu.count": "8"}, devices={"nvidia.com/mig-1g.10gb": 49})),
        id="the driver counts all eight behind slices",
    ),
    pytest.param(
        facts(
            node(labels=AMD | {"amd.com/gpu.compute-memory-partition": "cpx_nps4"}, devices={"amd.com/gpu": 64}),
            node_feature("gpu-1", {("1002", "1200", "74a1"): 8}),
        ),
        id="all eight AMD GPUs behind partitions",
    ),
    pytest.param(
        facts(node(labels=AZURE, devices=gpus(8)), node("gpu-2", AZURE, {"nvidia.com/mig-1g.10gb": 56})),
        id="all eight, beside a node whose GPUs are cut",
    ),
    pytest.param(facts(node(labels=AZURE, devices=gpus(8))), id="all eight GPUs of the instance type"),
    pytest.param(
        facts(node(labels=H100, devices=gpus(8)), node_feature("gpu-1", {GPU: 8, NVSWITCH: 4})),
        id="all eight on the PCI bus, where NVSwitches do not count",
    ),
    pytest.param(
        facts(*(node(f"gpu-{n}", DELL, gpus(8)) for n in range(2, 5)), node(labels=DELL, devices=gpus(8))),
        id="as many as three nodes of the same kind",
    ),
    pytest.param(
        facts(*(node(f"gpu-{n}", H100, gpus(8)) for n in range(1, 5))),
        id="as many as all nodes with the same product, where nothing tells their machines",
    ),
    pytest.param(
        facts(
            node(
                labels=AZURE | {"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "time-slicing"},
                devices=gpus(32),
            )
        ),
        id="all eight behind four shares each",
    ),
    pytest.param(
        facts(
            node(
                labels=AZURE | {"nvidia.com/gpu.replicas": "4"},
                devices={"nvidia.com/gpu": 0, "nvidia.com/gpu.shared": 32},
            )
        ),
        id="all eight behind shares under another name",
    ),
    pytest.param(
        facts(node(labels=AZURE), resource_slice("gpu-1", "gpu.nvidia.com", *(whole(n) for n in range(8)), MIG)),
        id="all eight through DRA, one of them offered whole and cut",
    ),
]

# Each of these differs in one fact from a gap above.
LOOK_ALIKES = [
    pytest.param(facts(replace(SEVEN, deleting=True)), id="the node is being deleted"),
    pytest.param(facts(replace(SEVEN, created=READ_AT - timedelta(minutes=5))), id="the node has just joined"),
    pytest.param(
        facts(replace(SEVEN, labels=AZURE | {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-3g.40gb"})),
        id="the GPUs are cut under the strategy single",
    ),
    pytest.param(
        facts(replace(SEVEN, capacity=gpus(7) | {"nvidia.com/mig-3g.40gb": 2})),
        id="one GPU is cut under the strategy mixed",
    ),
    pytest.param(
        facts(replace(SEVEN, labels=AZURE | {"cloud.google.com/gke-gpu-partition-size": "3g.40gb"})),
        id="the cloud has partitioned the GPUs",
    ),
    pytest.param(
        facts(replace(NONE, labels=H100 | {"nvidia.com/gpu.deploy.device-plugin": "paused-for-driver-upgrade"})),
        id="the device plugin is paused for a driver upgrade",
    ),
    pytest.param(
        facts(replace(NONE, labels=H100 | {"nvidia.com/gpu-driver-upgrade-state": "pod-restart-required"})),
        id="the driver is being upgraded",
    ),
    pytest.param(
        facts(replace(NONE, labels=H100 | {"nvidia.com/gpu.workload.config": "vm-passthrough"})),
        id="the GPUs belong to virtual machines",
    ),
    pytest.param(
        facts(replace(NONE, capacity=gpus(0) | {"nvidia.com/mig-1g.10gb": 56})),
        id="every GPU is cut under the strategy mixed",
    ),
    pytest.param(
        facts(replace(NONE, capacity=gpus(0) | {"nvidia.com/gpu.shared": 32})),
        id="the GPUs are shared under another name by a factor that nobody tells",
    ),
    pytest.param(
        facts(NONE, resource_slice("gpu-1", "gpu.nvidia.com", whole(0)), node_feature("gpu-1", {GPU: 1})),
        id="the GPU is offered through DRA",
    ),
    pytest.param(
        facts(node(labels=AZURE | {"nvidia.com/gpu.count": "7"}, devices=gpus(8))),
        id="the driver's label counts fewer than are offered",
    ),
]

NOT_APPLICABLE = [
    pytest.param(facts(node("cpu-1")), id="a node without accelerators"),
    pytest.param(facts(), id="no node at all"),
    pytest.param(
        facts(node("cpu-1"), resource_slice("cpu-1", "dra.cpu", whole(0))),
        id="a DRA driver that offers no accelerators",
    ),
]

UNKNOWN = [
    pytest.param(
        facts(*(node(f"gpu-{n}", H100, gpus(8)) for n in range(2, 6)), node(labels=H100, devices=gpus(7))),
        id="one of the same product has less, and nothing tells their machines",
    ),
    pytest.param(
        facts(*(node(f"gpu-{n}", H100, gpus(8)) for n in range(1, 4))),
        id="too few nodes with the same product to agree",
    ),
    pytest.param(
        facts(*(node(f"gpu-{n}", {}, gpus(8)) for n in range(1, 5))),
        id="nodes of which not even the product is told",
    ),
    pytest.param(facts(node(labels=H100, devices=gpus(7))), id="nothing tells how many there should be"),
    pytest.param(
        facts(*(node(f"gpu-{n}", DELL, gpus(8)) for n in range(2, 4)), node(labels=DELL, devices=gpus(7))),
        id="two nodes of the same kind are too few to compare with",
    ),
    pytest.param(
        facts(
            *(node(f"gpu-{n}", DELL, gpus(8)) for n in range(2, 4)),
            *(node(f"gpu-{n}", DELL, gpus(4)) for n in range(4, 6)),
            node(labels=DELL, devices=gpus(7)),
        ),
        id="nodes of the same kind do not agree",
    ),
    pytest.param(
        facts(node(labels=H100 | {"nvidia.com/gpu.count": "7"}, devices=gpus(7))),
        id="the driver's label says as many as are offered, which proves nothing",
    ),
    pytest.param(facts(replace(SEVEN, capacity=None, allocatable=None)), id="the status carries no counts"),
    pytest.param(
        facts(node(labels=AZURE | {"nvidia.com/gpu.product": "H100-MIG-1g.10gb"}, devices=gpus(49))),
        id="slices that do not add up to devices",
    ),
    pytest.param(
        facts(
            node(labels=AZURE | {"nvidia.com/gpu.product": "H100-MIG-1g.20gb"}, devices=gpus(24)),
            node("gpu-2", AZURE | {"nvidia.com/gpu.product": "H100-MIG-1g.20gb"}, gpus(32)),
        ),
        id="slices that add up, where a node of the same kind has more",
    ),
    pytest.param(
        facts(*(node(f"gpu-{n}", RKE2, gpus(8)) for n in range(2, 5)), node(labels=RKE2, devices=gpus(7))),
        id="an instance type that every node of a distribution has",
    ),
    pytest.param(
        facts(NONE, resource_slice("gpu-1", "gpu.nvidia.com", whole(0), slices_in_pool=2)),
        id="the DRA pool is not complete",
    ),
    pytest.param(
        facts(NONE, resource_slice("gpu-1", "gpu.example.com", whole(0))), id="an unknown DRA driver offers devices"
    ),
    pytest.param(
        facts(node(labels=AZURE | {"nvidia.com/gpu.replicas": "4"}, devices=gpus(30))), id="shares that do not add up"
    ),
    pytest.param(
        facts(node(labels=H100, devices=gpus(7)), unread=(NodeFeature,)), id="only the unread PCI bus could tell"
    ),
    pytest.param(facts(NONE, unread=(ResourceSlice,)), id="a node offers none while DRA is unread"),
    pytest.param(facts(node(labels=AZURE, devices=gpus(8)), unread=(ResourceSlice,)), id="DRA is unread"),
]


def status_of(given: Facts) -> str:
    return CHECK.run(given).status


@pytest.mark.parametrize("given", GAPS)
def test_a_node_that_offers_fewer_than_it_has_is_a_gap(given: Facts):
    verdict = CHECK.run(given)

    assert (verdict.status, [str(finding.subject) for finding in verdict.findings]) == ("gap", ["Node/gpu-1"])


@pytest.mark.parametrize("given", CLEAR)
def test_a_node_that_offers_all_it_has_is_clear(given: Facts):
    assert status_of(given) == "clear"


@pytest.mark.parametrize("given", LOOK_ALIKES)
def test_what_only_looks_like_it_is_not_reported(given: Facts):
    assert CHECK.run(given).findings == ()


@pytest.mark.parametrize("given", NOT_APPLICABLE)
def test_a_cluster_without_accelerators_is_none_of_its_business(given: Facts):
    assert status_of(given) == "not_applicable"


@pytest.mark.parametrize("given", UNKNOWN)
def test_what_cannot_be_told_is_unknown(given: Facts):
    assert status_of(given) == "unknown"


def test_the_pci_bus_bears_out_what_the_instance_type_says():
    [finding] = CHECK.run(facts(SEVEN, node_feature("gpu-1", {GPU: 8}))).findings

    assert finding.evidence == {
        "status.capacity.nvidia.com/gpu": 7,
        f"metadata.labels.{TYPE}": "Standard_ND96isr_H100_v5",
        "NodeFeature.spec.features.instances.pci.device": 8,
    }


def test_a_second_list_of_the_same_bus_does_not_double_it():
    given = facts(node(labels=H100, devices=gpus(8)), *(node_feature("gpu-1", {GPU: 8}) for _ in range(2)))

    assert status_of(given) == "clear"


def beside(offered: int, on_bus: int, *peers: int) -> Facts:
    """A node that offers so many and has so many on its bus, and nodes like it."""
    others = (node(f"gpu-{n}", DELL, gpus(count)) for n, count in enumerate(peers, start=2))
    return facts(node(labels=DELL, devices=gpus(offered)), node_feature("gpu-1", {GPU: on_bus}), *others)


@pytest.mark.parametrize(
    ("given", "fell_off"),
    [
        pytest.param(beside(7, 7, 8, 8, 8), True, id="one has fallen off the bus"),
        pytest.param(beside(4, 4, 8, 8, 8), False, id="a machine that is sold with four as well"),
        pytest.param(beside(7, 7, 8, 8), False, id="too few others to say so"),
        pytest.param(beside(6, 6, 8, 8, 8, 6), False, id="another that has as few: a configuration of its own"),
        pytest.param(beside(6, 6, *(8,) * 10, 6), True, id="another that has lost as many, among enough"),
        pytest.param(beside(6, 6, *(8,) * 9, 6), False, id="nine in ten are not more than that"),
        pytest.param(beside(7, 7, 4, 4, 4), False, id="the others have fewer"),
    ],
)
def test_almost_all_nodes_like_it_outrank_the_pci_bus_that_a_device_may_have_left(given: Facts, *, fell_off: bool):
    found = {finding.subject.name for finding in CHECK.run(given).findings}
    assert ("gpu-1" in found) is fell_off


def test_a_device_that_fell_off_the_bus_is_told_by_the_others_and_by_the_bus():
    [finding] = CHECK.run(beside(7, 7, 8, 8, 8)).findings

    assert finding.says.en == "7 of 8 NVIDIA GPUs are there, 3 of 3 nodes of the same kind have 8, 7 are on the PCI bus"
    assert finding.confidence is Confidence.LIKELY


def test_nodes_with_another_instance_type_do_not_outrank_the_pci_bus():
    given = beside(7, 7, 8, 8, 8)
    nodes = (replace(given.known(Node)[0], labels=DELL | {TYPE: "half"}), *given.known(Node)[1:])

    assert CHECK.run(given.but(Node, nodes)).findings == ()


def test_units_of_the_others_that_are_shares_of_what_is_on_their_bus_say_nothing():
    """Time-slicing whose label is missing: nine units of three devices each."""
    given = beside(7, 7, 9, 9, 9)
    buses = (*given.known(NodeFeature), *(node_feature(f"gpu-{n}", {GPU: 3}) for n in range(2, 5)))

    assert CHECK.run(given).findings
    assert CHECK.run(given.but(NodeFeature, buses)).findings == ()


@pytest.mark.parametrize("kind", [NodeFeature, ResourceSlice])
def test_neither_the_bus_nor_the_others_are_passed_over_when_they_are_unread(kind: type[Record]):
    assert status_of(beside(7, 7, 8, 8, 8).but(kind, forbidden(kind))) == "unknown"


def test_only_the_newest_generation_of_a_pool_counts():
    old = resource_slice("gpu-1", "gpu.nvidia.com", *(whole(n) for n in range(8)), name="old", generation=1)
    new = resource_slice("gpu-1", "gpu.nvidia.com", *(whole(n) for n in range(7)), generation=2)

    [finding] = CHECK.run(facts(node(labels=AZURE), old, new)).findings

    assert finding.evidence["ResourceSlice[gpu.nvidia.com].spec.devices"] == 7


def test_two_vendors_on_a_node_are_judged_apart():
    amd = {"amd.com/gpu.product-name": "Instinct_MI300X"}
    both = node(labels=AZURE | amd, devices=gpus(8) | {"amd.com/gpu": 0})

    [finding] = CHECK.run(facts(both)).findings

    assert (finding.key, finding.confidence) == ("amd", Confidence.LIKELY)


def test_a_node_that_offers_none_of_what_its_type_has_is_certain_and_says_both():
    [finding] = CHECK.run(facts(node(labels=AZURE, devices=gpus(0)))).findings

    assert finding.confidence is Confidence.CERTAIN
    assert finding.says.en == (
        "the node has NVIDIA GPUs and offers none of them, instance type Standard_ND96isr_H100_v5 has 8"
    )
    assert finding.evidence == {
        "status.capacity.nvidia.com/gpu": 0,
        f"metadata.labels.{TYPE}": "Standard_ND96isr_H100_v5",
    }


UNCUT = "whether all accelerators of node gpu-1 are there"
CUT = "whether all accelerators behind the slices or shares of node gpu-1 are there"


@pytest.mark.parametrize(
    ("given", "doubts"),
    [
        pytest.param(facts(node(labels=H100, devices=gpus(7))), [UNCUT], id="nothing tells how many there should be"),
        pytest.param(
            facts(node(labels=H100 | {"nvidia.com/gpu.product": "H100-MIG-1g.10gb"}, devices=gpus(49))),
            [UNCUT],
            id="slices, and nothing tells how many devices there should be",
        ),
        pytest.param(
            facts(node(labels=AZURE | {"nvidia.com/gpu.product": "H100-MIG-1g.10gb"}, devices=gpus(49))),
            [CUT],
            id="slices that do not add up to the devices of the type",
        ),
        pytest.param(
            facts(node(labels=AZURE | {"nvidia.com/gpu.replicas": "4"}, devices=gpus(30))),
            [UNCUT],
            id="shares that do not add up",
        ),
        pytest.param(
            facts(node(labels=H100, devices=gpus(7)), unread=(NodeFeature,)),
            ["nodefeatures.nfd.k8s-sigs.io"],
            id="what might tell is unread, which is the only doubt",
        ),
    ],
)
def test_each_doubt_is_told_as_what_it_is(given: Facts, doubts: list[str]):
    assert [unread.what.en for unread in CHECK.run(given).unread] == doubts


def test_many_nodes_that_cannot_be_judged_are_one_item():
    [unread] = CHECK.run(facts(*(node(f"gpu-{n}", RKE2, gpus(8)) for n in range(1, 41)))).unread

    assert unread.what.en == "whether all accelerators of 40 nodes (gpu-1, gpu-2, gpu-3, ...) are there"


PARTIAL = {"created": None, "conditions": (), "boot_id": "", "capacity": None, "allocatable": None}
AKS_NODE = "aks-gpuworker1-00000000-vmss000001"
AKS = node(
    AKS_NODE,
    {
        TYPE: "Standard_ND96isr_H100_v5",
        "nvidia.com/cuda.driver-version.full": "580.126.09",
        "nvidia.com/gpu.count": "7",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    },
    **PARTIAL | {"capacity": gpus(7), "allocatable": gpus(7)},
)
LEGACY_AMD = node(
    "amd-node-11",
    {"beta.amd.com/gpu.device-id.67df": "1", "beta.amd.com/gpu.family.VI": "1", TYPE: "k3s"},
    **PARTIAL | {"capacity": {}, "allocatable": {}},
)


@pytest.mark.parametrize(
    ("seen", "confidence", "says"),
    [
        pytest.param((AKS,), Confidence.CERTAIN, "7 of 8 NVIDIA GPUs are there", id="an AKS node with seven of eight"),
        pytest.param(
            (AKS, node_feature(AKS_NODE, {GPU: 8})),
            Confidence.CERTAIN,
            "8 are on the PCI bus",
            id="the same node with its PCI bus",
        ),
        pytest.param((LEGACY_AMD,), Confidence.LIKELY, "offers none of them", id="an AMD node of an older labeller"),
    ],
)
def test_reported_nodes_are_found(seen, confidence: Confidence, says: str):
    verdict = CHECK.run(facts(*seen))

    [finding] = verdict.findings
    assert verdict.confidence_of(finding) is confidence
    assert says in finding.says.en


def test_a_node_of_a_labeller_older_than_dra_needs_no_slices():
    assert status_of(facts(LEGACY_AMD, unread=(ResourceSlice, NodeFeature))) == "gap"


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(
            node(labels=DELL | {"nvidia.com/gpu.count": "8", "nvidia.com/mig.capable": "true"}, **PARTIAL),
            id="labels without a status",
        ),
        pytest.param(
            node(
                labels={"nvidia.com/mig.config": "h100-80gb-x8-balanced-v0", "nvidia.com/mig.strategy": "mixed"},
                **PARTIAL,
            ),
            id="a custom MIG layout",
        ),
        pytest.param(
            node(labels={"nvidia.com/gpu.product": "NVIDIA-A30", "nvidia.com/gpu.replicas": "0"}, **PARTIAL),
            id="replicas of zero",
        ),
        pytest.param(
            node(labels={"nvidia.com/gpu.memory": "4864", "nvidia.com/mig.config": "all-1g.5gb"}, **PARTIAL),
            id="memory of a MIG device",
        ),
        pytest.param(node(labels={}, devices=gpus(7)), id="seven GPUs of an unknown machine"),
        pytest.param(node(labels={"nvidia.com/gpu.product": "NVIDIA-GB300"}, **PARTIAL), id="a product label alone"),
        pytest.param(
            node(
                labels={"nvidia.com/vgpu.present": "true", "nvidia.com/gpu.deploy.driver": "pre-installed"},
                devices=gpus(1),
            ),
            id="a vGPU guest",
        ),
        pytest.param(
            node(labels={TYPE: "gd-8xh100ib-i128"}, devices=gpus(8) | {"rdma/ib": 1}),
            id="a CoreWeave node with all eight",
        ),
        pytest.param(
            node(
                labels={"amd.com/gpu.product-name": "Instinct_MI300X"},
                devices={"amd.com/gpu": 8},
                allocatable={"amd.com/gpu": 7},
            ),
            id="an AMD node that lost a GPU only from allocatable",
        ),
    ],
)
def test_nodes_that_lack_nothing_provable_are_not_reported(seen):
    assert CHECK.run(facts(seen)).findings == ()
