from collections.abc import Mapping
from datetime import timedelta

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.metrics import DiskLatency, Exported, TierReads
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.facts.storage import Claim, Volume
from kubegap_checks.model import Confidence, Finding, Severity
from kubegap_checks.rules.storage_tiering.disk_read_latency_spike import CHECK
from tests.checks.build import READ_AT, claim, container, facts, pod, volume, weka
from tests.checks.measured import exported, measured

STEPS = 37  # six hours in steps of ten minutes
BEGIN = READ_AT.timestamp() - (STEPS - 1) * 600
MS = 0.001

DATA = PodVolume(name="data", form="claim", claim="data", attributes={})
TRAINER = container(mounts=(Mount(volume="data", path="/data"),), limits={"nvidia.com/gpu": 8})


def worker(rank: int, node: str = "", **fields: object) -> Pod:
    made = {"containers": (TRAINER,), "volumes": (DATA,), "resources": {"nvidia.com/gpu": 8}, **fields}
    return pod(f"train-{rank}", node=node or f"gpu-{rank}", **made)


WORKERS = tuple(worker(rank) for rank in range(4))
NODES = tuple(f"gpu-{rank}" for rank in range(4))
LOCAL = (claim(), volume(driver="ebs.csi.aws.com"))
WEKA = (claim(), volume(driver="csi.weka.io", filesystem="llm"), weka(has_tiered_filesystems=True))


def course(usual: float, high: Mapping[int, float]) -> tuple[tuple[float, float], ...]:
    """The usual value, but for these steps, counted from the last one backwards."""
    return tuple((BEGIN + 600 * step, high.get(STEPS - 1 - step, usual)) for step in range(STEPS))


def disk(quantity: str, node: str, usual: float, high: Mapping[int, float]) -> DiskLatency:
    points = course(usual, high)
    return measured(DiskLatency, quantity, points[-1][1], node, points=points)


def latency(node: str = "gpu-0", usual: float = 0.4, high: Mapping[int, float] | None = None) -> DiskLatency:
    """In milliseconds."""
    spikes = {step: value * MS for step, value in (high or {}).items()}
    return disk("disk_read_latency", node, usual * MS, spikes)


def writes(node: str = "gpu-0", usual: float = 5, high: Mapping[int, float] | None = None) -> DiskLatency:
    """In MB/s."""
    return disk("disk_writes", node, usual * 1e6, {step: value * 1e6 for step, value in (high or {}).items()})


def filesystem(high: Mapping[int, float], name: str = "llm", **labels: str) -> TierReads:
    points = course(0.5 * MS, {step: value * MS for step, value in high.items()})
    kept = {"fs_name": name, **labels}
    return measured(TierReads, "filesystem_read_latency", points[-1][1], labels=kept, points=points)


QUIET = tuple(row for node in NODES for row in (latency(node), writes(node)))
FEW = QUIET[:6]  # of three nodes
SPIKES = {3: 16.0, 12: 16.0, 13: 8.2, 25: 16.0}
SEEN = exported("disk_read_latency", *NODES)


def cluster(
    *rows: Record,
    quiet: tuple[DiskLatency, ...] = QUIET,
    pods: tuple[Pod, ...] = WORKERS,
    storage: tuple[Record, ...] = LOCAL,
    seen: tuple[Exported, ...] = SEEN,
    unread: tuple[type[Record], ...] = (),
) -> Facts:
    """The rows stand in the place of quiet ones of the same node and quantity."""
    given = [row for row in rows if isinstance(row, DiskLatency)]
    replaced = {(row.node, row.quantity) for row in given}
    kept = [row for row in quiet if (row.node, row.quantity) not in replaced]
    return facts(*pods, *storage, *seen, *kept, *rows, unread=unread)


def spiking(high: Mapping[int, float], usual: float = 0.4) -> Facts:
    return cluster(latency(high=high, usual=usual))


def started(minutes: float, rank: int = 0) -> tuple[Pod, ...]:
    """One pod was made so many minutes ago."""
    return tuple(
        worker(each, created=READ_AT - timedelta(minutes=minutes)) if each == rank else WORKERS[each]
        for each in range(4)
    )


