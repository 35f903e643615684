import pytest

from kubegap_checks.facts.metrics import Exported, GpuThrottling
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.rules.gpu_health.gpu_throttling import CHECK
from tests.checks.build import facts, node
from tests.checks.measured import exported, measured

H100 = {"nvidia.com/gpu.present": "true"}
GPUS = {"nvidia.com/gpu": 8}
WATCHED = exported("hw_slowdown", "gpu-1", "gpu-2")
NODES = (node("gpu-1", H100, GPUS), node("gpu-2", H100, GPUS))


def cluster(*rows: Record, nodes: tuple[Node, ...] = NODES, unread: tuple[type[Record], ...] = ()) -> Facts:
    return facts(*nodes, *rows, unread=unread)


def slowed(quantity: str, minutes: float, name: str = "gpu-1", part: str = "GPU 3") -> GpuThrottling:
    return measured(GpuThrottling, quantity, minutes, name, part)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(slowed("hw_thermal", 35), *WATCHED), "gap", id="hot for half an hour"),
        pytest.param(cluster(slowed("power_brake", 10), *WATCHED), "gap", id="braked for ten minutes"),
        pytest.param(cluster(slowed("hw_slowdown", 5), *WATCHED), "clear", id="a short event"),
        pytest.param(cluster(slowed("thermal_violation", 9.9), *WATCHED), "clear", id="hot for some minutes"),
        pytest.param(
            cluster(
                slowed("sw_thermal", 60), *WATCHED, nodes=(node("gpu-1", H100, GPUS, unschedulable=True), NODES[1])
            ),
            "clear",
            id="somebody has cordoned the node",
        ),
        pytest.param(
            cluster(slowed("sw_thermal", 60, "cpu-1"), *WATCHED, nodes=(*NODES, node("cpu-1"))),
            "clear",
            id="a node without accelerators",
        ),
        pytest.param(cluster(*WATCHED), "clear", id="nothing slows a GPU down"),
        pytest.param(cluster(*exported("hw_slowdown", "gpu-1")), "unknown", id="a node publishes no reasons"),
        pytest.param(cluster(*WATCHED, unread=(GpuThrottling,)), "unknown", id="throttling is unread"),
        pytest.param(cluster(unread=(Exported,)), "unknown", id="who publishes is unread"),
        pytest.param(cluster(slowed("sw_thermal", 60), unread=(Exported,)), "gap", id="heat shows anyway"),
        pytest.param(cluster(slowed("sw_thermal", 60), *WATCHED, unread=(Node,)), "unknown", id="nodes are unread"),
        pytest.param(cluster(slowed("sw_thermal", 60), *WATCHED, unread=(ResourceSlice,)), "gap", id="DRA is unread"),
        pytest.param(cluster(nodes=(node("cpu-1"),)), "not_applicable", id="no accelerators"),
    ],
)
def test_a_busy_gpu_that_is_slowed_down_for_long_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_each_gpu_is_one_finding_with_its_longest_times():
    rows = (slowed("hw_slowdown", 30), slowed("hw_slowdown", 25), slowed("hw_thermal", 28.57), slowed("sw_thermal", 5))

    [finding] = CHECK.run(cluster(*rows, *WATCHED)).findings

    assert (str(finding.subject), finding.key) == ("Node/gpu-1", "GPU 3")
    assert finding.evidence == {"metrics.hw_slowdown[GPU 3]": 30, "metrics.hw_thermal[GPU 3]": 28.6}
    assert "hardware slowdown: 30 (minutes of the last hour)" in finding.says.en


def test_an_owner_may_set_another_limit():
    assert CHECK.run(cluster(slowed("power_brake", 5), *WATCHED), {"throttled_power_brake": 5}).status == "gap"
