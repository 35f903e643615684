from collections import Counter

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, NodeFeature, ResourceSlice, SliceDevice
from kubegap_checks.facts.read import UnreadError
from kubegap_checks.inventory.accelerators import has_accelerators, inventory, offered
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.sources import examples, majority
from kubegap_checks.text import Text
from tests.checks.build import facts, node, node_feature, resource_slice

TYPE = "node.kubernetes.io/instance-type"
DELL = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.machine": "PowerEdge-XE9680"}
GPU = ("10de", "0302", "2330")


def only(given: Node, *others, **unread) -> Devices:
    """What is known of one node's accelerators."""
    return next(one for one in inventory(facts(given, *others, **unread)).devices if one.node.name == given.name)


@pytest.mark.parametrize(
    ("given", "vendors"),
    [
        pytest.param(node(labels={TYPE: "p5.48xlarge"}), ["nvidia"], id="sold with them"),
        pytest.param(node(devices={"nvidia.com/gpu": 0}), ["nvidia"], id="a resource at zero"),
        pytest.param(node(devices={"nvidia.com/mig-1g.10gb": 7}), ["nvidia"], id="slices of them"),
        pytest.param(node(labels={"nvidia.com/gpu.product": "Tesla-T4"}), ["nvidia"], id="a product label"),
        pytest.param(
            node(labels={"feature.node.kubernetes.io/pci-10de.present": "true"}),
            ["nvidia"],
            id="seen on the bus, in a label",
        ),
        pytest.param(node(labels={"cloud.google.com/gke-accelerator": "nvidia-l4"}), ["nvidia"], id="a cloud's label"),
        pytest.param(node(labels={"amd.com/gpu.family": "AI"}), ["amd"], id="AMD"),
        pytest.param(node(devices={"habana.ai/gaudi": 8}), ["gaudi"], id="Gaudi"),
        pytest.param(node(devices={"google.com/tpu": 4}), ["tpu"], id="TPU"),
        pytest.param(node(devices={"nvidia.com/gpu": 1, "amd.com/gpu": 1}), ["nvidia", "amd"], id="two vendors"),
        pytest.param(node(labels={"nvidia.com/gpu.present": "false"}), [], id="a label that says there are none"),
        pytest.param(node(devices={"rdma/ib": 8}), [], id="adapters only"),
        pytest.param(node(), [], id="nothing"),
    ],
)
def test_a_node_has_what_it_offers_is_labelled_or_sold_with(given: Node, vendors: list[str]):
    assert [one.vendor for one in inventory(facts(given)).devices] == vendors


@pytest.mark.parametrize(
    ("labels", "devices", "capacity"),
    [
        pytest.param({}, {"nvidia.com/gpu": 8}, 8, id="whole devices"),
        pytest.param({"nvidia.com/gpu.replicas": "1"}, {"nvidia.com/gpu": 8}, 8, id="not shared"),
        pytest.param({"nvidia.com/gpu.replicas": "0"}, {"nvidia.com/gpu": 8}, 8, id="sharing without a configuration"),
        pytest.param({"nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu": 32}, 8, id="four shares each"),
        pytest.param(
            {"cloud.google.com/gke-max-shared-clients-per-gpu": "2"}, {"nvidia.com/gpu": 2}, 1, id="shared by the cloud"
        ),
        pytest.param(
            {"nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu": 0, "nvidia.com/gpu.shared": 32}, 8, id="shares renamed"
        ),
        pytest.param({"nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu": 30}, None, id="shares that do not add up"),
        pytest.param(
            {"nvidia.com/gpu.sharing-strategy": "mps"}, {"nvidia.com/gpu": 32}, None, id="shared, nobody says how"
        ),
        pytest.param(
            {"nvidia.com/gpu.product": "Tesla-T4-SHARED"}, {"nvidia.com/gpu": 4}, None, id="shared by the product"
        ),
        pytest.param(
            {"nvidia.com/mig.strategy": "single"}, {"nvidia.com/gpu": 8}, 8, id="a strategy alone cuts nothing"
        ),
        pytest.param(
            {"nvidia.com/gpu.product": "A100-MIG-1g.5gb"}, {"nvidia.com/gpu": 56}, None, id="cut, strategy single"
        ),
        pytest.param({}, {"nvidia.com/gpu": 7, "nvidia.com/mig-1g.5gb": 7}, None, id="cut, strategy mixed"),
        pytest.param({}, {"nvidia.com/gpu": 7, "nvidia.com/mig-1g.5gb": 0}, 7, id="no slice is offered any more"),
        pytest.param({TYPE: "p5.48xlarge"}, {"nvidia.com/gpu": 32}, None, id="more units than the machine has devices"),
        pytest.param(
            {}, {"aws.amazon.com/neuron": 16, "aws.amazon.com/neurondevice": 16}, 16, id="one device, two names"
        ),
        pytest.param(
            {}, {"aws.amazon.com/neuron": 16, "aws.amazon.com/neuroncore": 128}, 16, id="devices beside their cores"
        ),
        pytest.param({}, {"aws.amazon.com/neuroncore": 128}, None, id="cores only"),
        pytest.param(
            {"amd.com/gpu.compute-memory-partition": "cpx_nps4"}, {"amd.com/gpu": 64}, None, id="AMD partitions"
        ),
    ],
)
def test_only_physical_devices_are_counted(labels: dict[str, str], devices: dict[str, int], capacity: int | None):
    one = only(node(labels=labels, devices=devices))

    assert (one.capacity, one.allocatable) == (capacity, capacity)


