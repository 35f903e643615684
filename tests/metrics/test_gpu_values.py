"""What a real Prometheus makes of GPUs: which of them did nothing, and what AMD's exporter tells in its own way."""

from collections.abc import Callable, Iterator, Mapping

import pytest
from metrics.conftest import AT, Open
from metrics.fake_source import AT_S
from metrics.prometheus_server import needed, started

from kubegap_checks.facts.metrics import GpuActivity, GpuErrors, GpuThrottling, Measured, NodeProfile
from kubegap_mcp.metrics.plan import plan
from kubegap_mcp.metrics.port import Answer
from kubegap_mcp.metrics.rows import Answered, rows
from tests.checks.build import facts, node, pod

_MINUTES = 180
Course = Callable[[int], float]
NODES = ("nv-1", "amd-1", "amd-2")
UTIL, ENGINE = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
TENSOR, DRAM = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE"
THERMAL, HOT = (f"gpu_violation_{name}_residency_percentage" for name in ("socket_thermal", "processor_hot"))


def flat(value: float) -> Course:
    return lambda _: value


def once(minute: int, value: float) -> Course:
    return lambda at: value if at == minute else 0


def nvidia(gpu: int, **more: str) -> dict[str, str]:
    return {"Hostname": "nv-1", "instance": "10.0.0.1:9400", "gpu": str(gpu), **more}


def amd(gpu: int, name: str = "amd-1", partition: str = "0", **more: str) -> dict[str, str]:
    return {"hostname": name, "instance": f"{name}:5000", "gpu_id": str(gpu), "gpu_partition_id": partition, **more}


def mig(gpu: int, part: int) -> dict[str, str]:
    return nvidia(gpu, GPU_I_ID=str(part), exported_namespace="ml", exported_pod=f"train-{part}")


SAMPLES: tuple[tuple[str, Mapping[str, str], Course], ...] = (
    (UTIL, nvidia(0), flat(0)),
    (ENGINE, nvidia(0), flat(0.97)),  # profiling tells what utilisation does not
    (UTIL, nvidia(1), flat(0)),
    (ENGINE, nvidia(1), flat(0)),
    (TENSOR, nvidia(1), flat(0)),
    (UTIL, nvidia(2), flat(0)),
    (ENGINE, mig(2, 1), flat(0.9)),
    (ENGINE, mig(2, 2), flat(0)),
    (UTIL, nvidia(3), flat(0)),
    (TENSOR, nvidia(3), once(100, 0.4)),  # for a minute within the window
    (UTIL, nvidia(4), flat(0)),
    (ENGINE, nvidia(4), once(30, 0.4)),  # before the window
    (UTIL, nvidia(5), flat(97)),
    (ENGINE, nvidia(5), flat(0)),  # profiling is paused
    (UTIL, nvidia(6), flat(0)),
    (DRAM, nvidia(6), flat(0.002)),
    (UTIL, nvidia(7), flat(20)),
    ("gpu_gfx_activity", amd(0), flat(0)),
    ("gpu_umc_activity", amd(0), flat(0)),
    ("gpu_gfx_activity", amd(1), flat(0)),
    ("gpu_gfx_busy_instantaneous", amd(1, xcc_index="3"), flat(60)),
    ("gpu_gfx_activity", amd(2), flat(0)),
    ("gpu_gfx_activity", amd(3, partition="1"), flat(0)),  # a partition, which has no activity of its own
    ("amd_gpu_gfx_activity", amd(0, "amd-2"), flat(0)),
    ("gpu_ecc_uncorrect_total", amd(0), lambda minute: float(minute > 100)),
    ("gpu_ecc_uncorrect_total", amd(1), flat(5)),
    ("amd_gpu_ecc_uncorrect_total", amd(7, "amd-2"), lambda minute: 3.0 * (minute > 100)),
    (THERMAL, amd(0), flat(25)),
    (THERMAL, amd(1), flat(0)),
    (HOT, amd(1), lambda minute: 100.0 if minute > 150 else 0),
    ("gpu_clock", amd(0, clock_type="system", clock_index="0"), flat(2100)),
    ("gpu_clock", amd(0, clock_type="system", clock_index="1"), flat(132)),
    ("gpu_clock", amd(1, clock_type="system", clock_index="0"), flat(1400)),
    ("gpu_clock", amd(1, clock_type="memory", clock_index="0"), flat(900)),
    ("gpu_junction_temperature", amd(0), flat(61)),
    ("gpu_junction_temperature", amd(1), flat(88)),
    ("gpu_package_power", amd(0), flat(700)),
    ("gpu_package_power", amd(1), flat(520)),
    ("gpu_package_power", amd(1, partition="1"), flat(0)),
)


