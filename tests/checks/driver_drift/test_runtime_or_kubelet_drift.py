from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, Taint
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Severity
from kubegap_checks.rules.driver_drift.runtime_or_kubelet_drift import CHECK
from tests.checks.build import READ_AT, facts, node
from tests.checks.driver_drift.fleet import alike

KUBELET, RUNTIME = "v1.33.5", "containerd://2.1.4"
USUAL = alike(4, kubelet=KUBELET, runtime=RUNTIME)


def odd(labels: Mapping[str, str] | None = None, **fields: Any) -> Node:
    [one] = alike(1, labels, first=9, **{"kubelet": KUBELET, "runtime": RUNTIME, **fields})
    return one


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(*USUAL, odd(kubelet="v1.32.9")), "gap", id="another kubelet"),
        pytest.param(facts(*USUAL, odd(runtime="cri-o://1.33.4")), "gap", id="another runtime"),
        pytest.param(facts(*USUAL, odd()), "clear", id="the same"),
        pytest.param(facts(*USUAL, odd(kubelet="")), "clear", id="one does not tell"),
        pytest.param(
            facts(*USUAL, odd(kubelet="v1.34.1", created=READ_AT - timedelta(days=1))),
            "clear",
            id="a pool being upgraded",
        ),
        pytest.param(
            facts(replace(USUAL[0], taints=(Taint(key="karpenter.sh/disrupted"),)), *USUAL[1:], odd(kubelet="v1.34.1")),
            "clear",
            id="a node is being replaced",
        ),
        pytest.param(
            facts(*USUAL, odd(kubelet="v1.32.9", labels={"eks.amazonaws.com/nodegroup": "b"})),
            "clear",
            id="another pool",
        ),
        pytest.param(facts(*alike(1)), "not_applicable", id="a single node"),
        pytest.param(facts(node("cpu-1"), node("cpu-2", kubelet=KUBELET)), "not_applicable", id="no accelerators"),
        pytest.param(facts(unread=(Node,)), "unknown", id="nodes are unread"),
    ],
)
def test_alike_nodes_must_have_the_same_kubelet_and_runtime(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("fields", "severity"),
    [
        pytest.param({"kubelet": "v1.33.4"}, Severity.LOW, id="another patch of the kubelet"),
        pytest.param({"kubelet": "v1.32.9"}, Severity.MEDIUM, id="another minor version of the kubelet"),
        pytest.param({"runtime": "containerd://2.1.3"}, Severity.LOW, id="another patch of the runtime"),
        pytest.param({"runtime": "containerd://1.7.29"}, Severity.MEDIUM, id="another series of the runtime"),
        pytest.param({"runtime": "cri-o://2.1.4"}, Severity.MEDIUM, id="another runtime of the same number"),
    ],
)
def test_a_patch_is_not_worth_as_much_as_a_series(fields: dict[str, Any], severity: Severity):
    [finding] = CHECK.run(facts(*USUAL, odd(**fields))).findings

    assert finding.severity == severity
    assert list(finding.evidence.values()) == list(fields.values())
