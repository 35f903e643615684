import json

import pytest

from kubegap_checks.facts.queues import (
    ClusterQueue,
    NodeResourceTopology,
    NumaZone,
    Quota,
    ResourceFlavor,
)
from kubegap_mcp.kube.gather.registry import gatherers


def one(kind, **parts):
    page = gatherers()[kind].objects([json.dumps({"metadata": {"name": "x"}, **parts}).encode()])
    assert len(page.rows) + page.invalid == 1
    return next(iter(page.rows), None)


def groups(quota):
    resources = [{"name": "cpu", "nominalQuota": "1500m"}, {"name": "nvidia.com/gpu", "nominalQuota": quota}]
    return [{"coveredResources": ["cpu", "nvidia.com/gpu"], "flavors": [{"name": "h100", "resources": resources}]}]


@pytest.mark.parametrize(
    ("spec", "cohort", "checked"),
    [
        pytest.param({"cohortName": "all"}, "all", False, id="v1beta2"),
        pytest.param({"cohort": "all"}, "all", False, id="v1beta1"),
        pytest.param({"admissionChecks": ["prov"]}, "", True, id="checks of v1beta1"),
        pytest.param({"admissionChecksStrategy": {"admissionChecks": [{"name": "prov"}]}}, "", True, id="checks"),
    ],
)
def test_a_queue_of_either_version_is_understood(spec, cohort, checked):
    row = one(ClusterQueue, spec={"resourceGroups": groups("16"), **spec})

    assert (row.cohort, row.checked, row.stopped) == (cohort, checked, False)
    assert row.quotas == (Quota(flavor="h100", resource="nvidia.com/gpu", nominal=16),)


@pytest.mark.parametrize(
    ("policy", "stopped"),
    [
        pytest.param("None", False, id="no"),
        pytest.param("Hold", True, id="hold"),
        pytest.param(None, False, id="unset"),
    ],
)
def test_a_queue_says_whether_it_is_stopped(policy, stopped):
    assert one(ClusterQueue, spec={"stopPolicy": policy}).stopped is stopped


def test_a_quota_that_is_no_number_is_lost():
    assert one(ClusterQueue, spec={"resourceGroups": groups("many")}) is None


def test_a_flavor_stands_for_nodes_with_its_labels():
    row = one(ResourceFlavor, spec={"nodeLabels": {"pool": "h100"}, "topologyName": "fabric"})

    assert (row.node_labels, row.topology) == ({"pool": "h100"}, "fabric")


@pytest.mark.parametrize(
    ("parts", "single"),
    [
        pytest.param({"attributes": [{"name": "topologyManagerPolicy", "value": "single-numa-node"}]}, True, id="now"),
        pytest.param({"attributes": [{"name": "topologyManagerPolicy", "value": "restricted"}]}, False, id="another"),
        pytest.param({"topologyPolicies": ["SingleNUMANodePodLevel"]}, True, id="as it was written before"),
        pytest.param({"topologyPolicies": ["None"]}, False, id="none"),
        pytest.param({}, False, id="nothing"),
    ],
)
def test_a_topology_says_whether_one_zone_must_hold_all(parts, single):
    assert one(NodeResourceTopology, **parts).single is single


def test_the_zones_are_those_of_memory_and_count_devices():
    zones = [
        {"name": "node-0", "type": "Node", "resources": [{"name": "nvidia.com/gpu", "available": "2"}]},
        {"name": "node-1", "type": "Node", "resources": [{"name": "cpu", "available": "90500m"}]},
        {"name": "core-3", "type": "Core", "resources": [{"name": "nvidia.com/gpu", "available": "9"}]},
    ]
    assert one(NodeResourceTopology, zones=zones).zones == (
        NumaZone(name="node-0", available={"nvidia.com/gpu": 2}),
        NumaZone(name="node-1", available={}),
    )


def test_a_zone_that_offers_no_number_is_lost():
    zones = [{"name": "node-0", "type": "Node", "resources": [{"name": "nvidia.com/gpu", "available": "few"}]}]
    assert one(NodeResourceTopology, zones=zones) is None
