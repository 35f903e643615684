from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.metrics import Exported, LinkErrors
from kubegap_checks.facts.nodes import Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.ib_health.link_errors_rising import CHECK
from tests.checks.build import READ_AT, facts, forbidden, node, ready
from tests.checks.measured import exported, measured

H100 = {"nvidia.com/gpu.present": "true"}
FABRIC = {"nvidia.com/gpu": 8, "rdma/ib": 8}
WATCHED = exported("link_downed", "gpu-1", "gpu-2")
TIMELESS = replace(ready(), since=None)
NODES = (node("gpu-1", H100, FABRIC), node("gpu-2", H100, FABRIC))


def cluster(*rows: Record, nodes: tuple[Node, ...] = NODES, unread: tuple[type[Record], ...] = ()) -> Facts:
    return facts(*nodes, *rows, unread=unread)


def errors(quantity: str, value: float, name: str = "gpu-1", part: str = "mlx5_3/1") -> LinkErrors:
    return measured(LinkErrors, quantity, value, name, part)


def back_since(hours: float) -> tuple[Node, ...]:
    """The first node became ready that many hours ago."""
    return (node("gpu-1", H100, FABRIC, conditions=(ready(since=READ_AT - timedelta(hours=hours)),)), NODES[1])


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(errors("link_downed", 14), *WATCHED), "gap", id="a port flaps"),
        pytest.param(cluster(errors("link_downed", 1), *WATCHED), "gap", id="a port lost its link once"),
        pytest.param(
            cluster(errors("link_downed", 4), *WATCHED, nodes=back_since(5)),
            "clear",
            id="a port lost its link while its node was rebooted",
        ),
        pytest.param(
            cluster(errors("link_downed", 4), *WATCHED, nodes=back_since(6)),
            "gap",
            id="the reboot was before the window",
        ),
        pytest.param(
            cluster(errors("link_downed", 4), *WATCHED, nodes=(node("gpu-1", H100, FABRIC, conditions=()), NODES[1])),
            "gap",
            id="nothing tells since when the node is up",
        ),
        pytest.param(
            cluster(errors("link_downed", 5), *WATCHED, nodes=back_since(5)),
            "gap",
            id="more often than a reboot explains",
        ),
        pytest.param(cluster(errors("symbol_error", 119), *WATCHED), "clear", id="symbol errors as PAM4 links have"),
        pytest.param(cluster(errors("symbol_error", 120), *WATCHED), "gap", id="symbol errors above a working link's"),
        pytest.param(
            cluster(errors("link_downed", 4), *WATCHED, nodes=(node("gpu-1", H100, FABRIC, conditions=(TIMELESS,)),)),
            "gap",
            id="an agent that keeps no times says that the node is ready",
        ),
        pytest.param(
            cluster(errors("ack_timeout", 2), *WATCHED, nodes=back_since(5)),
            "gap",
            id="few errors that no reboot explains",
        ),
        pytest.param(
            cluster(errors("symbol_error", 500), *WATCHED, nodes=back_since(5)),
            "gap",
            id="errors that no reboot explains",
        ),
        pytest.param(cluster(errors("ack_timeout", 0.5), *WATCHED), "clear", id="an acknowledgement late now and then"),
        pytest.param(
            cluster(errors("link_downed", 9, "cpu-1"), *WATCHED, nodes=(*NODES, node("cpu-1"))),
            "clear",
            id="a node without accelerators",
        ),
        pytest.param(cluster(*WATCHED), "clear", id="no counter rose"),
        pytest.param(
            cluster(*exported("port_receive_errors", "gpu-1", "gpu-2")), "clear", id="one counter of the group will do"
        ),
        pytest.param(cluster(*exported("link_downed", "gpu-1")), "unknown", id="a node publishes no counters"),
        pytest.param(cluster(*exported("sm_clock", "gpu-1", "gpu-2")), "unknown", id="only another exporter is there"),
        pytest.param(cluster(*WATCHED, unread=(LinkErrors,)), "unknown", id="counters are unread"),
        pytest.param(cluster(unread=(Exported,)), "unknown", id="who publishes is unread"),
        pytest.param(
            cluster(errors("link_downed", 14), unread=(Exported,)), "gap", id="a flap shows whatever else is unread"
        ),
        pytest.param(cluster(errors("link_downed", 14), *WATCHED, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(
            cluster(errors("link_downed", 14), *WATCHED, unread=(NodeFeature, ResourceSlice)),
            "gap",
            id="the bus and DRA are unread",
        ),
        pytest.param(
            cluster(nodes=(node("gpu-1", H100, {"nvidia.com/gpu": 8}),)),
            "not_applicable",
            id="nothing tells of a fabric",
        ),
    ],
)
def test_counters_that_rise_are_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_what_could_be_read_of_the_counters_is_used():
    rows = Partial((errors("link_downed", 14),), (forbidden(LinkErrors),))

    verdict = CHECK.run(cluster(*WATCHED).but(LinkErrors, rows))

    assert (verdict.status, verdict.unread) == ("gap", (forbidden(LinkErrors),))


def test_each_port_is_one_finding_with_all_its_counters():
    rows = (errors("link_downed", 14), errors("symbol_error", 300), errors("port_receive_errors", 40, part="mlx5_5/1"))

    flapping, noisy = CHECK.run(cluster(*rows, *WATCHED)).findings

    assert (str(flapping.subject), flapping.key, flapping.severity) == ("Node/gpu-1", "mlx5_3/1", Severity.HIGH)
    assert flapping.confidence is Confidence.LIKELY
    assert flapping.evidence == {"metrics.link_downed[mlx5_3/1]": 14, "metrics.symbol_error[mlx5_3/1]": 300}
    assert flapping.says.en.startswith(
        "port mlx5_3/1: times that a port lost its link: about 14 (events in the window); "
    )
    assert (noisy.key, noisy.severity) == ("mlx5_5/1", Severity.MEDIUM)


def test_an_owner_may_set_another_limit():
    given = cluster(errors("symbol_error", 119), *WATCHED)
    assert CHECK.run(given, {"link_error_symbol_error": 100}).status == "gap"


def test_a_cause_is_told_before_what_it_leads_to_and_counts_as_whole_numbers():
    rows = (errors("link_error_recovery", 6.54), errors("symbol_error", 300.5), errors("link_downed", 30.4))

    [finding] = CHECK.run(cluster(*rows, *WATCHED)).findings

    assert finding.says.en == (
        "port mlx5_3/1: times that a port lost its link: about 30 (events in the window); "
        "link error recoveries: 6.54 (per minute); symbol errors: 300.5 (per hour)"
    )
    assert finding.says.ko.startswith("포트 mlx5_3/1: 포트의 링크가 끊긴 횟수: 약 30 (기간 중 횟수); ")
    assert list(finding.evidence.items()) == [
        ("metrics.link_downed[mlx5_3/1]", 30),
        ("metrics.link_error_recovery[mlx5_3/1]", 6.54),
        ("metrics.symbol_error[mlx5_3/1]", 300.5),
    ]
