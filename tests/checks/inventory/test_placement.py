import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import Template
from kubegap_checks.facts.nodes import Taint
from kubegap_checks.facts.pods import Toleration
from kubegap_checks.facts.selectors import Requirement
from kubegap_checks.inventory.placement import refused
from tests.checks.build import node, template

GPU = Taint(key="nvidia.com/gpu", value="true", effect="NoSchedule")
NODE = node("gpu-1", {"pool": "gpu"})
TAINTED = replace(NODE, taints=(GPU,))


def of(key: str, *values: str) -> Requirement:
    return Requirement(key=key, operator="In", values=values)


@pytest.mark.parametrize(
    ("made", "why"),
    [
        pytest.param(template(), None, id="nothing is asked for"),
        pytest.param(template(node_selector={"pool": "gpu"}), None, id="the label is there"),
        pytest.param(template(node_selector={"pool": "cpu"}), ("metadata.labels.pool", "gpu"), id="another value"),
        pytest.param(template(node_selector={"deploy": "true"}), ("metadata.labels.deploy", ""), id="no such label"),
        pytest.param(template(node_terms=((of("pool", "gpu"),),)), None, id="the affinity matches"),
        pytest.param(template(node_terms=((of("x", "y"),), (of("pool", "gpu"),))), None, id="one of two terms does"),
        pytest.param(template(node_terms=((of("metadata.name", "gpu-1"),),)), None, id="the node is named"),
        pytest.param(
            template(node_terms=((of("pool", "gpu"), of("x", "y")),)),
            ("metadata.labels.pool", "gpu"),
            id="one requirement of the term does not match",
        ),
        pytest.param(template(node_terms=((),)), ("metadata.labels.", ""), id="an empty term matches no node"),
    ],
)
def test_labels_and_affinity_decide(made: Template, why: tuple[str, str] | None):
    assert refused(made, NODE) == why


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        pytest.param(Toleration(key="nvidia.com/gpu", operator="Exists"), True, id="the key, whatever its value"),
        pytest.param(Toleration(operator="Exists"), True, id="everything"),
        pytest.param(Toleration(key="nvidia.com/gpu", value="true", effect="NoSchedule"), True, id="just this taint"),
        pytest.param(Toleration(key="nvidia.com/gpu", value="present"), False, id="another value"),
        pytest.param(Toleration(key="other", value="true"), False, id="another key with the value"),
        pytest.param(Toleration(key="other", operator="Exists"), False, id="another key"),
        pytest.param(
            Toleration(key="nvidia.com/gpu", operator="Exists", effect="NoExecute"), False, id="another effect"
        ),
    ],
)
def test_a_taint_keeps_away_what_does_not_tolerate_it(toleration: Toleration, tolerated: object):
    found = refused(template(tolerations=(toleration,)), TAINTED)
    assert found == (None if tolerated else ("spec.taints.nvidia.com/gpu", "NoSchedule"))


@pytest.mark.parametrize(
    "taint",
    [
        pytest.param(replace(GPU, effect="PreferNoSchedule"), id="one that only prefers"),
        pytest.param(
            Taint(key="node.kubernetes.io/unreachable", effect="NoExecute"), id="one that is tolerated anyway"
        ),
        pytest.param(Taint(key="karpenter.sh/disrupted", effect="NoSchedule"), id="of a node that goes"),
    ],
)
def test_some_taints_keep_nothing_away(taint: Taint):
    assert refused(template(), replace(NODE, taints=(taint,))) is None