ALL_YOUNG = tuple(worker(rank, created=READ_AT - timedelta(minutes=60)) for rank in range(4))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(spiking(SPIKES), "gap", id="reads take forty times longer, again and again"),
        pytest.param(spiking({3: 16, 12: 16, 25: 16}), "gap", id="half an hour in all"),
        pytest.param(spiking({3: 16, 12: 16}), "clear", id="twenty minutes in all"),
        pytest.param(spiking(dict.fromkeys((3, 12, 25), 5.0)), "gap", id="just slow enough"),
        pytest.param(spiking(dict.fromkeys((3, 12, 25), 4.9)), "clear", id="many times longer, and fast all the same"),
        pytest.param(
            cluster(latency(high=dict.fromkeys((3, 12, 25), 15), usual=3), quiet=FEW), "gap", id="five times the usual"
        ),
        pytest.param(
            cluster(latency(high=dict.fromkeys((3, 12, 25), 14.9), usual=3), quiet=FEW),
            "clear",
            id="not quite five times the usual",
        ),
        pytest.param(cluster(), "clear", id="quiet disks"),
        pytest.param(
            cluster(latency(high=SPIKES), pods=started(60)), "clear", id="images are pulled and the first data is read"
        ),
        pytest.param(
            cluster(latency(high={0: 16, 1: 16, 2: 16}), pods=started(50)), "gap", id="just after the warm-up"
        ),
        pytest.param(cluster(latency(high={0: 16, 1: 16, 2: 16}), pods=started(49)), "clear", id="the warm-up"),
        pytest.param(cluster(latency(high=SPIKES), pods=started(60, rank=1)), "gap", id="another pod is young"),
        pytest.param(
            cluster(latency(high=SPIKES), pods=(worker(0, created=None), *WORKERS[1:])), "gap", id="a pod of no age"
        ),
        pytest.param(
            cluster(latency(high=SPIKES), writes(high=dict.fromkeys(SPIKES, 900.0))),
            "clear",
            id="checkpoints are written",
        ),
        pytest.param(
            cluster(latency(high=SPIKES), writes(high=dict.fromkeys(SPIKES, 100.0))),
            "clear",
            id="writes just make a burst",
        ),
        pytest.param(cluster(latency(high=SPIKES), writes(high=dict.fromkeys(SPIKES, 99.0))), "gap", id="a few writes"),
        pytest.param(cluster(latency(high=SPIKES), writes(usual=400)), "gap", id="as much is written as always"),
        pytest.param(
            cluster(latency(high=SPIKES), writes(high={5: 900, 6: 900})), "gap", id="checkpoints at other times"
        ),
        pytest.param(cluster(latency(usual=20)), "gap", id="a disk that is slow all the time, unlike its peers"),
        pytest.param(cluster(latency(usual=20), quiet=FEW), "clear", id="a slow disk with too few peers to say so"),
        pytest.param(
            cluster(*(latency(node, usual=20) for node in NODES)), "clear", id="all disks are slow all the time"
        ),
        pytest.param(
            cluster(latency("idle", high=SPIKES), seen=exported("disk_read_latency", *NODES, "idle")),
            "clear",
            id="a node without training, at its backup",
        ),
        pytest.param(cluster(quiet=QUIET[2:]), "clear", id="too few reads to tell"),
        pytest.param(cluster(seen=exported("disk_read_latency", *NODES[1:])), "unknown", id="a node tells nothing"),
        pytest.param(cluster(seen=exported("disk_writes", *NODES)), "unknown", id="only writes are told"),
        pytest.param(cluster(pods=(*WORKERS, worker(4, node=" ")), seen=SEEN), "unknown", id="a node that is new"),
        pytest.param(cluster(pods=(*WORKERS, replace(WORKERS[0], node=""))), "clear", id="a pod that is not placed"),
        pytest.param(cluster(filesystem(SPIKES), storage=WEKA), "gap", id="reads of the filesystem are slow"),
        pytest.param(cluster(filesystem({}), storage=WEKA), "clear", id="reads of the filesystem are fast"),
        pytest.param(
            cluster(filesystem({3: 16, 12: 16}), storage=WEKA), "clear", id="the filesystem is slow for a moment"
        ),
        pytest.param(cluster(filesystem(SPIKES, name="home"), storage=WEKA), "clear", id="reads of another filesystem"),
        pytest.param(cluster(filesystem(SPIKES)), "clear", id="reads of a filesystem that no run mounts"),
        pytest.param(cluster(storage=WEKA), "clear", id="no exporter tells of the filesystem's reads"),
        pytest.param(cluster(filesystem(SPIKES), storage=WEKA, pods=ALL_YOUNG), "clear", id="the first reads of a run"),
        pytest.param(cluster(storage=WEKA, unread=(TierReads,)), "unknown", id="the filesystem's reads are unread"),
        pytest.param(cluster(unread=(TierReads,)), "clear", id="no filesystem needs to be asked"),
        pytest.param(cluster(storage=(claim(),), unread=(Volume,)), "unknown", id="volumes are unread"),
        pytest.param(cluster(storage=(), unread=(Claim,)), "unknown", id="claims are unread"),
        pytest.param(
            cluster(latency(high=SPIKES), unread=(Exported,)), "gap", id="spikes show whatever else is unread"
        ),
        pytest.param(cluster(unread=(DiskLatency,)), "unknown", id="latency is unread"),
        pytest.param(cluster(latency(high=SPIKES), unread=(Pod,)), "unknown", id="pods are unread"),
        pytest.param(
            cluster(pods=(pod(run=Run(kind="Deployment", namespace="ml", name="serve")),)),
            "not_applicable",
            id="nothing trains",
        ),
    ],
)
def test_reads_that_take_many_times_longer_are_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def found(*rows: Record, **given: tuple[Record, ...]) -> tuple[Finding, ...]:
    return CHECK.run(cluster(*rows, **given)).findings  # type: ignore[arg-type]