def test_a_status_without_counts_leaves_them_unknown():
    one = only(node(labels=DELL, capacity=None, allocatable=None))

    assert (one.capacity, one.allocatable, one.short) == (None, None, 0)


@pytest.mark.parametrize(
    ("devices", "physical", "free"),
    [
        pytest.param([("gpu", "a"), ("gpu", "b")], 2, 2, id="whole devices"),
        pytest.param([("mig", "a"), ("mig", "a"), ("gpu", "b")], 2, 2, id="slices count once for their parent"),
        pytest.param([("mig", "a"), ("gpu", "a"), ("gpu", "b")], 2, 2, id="a cut parent that is offered whole as well"),
        pytest.param([("vfio", "a")], 1, 1, id="a device for virtual machines"),
        pytest.param([("channel", "a"), ("gpu", "b")], 1, 1, id="something else"),
    ],
)
def test_dra_devices_are_counted_by_the_physical_device(devices: list[tuple[str, str]], physical: int, free: int):
    offer = [
        SliceDevice(
            name=f"device-{number}",
            attributes={
                "type": form,
                ("parentUUID" if form == "mig" else "uuid"): identity,
                "driverVersion": "580.95.5",
            },
        )
        for number, (form, identity) in enumerate(devices)
    ]

    one = only(node(labels=DELL), resource_slice("gpu-1", "gpu.nvidia.com", *offer))

    assert (one.capacity, one.allocatable, one.driver) == (physical, free, "580.95.5")


def test_a_partitioned_a100_is_two_physical_devices_and_not_three():
    migs = SliceDevice(name="gpu-0-mig-0", attributes={"type": "mig", "parentUUID": "GPU-1"})
    whole = SliceDevice(
        name="gpu-1", attributes={"type": "gpu", "uuid": "GPU-2", "productName": "NVIDIA A100 80GB PCIe"}
    )
    parent = replace(whole, name="gpu-0", attributes=dict(whole.attributes) | {"uuid": "GPU-1"})

    one = only(node(), resource_slice("gpu-1", "gpu.nvidia.com", migs, whole, parent))

    assert (one.capacity, one.product) == (2, "NVIDIA A100 80GB PCIe")


def test_two_pools_of_a_node_are_added():
    first, second = (SliceDevice(name="gpu", attributes={"type": "gpu", "uuid": uuid}) for uuid in ("a", "b"))

    one = only(
        node(),
        resource_slice("gpu-1", "gpu.nvidia.com", first, pool="one"),
        resource_slice("gpu-1", "gpu.nvidia.com", second, pool="two"),
    )

    assert one.capacity == 2


@pytest.mark.parametrize(
    ("labels", "others", "count", "basis"),
    [
        pytest.param(
            DELL | {TYPE: "Standard_ND96isr_H100_v5", "karpenter.k8s.aws/instance-gpu-count": "4"},
            (node_feature("gpu-1", {GPU: 2}),),
            8,
            "instance type Standard_ND96isr_H100_v5 has 8",
            id="the instance type is first",
        ),
        pytest.param(
            DELL | {"karpenter.k8s.aws/instance-gpu-count": "8"},
            (node_feature("gpu-1", {GPU: 2}),),
            8,
            "label karpenter.k8s.aws/instance-gpu-count says 8",
            id="then a label",
        ),
        pytest.param(
            DELL,
            (node_feature("gpu-1", {GPU: 2}), *(node(f"gpu-{n}", DELL, {"nvidia.com/gpu": 8}) for n in range(2, 5))),
            2,
            "2 are on the PCI bus",
            id="then the bus",
        ),
        pytest.param(
            DELL | {"nvidia.com/gpu.count": "4"},
            tuple(node(f"gpu-{n}", DELL, {"nvidia.com/gpu": 8}) for n in range(2, 5)),
            8,
            "3 of 3 nodes of the same kind have 8",
            id="then the peers",
        ),
        pytest.param(DELL | {"nvidia.com/gpu.count": "4"}, (), 4, "the driver has seen 4", id="the driver last"),
    ],
)
def test_the_first_source_that_speaks_says_how_many_there_should_be(labels, others, count: int, basis: str):
    expected = only(node(labels=labels, devices={"nvidia.com/gpu": 2}), *others).expected

    assert expected is not None
    assert (expected.count, expected.basis.en) == (count, basis)