def openmetrics() -> str:
    by_name: dict[str, list[str]] = {}
    for name, labels, course in SAMPLES:
        told = ",".join(f'{key}="{value}"' for key, value in labels.items())
        by_name.setdefault(name, [f"# TYPE {name} unknown"]).extend(
            f"{name}{{{told}}} {course(minute)} {AT_S + (minute - _MINUTES) * 60}" for minute in range(_MINUTES + 1)
        )
    return "\n".join((*(line for lines in by_name.values() for line in lines), "# EOF", ""))


@pytest.fixture(scope="module")
def gpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    needed()
    with started(openmetrics(), tmp_path_factory.mktemp("gpus")) as url:
        yield url


async def read(url: str, source: Open, record: type[Measured]) -> dict[tuple[str, str, str], float]:
    """The value by quantity, node and device."""
    prometheus = source(url)
    made = plan(record, await prometheus.names(deadline_s=10), "")
    answers = tuple([await prometheus.ask(query, at=AT, deadline_s=10) for query in made.queries])
    cluster = facts(*map(node, NODES), pod("train-2", "ml"))
    found = rows({record: Answered(plan=made, answers=answers)}, Answer(), cluster)[record]
    assert isinstance(found, tuple)
    return {(row.quantity, row.node, row.part): row.value for row in found if isinstance(row, Measured)}


async def test_a_gpu_that_any_series_saw_work_is_not_idle(gpus: str, source: Open) -> None:
    found = await read(gpus, source, GpuActivity)

    assert found == {
        ("gpu_busiest", "nv-1", "GPU 1"): 0,
        ("gpu_busiest", "nv-1", "GPU 2/2"): 0,  # one of the two parts of a GPU whose own utilisation is 0
        ("gpu_busiest", "nv-1", "GPU 4"): 0,
        ("gpu_busiest", "nv-1", "GPU 6"): 0,
        ("gpu_busiest", "nv-1", "GPU 7"): 20,
        ("gpu_busiest", "amd-1", "GPU 0"): 0,
        ("gpu_busiest", "amd-1", "GPU 2"): 0,
        ("gpu_busiest", "amd-2", "GPU 0"): 0,
    }


async def test_uncorrectable_errors_of_amd_with_and_without_a_prefix(gpus: str, source: Open) -> None:
    assert await read(gpus, source, GpuErrors) == {
        ("ecc_uncorrectable", "amd-1", "GPU 0"): pytest.approx(1, abs=0.02),
        ("ecc_uncorrectable", "amd-2", "GPU 7"): pytest.approx(3, abs=0.05),
    }


async def test_a_percentage_of_an_hour_is_told_in_minutes(gpus: str, source: Open) -> None:
    assert await read(gpus, source, GpuThrottling) == {
        ("hw_thermal", "amd-1", "GPU 0"): pytest.approx(15),
        ("hw_slowdown", "amd-1", "GPU 1"): pytest.approx(30, abs=1),
    }


async def test_the_profile_of_a_node_of_amds(gpus: str, source: Open) -> None:
    found = await read(gpus, source, NodeProfile)

    assert {(quantity): value for (quantity, name, _), value in found.items() if name == "amd-1"} == {
        "sm_clock": 1400,  # of a GPU the fastest chiplet, of a node the slowest GPU
        "gpu_temperature": 88,
        "gpu_power": 520,
        "gpu_utilisation": 0,
    }
