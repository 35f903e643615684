from datetime import timedelta

import pytest

from kubegap_checks.facts.metrics import Exported, LinkRates
from kubegap_checks.facts.nodes import Condition, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.model import Severity
from kubegap_checks.rules.ib_health.link_rate_degraded import CHECK
from tests.checks.build import READ_AT, damaged, facts, node, ready
from tests.checks.measured import exported, measured

DELL = {
    "nvidia.com/gpu.present": "true",
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    "nvidia.com/gpu.machine": "PowerEdge-XE9680",
}
HPE = DELL | {"nvidia.com/gpu.machine": "ProLiant-XD685"}
FABRIC = {"nvidia.com/gpu": 8, "rdma/ib": 8}
NAMES = tuple(f"gpu-{place}" for place in range(1, 6))
NODES = tuple(node(name, DELL, FABRIC) for name in NAMES)
WATCHED = exported("link_rate", *NAMES)
NDR, HDR, SDR = 400, 200, 10


def port(name: str, gbit: int, part: str = "mlx5_0/1", quantity: str = "link_rate") -> LinkRates:
    return measured(LinkRates, quantity, gbit * 125e6, name, part)


def down(name: str, part: str = "mlx5_0/1") -> tuple[LinkRates, ...]:
    """A port without a link, which names the least speed that it knows."""
    return port(name, SDR, part), measured(LinkRates, "link_state_down", 1, name, part)


def others(gbit: int = NDR, part: str = "mlx5_0/1", names: tuple[str, ...] = NAMES[1:]) -> tuple[LinkRates, ...]:
    return tuple(port(name, gbit, part) for name in names)


def before(name: str, gbit: int, part: str = "mlx5_0/1") -> LinkRates:
    return port(name, gbit, part, "link_rate_before")


def cluster(*rows: Record, nodes: tuple[Node, ...] = NODES, unread: tuple[type[Record], ...] = ()) -> Facts:
    return facts(*nodes, *rows, *WATCHED, unread=unread)


SLOW = (port("gpu-1", HDR), *others())


