import json

import pytest

from kubegap_checks.facts.topologies import Topology
from kubegap_mcp.kube.gather.registry import gatherers

GATHERER = gatherers()[Topology]


@pytest.mark.parametrize(
    ("spec", "levels"),
    [
        (
            {"levels": [{"nodeLabel": "a/block"}, {"nodeLabel": "kubernetes.io/hostname"}]},
            ("a/block", "kubernetes.io/hostname"),
        ),
        ({"levels": []}, ()),
        ({}, ()),
        (None, ()),
    ],
)
def test_a_topology_tells_its_labels_the_widest_first(spec, levels):
    page = GATHERER.objects([json.dumps({"metadata": {"name": "fabric"}, "spec": spec}).encode()])
    assert not page.invalid
    assert page.rows == (Topology(name="fabric", levels=levels),)


def test_a_level_without_a_label_is_no_topology():
    page = GATHERER.objects([json.dumps({"metadata": {"name": "fabric"}, "spec": {"levels": [{}]}}).encode()])
    assert (page.rows, page.invalid) == ((), 1)
