import pytest

from kubegap_checks.facts.metrics import Exported, GpuThrottling
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.rules.gpu_health.gpu_throttling import CHECK
from tests.checks.build import facts, node
from tests.checks.measured import exported, measured

H100 = {"nvidia.com/gpu.present": "true"}
GPUS = {"nvidia.com/gpu": 8}
NAMES = ("gpu-1", "gpu-2")
SEEN = ("power_brake", "hw_thermal", "sw_thermal", "hw_slowdown")
WATCHED = tuple(row for quantity in SEEN for row in exported(quantity, *NAMES))
AMD_NAMES = ("amd-1", "amd-2")
AMD = tuple(node(name, devices={"amd.com/gpu": 8}) for name in AMD_NAMES)
AMD_WATCHED = (*exported("hw_thermal", *AMD_NAMES), *exported("hw_slowdown", *AMD_NAMES))
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
        pytest.param(cluster(*WATCHED[1::2]), "unknown", id="a node publishes no reasons"),
        *(
            pytest.param(
                cluster(*(row for row in WATCHED if row.quantity != lacking)),
                "unknown",
                id=f"{lacking} is not published",
            )
            for lacking in SEEN
        ),
        pytest.param(
            cluster(*exported("thermal_violation", *NAMES)),
            "unknown",
            id="heat alone is seen, no brake and no slowdown",
        ),
        pytest.param(
            cluster(
                *exported("thermal_violation", *NAMES),
                *exported("power_brake", *NAMES),
                *exported("hw_slowdown", *NAMES),
            ),
            "clear",
            id="the time lost to heat stands for both kinds of it",
        ),
        pytest.param(
            cluster(slowed("thermal_violation", 35), *exported("thermal_violation", *NAMES)),
            "gap",
            id="heat shows where nothing else would",
        ),
        pytest.param(cluster(*AMD_WATCHED, nodes=AMD), "clear", id="AMD, which knows other reasons"),
        pytest.param(cluster(*AMD_WATCHED[:2], nodes=AMD), "unknown", id="AMD, of which heat alone is seen"),
        pytest.param(cluster(slowed("hw_thermal", 20, "amd-1"), *AMD_WATCHED, nodes=AMD), "gap", id="AMD is hot"),
        pytest.param(cluster(*WATCHED, *AMD_WATCHED, nodes=(*NODES, *AMD)), "clear", id="two vendors, each in full"),
        pytest.param(
            cluster(*AMD_WATCHED, nodes=(*NODES, *AMD)), "unknown", id="the other vendor's nodes tell nothing"
        ),
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
    assert list(finding.evidence.items()) == [("metrics.hw_thermal[GPU 3]", 28.6), ("metrics.hw_slowdown[GPU 3]", 30)]
    assert finding.says.en == (
        "GPU 3: hardware thermal slowdown: 28.57 (minutes of the last hour); "
        "hardware slowdown: 30 (minutes of the last hour)"
    )


def test_what_is_not_seen_is_told_with_the_series_that_would_show_it():
    given = cluster(*exported("thermal_violation", *NAMES), *AMD_WATCHED[:2], nodes=(*NODES, *AMD))

    told = {unread.what.en: unread.remedy.en for unread in CHECK.run(given).unread}

    assert told == {
        "hardware power brake, hardware slowdown on 2 nodes: gpu-1, gpu-2": "let the exporter of these nodes publish "
        "DCGM_FI_DEV_CLOCKS_EVENT_REASONS as well",
        "hardware slowdown on 2 nodes: amd-1, amd-2": "let the exporter of these nodes publish "
        "gpu_violation_processor_hot_residency_percentage as well",
    }


def test_an_owner_may_set_another_limit():
    assert CHECK.run(cluster(slowed("power_brake", 5), *WATCHED), {"throttled_power_brake": 5}).status == "gap"