@pytest.mark.parametrize(
    ("labels", "kin"),
    [
        pytest.param(DELL | {"nvidia.com/gpu.machine": "PowerEdge-R7525"}, DELL, id="another machine"),
        pytest.param(DELL | {"nvidia.com/gpu.product": "NVIDIA-H200"}, DELL, id="another product"),
        pytest.param({"nvidia.com/gpu.product": "A"}, {"nvidia.com/gpu.product": "A"}, id="machines of unknown kind"),
        pytest.param(
            {"nvidia.com/gpu.product": "A", "nvidia.com/gpu.machine": "unknown"},
            {"nvidia.com/gpu.product": "A", "nvidia.com/gpu.machine": "unknown"},
            id="a machine whose firmware names none",
        ),
    ],
)
def test_nodes_that_are_not_alike_say_nothing_about_each_other(labels: dict[str, str], kin: dict[str, str]):
    others = (node(f"gpu-{n}", kin, {"nvidia.com/gpu": 8}) for n in range(2, 6))

    assert only(node(labels=labels, devices={"nvidia.com/gpu": 7}), *others).expected is None


def test_a_node_that_offers_more_than_its_peers_lacks_nothing():
    others = (node(f"gpu-{n}", DELL, {"nvidia.com/gpu": 4}) for n in range(2, 6))

    expected = only(node(labels=DELL, devices={"nvidia.com/gpu": 8}), *others).expected

    assert expected is not None
    assert expected.count == 8


@pytest.mark.parametrize("kind", [NodeFeature, ResourceSlice])
def test_peers_are_not_asked_while_a_better_source_is_unread(kind):
    others = (node(f"gpu-{n}", DELL, {"nvidia.com/gpu": 8}) for n in range(2, 6))

    one = only(node(labels=DELL, devices={"nvidia.com/gpu": 7}), *others, unread=(kind,))

    assert one.expected is None
    assert [item.what.en for item in one.unread] == [kind.KIND.resource]


@pytest.mark.parametrize(
    ("counts", "agreed"),
    [
        pytest.param([8, 8], None, id="too few"),
        pytest.param([8, 8, 8], (8, 3), id="all agree"),
        pytest.param([8, 8, 7], (8, 2), id="most agree"),
        pytest.param([8, 8, 7, 7], None, id="half and half"),
        pytest.param([], None, id="nobody"),
    ],
)
def test_more_than_half_of_enough_peers_must_agree(counts: list[int], agreed: tuple[int, int] | None):
    assert majority(Counter(counts)) == agreed


def test_what_is_offered_is_known_without_the_bus():
    [one] = offered(facts(node(devices={"nvidia.com/gpu": 8}), unread=(NodeFeature,))).devices

    assert (one.capacity, one.expected) == (8, None)


def test_a_slice_of_a_node_that_is_not_there_gives_the_cluster_no_accelerators():
    device = SliceDevice(name="gpu-0", attributes={"type": "gpu"})

    assert has_accelerators(facts(node(), resource_slice("gone", "gpu.nvidia.com", device))) is False
    assert has_accelerators(facts(node(), resource_slice("gpu-1", "gpu.nvidia.com", device))) is True


def test_unread_nodes_are_not_no_nodes():
    with pytest.raises(UnreadError, match="nodes"):
        inventory(facts(unread=(Node,)))


def test_three_names_stand_for_many():
    assert examples(["a"]) == Text(en="node a", ko="노드 a")
    assert examples(["a", "b", "a"]) == Text(en="2 nodes (a, b)", ko="노드 2대(a, b)")
    assert examples(["a", "b", "c", "d"]) == Text(en="4 nodes (a, b, c, ...)", ko="노드 4대(a, b, c, ...)")
