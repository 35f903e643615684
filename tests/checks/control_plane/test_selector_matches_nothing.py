import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet, Template
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts
from kubegap_checks.facts.selectors import Requirement
from kubegap_checks.inventory.placement import selects
from kubegap_checks.rules.control_plane.selector_matches_nothing import CHECK
from tests.checks.build import container, daemon_set, facts, node, node_feature, template

PRESENT = {"nvidia.com/gpu.present": "true"}
GPU = node("gpu-1", {"feature.node.kubernetes.io/pci-0300_10de.present": "true"})
P5 = {"node.kubernetes.io/instance-type": "p5.48xlarge"}
EFA = node("p5-1", P5, {"nvidia.com/gpu": 8})


def agents(image: str = "nvcr.io/nvidia/k8s-device-plugin:v0.17.1", desired: int = 0) -> DaemonSet:
    made = template(container(image=image), node_selector=PRESENT)
    return daemon_set("plugin", template=made, desired=desired)


PLUGIN = agents()
EFA_PLUGIN = agents("602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(GPU, PLUGIN), "gap", id="the label that it asks for is written by nobody"),
        pytest.param(facts(GPU, PLUGIN, replace(PLUGIN, name="second")), "gap", id="nor does a second one run"),
        pytest.param(facts(EFA, EFA_PLUGIN), "gap", id="adapters that the machine type tells"),
        pytest.param(facts(GPU, agents(desired=1)), "clear", id="it runs"),
        pytest.param(facts(GPU, PLUGIN, replace(agents(desired=1), name="large")), "clear", id="a variant of it runs"),
        pytest.param(facts(replace(GPU, labels=PRESENT), PLUGIN), "clear", id="the node matches, and has a taint"),
        pytest.param(
            facts(node("gpu-1", GPU.labels, {"nvidia.com/gpu": 8}), PLUGIN), "clear", id="something else offers them"
        ),
        pytest.param(facts(replace(GPU, capacity=None, allocatable=None), PLUGIN), "clear", id="a node without status"),
        pytest.param(facts(node("cpu-1"), PLUGIN), "clear", id="no node has such devices"),
        pytest.param(facts(GPU, agents("rocm/k8s-device-plugin:1.31")), "clear", id="another vendor's devices"),
        pytest.param(
            facts(node("p5-1", P5, {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}), EFA_PLUGIN),
            "clear",
            id="adapters that are offered",
        ),
        pytest.param(
            facts(replace(EFA, capacity=None, allocatable=None), EFA_PLUGIN), "clear", id="adapters without status"
        ),
        pytest.param(
            facts(
                node("gpu-1", GPU.labels, {"nvidia.com/gpu": 8}),
                node_feature("gpu-1", {("10de", "0302", "2330"): 8, ("15b3", "0207", "1021"): 8}),
                EFA_PLUGIN,
            ),
            "clear",
            id="adapters of another fabric that are not offered",
        ),
        pytest.param(
            facts(GPU, agents("rocm/k8s-device-plugin:1.31", desired=1), unread=(ResourceSlice,)),
            "clear",
            id="DRA unread, and every plugin runs",
        ),
        pytest.param(facts(GPU, agents("r/fluent-bit:4")), "not_applicable", id="another agent"),
        pytest.param(facts(GPU, unread=(DaemonSet,)), "unknown", id="DaemonSets unread"),
        pytest.param(facts(PLUGIN, unread=(Node,)), "unknown", id="nodes unread"),
        pytest.param(facts(node("cpu-1"), PLUGIN, unread=(ResourceSlice,)), "unknown", id="DRA unread"),
        pytest.param(facts(node("cpu-1"), EFA_PLUGIN, unread=(ResourceSlice,)), "unknown", id="DRA unread, of EFA"),
    ],
)
def test_a_device_plugin_must_select_the_nodes_with_its_devices(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_it_names_the_labels_and_the_nodes():
    [finding] = CHECK.run(facts(GPU, PLUGIN)).findings

    assert finding.says.en == (
        "no node matches the selector of the NVIDIA device plugin (nvidia.com/gpu.present), while node gpu-1 with its "
        "devices offer none"
    )


def need(key: str, *values: str) -> Requirement:
    return Requirement(key=key, operator="In", values=values)


@pytest.mark.parametrize(
    ("made", "found"),
    [
        pytest.param(template(), True, id="anywhere"),
        pytest.param(template(node_selector={"a": "1"}), True, id="a label"),
        pytest.param(template(node_selector={"a": "2"}), False, id="another value"),
        pytest.param(template(node_terms=((need("a", "2"),), (need("a", "1"),))), True, id="one of two terms"),
        pytest.param(template(node_terms=((need("a", "1"), need("b", "1")),)), False, id="half a term"),
        pytest.param(template(node_terms=((),)), False, id="an empty term"),
        pytest.param(template(node_terms=((need("metadata.name", "n"),),)), True, id="by name"),
        pytest.param(
            template(node_selector={"b": "1"}, node_terms=((need("a", "1"),),)), False, id="the term, not the selector"
        ),
    ],
)
def test_which_nodes_a_template_selects(made: Template, found: bool):  # noqa: FBT001
    assert selects(made, node("n", {"a": "1"})) == found