def test_a_spike_tells_how_slow_since_when_and_for_how_long():
    (finding,) = found(latency(high=SPIKES))

    assert (str(finding.subject), finding.key) == ("Node/gpu-0", "")
    assert finding.says.en == "a read took up to 16 ms instead of 0.4 ms, for 40 minutes of the last 6 hours"
    assert finding.evidence == {"metrics.disk_read_latency": 0.016}
    assert finding.since == "2026-11-29T07:50:00Z"
    assert (finding.severity, finding.confidence) == (Severity.MEDIUM, Confidence.LIKELY)


def test_on_half_of_the_nodes_it_is_high():
    both = found(latency("gpu-0", high=SPIKES), latency("gpu-1", high=SPIKES))
    assert [(str(one.subject), one.severity) for one in both] == [
        ("Node/gpu-0", Severity.HIGH),
        ("Node/gpu-1", Severity.HIGH),
    ]


def test_on_fewer_nodes_it_is_medium():
    pods = tuple(worker(rank) for rank in range(5))
    rows = (latency("gpu-0", high=SPIKES), latency("gpu-1", high=SPIKES))
    assert {one.severity for one in found(*rows, pods=pods)} == {Severity.MEDIUM}


def test_on_the_only_node_of_a_run_it_is_medium():
    (finding,) = found(latency(high=SPIKES), pods=WORKERS[:1])
    assert finding.severity is Severity.MEDIUM


def test_where_writes_are_not_told_it_is_a_hint():
    (finding,) = found(latency(high=SPIKES), quiet=tuple(row for row in QUIET if row.quantity != "disk_writes"))
    assert finding.confidence is Confidence.HINT


def test_a_node_of_two_runs_is_one_finding():
    other = worker(9, node="gpu-0", run=Run(kind="PyTorchJob", namespace="ml", name="other"))
    assert len(found(latency(high=SPIKES), pods=(*WORKERS, other))) == 1


def test_a_slow_disk_is_compared_with_its_peers():
    (finding,) = found(latency(usual=20))
    assert "took up to 20 ms instead of 0.4 ms, for 370 minutes" in finding.says.en


def test_a_slow_filesystem_is_the_runs():
    (finding,) = found(filesystem(SPIKES), storage=WEKA)

    assert (str(finding.subject), finding.key) == ("PyTorchJob/ml/train", "WekaFS llm")
    assert finding.says.en.startswith("a read from WekaFS llm took up to 16 ms instead of 0.5 ms, for 40 minutes")
    assert finding.evidence == {"metrics.filesystem_read_latency": 0.016}
    assert (finding.severity, finding.confidence) == (Severity.HIGH, Confidence.LIKELY)


def test_an_owner_may_set_other_limits():
    given = spiking({3: 4, 12: 4})
    assert CHECK.run(given, {"disk_read_floor": 2, "disk_read_minutes": 20}).status == "gap"
