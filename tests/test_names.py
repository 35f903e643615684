"""A wrong name is answered with those that it is like, or with what there is: never with what merely shares letters."""

import time

import pytest

from kubegap_mcp.names import near, nearest

KNOWN = ("tokens_per_second", "DCGM_FI_DEV_GPU_UTIL", "aggregator_discovery_total", "node_boot_grace", "up", "zz")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("tokens_per_secnd", ["tokens_per_second"]),
        ("dcgm_fi_dev_gpu_util", ["DCGM_FI_DEV_GPU_UTIL"]),
        ("node_boot_grac", ["node_boot_grace"]),
        ("aggregated_tokens", []),
        ("throughput", []),
        ("", []),
        ("x" * 5000, []),
    ],
)
def test_the_nearest_are_those_that_may_have_been_meant(wanted: str, found: list[str]):
    assert nearest(wanted, KNOWN) == found


def test_what_is_like_nothing_is_answered_with_what_there_is():
    assert near("throughput", KNOWN).en == (
        "try one of tokens_per_second, DCGM_FI_DEV_GPU_UTIL, aggregator_discovery_total, node_boot_grace, up"
    )
    assert near("node_boot_grac", KNOWN).ko == "비슷한 것 중에서 고른다: node_boot_grace"


def test_twenty_thousand_names_are_looked_through_in_no_time():
    names = [f"node_{at % 7}_container_{at}_bytes_total" for at in range(20_000)]
    started = time.monotonic()
    nearest("container_memory_bytes_total", names)
    assert time.monotonic() - started < 3
