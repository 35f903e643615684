"""Moments that objects tell: what was made together is one, and each is named by the object that tells it."""

from datetime import timedelta

from checks.build import LONG_AGO, READ_AT, node, pod, ready

from kubegap_checks.facts.nodes import Taint
from kubegap_checks.throughput.happenings import happenings

LATER = READ_AT - timedelta(hours=2)


def test_pods_that_were_made_together_are_one_happening_and_a_later_one_is_another():
    pods = [pod("t-1", created=LONG_AGO), pod("t-0", created=LONG_AGO), pod("t-2", created=LATER)]
    made = [(one.name, one.subject, one.times) for one in happenings(pods, ())]
    assert made == [
        ("pod_created", "Pod/ml/t-0 +1", (LONG_AGO.timestamp(),)),
        ("pod_created", "Pod/ml/t-2", (LATER.timestamp(),)),
    ]


def test_a_node_tells_its_conditions_taints_and_its_own_beginning():
    told = node(
        "gpu-1",
        conditions=(ready("False", since=LATER),),
        taints=(Taint(key="node.kubernetes.io/not-ready", added=LATER), Taint(key="nvidia.com/gpu")),
    )
    assert [(one.name, one.subject, one.times[0]) for one in happenings((), [told])] == [
        ("node_condition_changed", "Node/gpu-1 Ready", LATER.timestamp()),
        ("node_tainted", "Node/gpu-1 node.kubernetes.io/not-ready", LATER.timestamp()),
        ("node_joined", "Node/gpu-1", LONG_AGO.timestamp()),
    ]


def test_what_has_no_time_tells_nothing():
    assert not list(happenings([pod(created=None)], [node(created=None, conditions=())]))