def first(**fields: object) -> tuple[Node, ...]:
    """The first node with other fields."""
    return (node("gpu-1", DELL, FABRIC, **fields), *NODES[1:])


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(*SLOW), "gap", id="slower than the same port elsewhere"),
        pytest.param(cluster(*down("gpu-1"), *others()), "gap", id="no link where the others have one"),
        pytest.param(cluster(port("gpu-1", HDR), before("gpu-1", NDR)), "gap", id="slower than it was"),
        pytest.param(cluster(*down("gpu-1"), before("gpu-1", NDR)), "gap", id="lost its link, and nobody to compare"),
        pytest.param(
            cluster(port("gpu-1", HDR), before("gpu-1", NDR), *others(HDR)),
            "clear",
            id="all like ports were slowed down",
        ),
        pytest.param(cluster(before("gpu-1", NDR), *down("gpu-1")), "gap", id="the same, told in another order"),
        pytest.param(cluster(*down("gpu-1")), "clear", id="no link, and no past"),
        pytest.param(cluster(port("gpu-1", NDR), *others()), "clear", id="all alike"),
        pytest.param(
            cluster(port("gpu-1", NDR), port("gpu-1", 100, "mlx5_7/1"), *others()),
            "clear",
            id="a port that no other node has",
        ),
        pytest.param(cluster(port("gpu-1", NDR), *others(HDR)), "clear", id="faster than the others"),
        pytest.param(
            cluster(port("gpu-1", NDR), *others(), *others(100, "mlx5_bond_0/1", NAMES)),
            "clear",
            id="storage adapters of another speed",
        ),
        pytest.param(
            cluster(*(row for name in NAMES for row in (*down(name, "mlx5_9/1"), port(name, NDR)))),
            "clear",
            id="a port that nobody uses",
        ),
        pytest.param(
            cluster(*SLOW, nodes=(node("gpu-1", HPE, FABRIC), *NODES[1:])), "clear", id="another machine type"
        ),
        pytest.param(
            cluster(*SLOW, nodes=tuple(node(name, {"nvidia.com/gpu.present": "true"}, FABRIC) for name in NAMES)),
            "clear",
            id="nothing tells whether the nodes are alike",
        ),
        pytest.param(
            cluster(port("gpu-1", HDR), port("gpu-2", HDR), *others(names=NAMES[2:])), "clear", id="HDR beside NDR"
        ),
        pytest.param(
            cluster(port("gpu-1", HDR), *others(names=NAMES[1:3])), "clear", id="too few nodes to tell what is usual"
        ),
        pytest.param(
            cluster(
                port("gpu-1", 100),
                port("gpu-1", NDR, "mlx5_1/1"),
                *others(),
                *others(100, "mlx5_1/1"),
            ),
            "clear",
            id="adapters with other numbers",
        ),
        pytest.param(cluster(*SLOW, nodes=first(unschedulable=True)), "clear", id="somebody has cordoned the node"),
        pytest.param(
            cluster(*SLOW, nodes=first(conditions=(ready(since=READ_AT - timedelta(minutes=10)),))),
            "clear",
            id="the node has just come back",
        ),
        pytest.param(
            cluster(*SLOW, nodes=first(conditions=(ready(since=READ_AT - timedelta(minutes=11)),))),
            "gap",
            id="the node has been back for a while",
        ),
        pytest.param(
            cluster(*SLOW, nodes=first(conditions=(Condition(type="Ready", status="True"),))),
            "gap",
            id="nothing tells since when the node is ready",
        ),
        pytest.param(cluster(*SLOW, nodes=first(conditions=(ready("False"),))), "clear", id="the node is not ready"),
        pytest.param(cluster(*SLOW, nodes=first(conditions=())), "clear", id="nothing tells that the node is ready"),
        pytest.param(
            facts(*NODES, *SLOW[1:], *exported("link_rate", *NAMES[1:])), "unknown", id="a node publishes no speeds"
        ),
        pytest.param(
            facts(*NODES, *exported("link_state_down", *NAMES)), "unknown", id="the speed is essential, not the state"
        ),
        pytest.param(cluster(*SLOW, unread=(LinkRates,)), "unknown", id="speeds are unread"),
        pytest.param(cluster(*others(), unread=(Exported,)), "unknown", id="who publishes is unread"),
        pytest.param(cluster(*SLOW, unread=(Exported,)), "gap", id="a slow port shows whatever else is unread"),
        pytest.param(cluster(*SLOW, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(cluster(*SLOW, unread=(NodeFeature,)), "gap", id="the bus is unread"),
        pytest.param(cluster(*SLOW, unread=(ResourceSlice,)), "unknown", id="nodes that only DRA tells of are unread"),
        pytest.param(
            cluster(*SLOW).but(Node, Partial(NODES, (damaged(Node),))),
            "unknown",
            id="another node makes no sense",
        ),
        pytest.param(
            facts(node("gpu-1", DELL, {"nvidia.com/gpu": 8})), "not_applicable", id="nothing tells of a fabric"
        ),
    ],
)
def test_a_port_below_its_speed_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_a_finding_names_the_port_and_what_it_is_compared_with():
    slow, dark, fallen = (
        CHECK.run(cluster(*rows)).findings[0]
        for rows in (SLOW, (*down("gpu-1"), *others()), (port("gpu-1", HDR), before("gpu-1", NDR)))
    )

    assert (str(slow.subject), slow.key, slow.severity) == ("Node/gpu-1", "mlx5_0/1", Severity.MEDIUM)
    assert slow.says.en == "port mlx5_0/1 runs at 200 Gb/s, where 4 of 4 like nodes have 400 Gb/s"
    assert slow.evidence == {
        "metrics.link_rate[mlx5_0/1] (Gb/s)": 200,
        "peers.metrics.link_rate[mlx5_0/1] (Gb/s)": 400,
    }
    assert (dark.severity, dark.says.en) == (
        Severity.HIGH,
        "port mlx5_0/1 has no link, where 4 of 4 like nodes have 400 Gb/s",
    )
    assert fallen.says.en == "port mlx5_0/1 runs at 200 Gb/s, where it had 400 Gb/s within the last 6 hours"
    assert fallen.evidence["before.metrics.link_rate[mlx5_0/1] (Gb/s)"] == 400


def test_an_owner_may_ask_for_fewer_like_nodes():
    given = cluster(port("gpu-1", HDR), port("gpu-2", HDR), *others(names=NAMES[2:]))
    assert len(CHECK.run(given, {"link_rate_peers": 60}).findings) == 2


def test_only_the_slow_port_of_a_node_is_named():
    second = "mlx5_1/1"
    given = cluster(*SLOW, port("gpu-1", NDR, second), *others(NDR, second))

    assert [finding.key for finding in CHECK.run(given).findings] == ["mlx5_0/1"]
