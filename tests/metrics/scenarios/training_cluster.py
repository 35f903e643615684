"""A cluster of 48 GPU nodes that trains on 46 of them: its objects, and what its exporters say on two quiet days.

Of each node's eight GPUs and ports, exporters show two here: a quarter of the samples tells the same stories.
gpu-46 is an idle spare, gpu-47 is cordoned for repair.
"""

from collections.abc import Iterable
from typing import Final

from tests.metrics.scenarios.samples import Samples, rising
from tests.whole_clusters.objects import Object
from tests.whole_clusters.parts import storage
from tests.whole_clusters.parts.jobs import volcano
from tests.whole_clusters.parts.nodes import H100, bus, gfd, node
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.training import mounts, trainer_spec

GPUS: Final = 8
SHOWN: Final = 2
NODES: Final = tuple(f"gpu-{number:02d}" for number in range(48))
SITE: Final = Site(
    gpus=NODES,
    system=(),
    asks={"nvidia.com/gpu": GPUS, "rdma/hca_shared_devices_a": 1},
    idle=frozenset(NODES[46:]),
)
WORKERS: Final = tuple(zip(SITE.trains_on, (f"llm-worker-{rank}" for rank in range(46)), strict=True))


def objects(*, staged: bool = True) -> Iterable[Object]:
    """The run reads a copy of its dataset on each node; where it is not staged, the shared filesystem itself."""
    labels = gfd(H100, GPUS, "PowerEdge-XE9680")
    for name in NODES:
        made = node(name, labels, {"nvidia.com/gpu": GPUS, "rdma/hca_shared_devices_a": 63}, storage="27000Gi")
        if name == NODES[-1]:
            made["spec"]["unschedulable"] = True
        yield made
        yield bus(name, ("10de:0302:2330", GPUS), ("15b3:0207:1021", GPUS))
    parameters = {"volumeType": "dir/v1", "filesystemName": "llm"}
    for claim in ("tokens", "checkpoints"):
        handle = {"driver": "csi.weka.io", "volumeHandle": f"dir/v1/llm/{claim}", "volumeAttributes": parameters}
        yield from storage.shared(claim, SITE.team, handle)
    yield from volcano(SITE, **({} if staged else reads_shared()))


def reads_shared() -> Object:
    [trainer] = trainer_spec(SITE)["containers"]
    trainer["args"] = ["train.py", "--data-path=/data/tokens", "--save=/checkpoints/llm", "--load=/checkpoints/llm"]
    shared = {"shm": "/dev/shm", "source": "/data", "checkpoints": "/checkpoints"}  # noqa: S108 (a mount)
    return {"initContainers": [], "containers": [trainer | {"volumeMounts": mounts(shared)}]}


def quiet(seed: int = 0) -> Samples:
    """Everything that the exporters of this cluster publish while nothing is wrong."""
    samples = Samples(seed)
    for place, name in enumerate(NODES):
        _node_exporter(samples, place, name)
        _dcgm_exporter(samples, place, name)
    for name, pod in WORKERS:
        _cadvisor(samples, name, pod)
    for claim, share in (("tokens", 0.6), ("checkpoints", 0.4)):
        labels = {"namespace": SITE.team, "persistentvolumeclaim": claim, "node": NODES[0]}
        samples.put("kubelet_volume_stats_capacity_bytes", labels, 100e12)
        samples.put("kubelet_volume_stats_used_bytes", labels, share * 100e12)
        samples.put("kubelet_volume_stats_inodes", labels, 1e9)
        samples.put("kubelet_volume_stats_inodes_used", labels, 1e6)
    samples.put("weka_fs", {"cluster": "weka", "name": "llm", "stat": "ssd_percent_used"}, 60)
    samples.put("weka_overview_activity_object_download_bytespersec", {"cluster": "weka"}, 0)
    _control_plane(samples)
    throughput(samples, samples.noisy(13_800, 0.008))
    return samples


def throughput(samples: Samples, value: object) -> None:
    """What the trainer itself publishes, of its first rank."""
    labels = {"namespace": SITE.team, "pod": WORKERS[0][1], "job": "llm"}
    samples.put("tokens_per_second", labels, value)  # type: ignore[arg-type]


def scraped(place: int, port: int) -> str:
    return f"10.0.0.{place + 10}:{port}"


def port_labels(place: int, port: int) -> dict[str, str]:
    return {"instance": scraped(place, 9100), "device": f"mlx5_{port}", "port": "1"}


def gpu_labels(place: int, gpu: int) -> dict[str, str]:
    """As dcgm-exporter's own labels come through a ServiceMonitor without honorLabels."""
    labels = {"instance": scraped(place, 9400), "Hostname": NODES[place], "gpu": str(gpu), "pod": f"dcgm-{place}"}
    labels |= {"namespace": "gpu-operator"}
    if place < len(WORKERS):
        labels |= {"exported_pod": WORKERS[place][1], "exported_namespace": SITE.team, "exported_container": "trainer"}
    return labels


def memory_labels(name: str, pod: str) -> dict[str, str]:
    return {"node": name, "namespace": SITE.team, "pod": pod, "container": "trainer"}


def _node_exporter(samples: Samples, place: int, name: str) -> None:
    at = {"instance": scraped(place, 9100)}
    samples.put("node_uname_info", at | {"nodename": name, "release": "6.8.0-60-generic"}, 1)
    disk = at | {"device": "nvme0n1"}
    reads = 3600 * samples.random.uniform(180, 220)
    samples.put("node_disk_reads_completed_total", disk, rising(reads))
    samples.put("node_disk_read_time_seconds_total", disk, rising(reads * 0.0004))
    for port in range(SHOWN):
        labels = port_labels(place, port)
        samples.put("node_infiniband_link_downed_total", labels, float(samples.random.randrange(3)))
        samples.put("node_infiniband_symbol_error_total", labels, rising(2))  # HDR and NDR links always correct a few
        samples.put("node_infiniband_link_error_recovery_total", labels, 0)
        samples.put("node_infiniband_rate_bytes_per_second", labels, 5e10)
        samples.put("node_infiniband_state_id", labels, 4)


def _dcgm_exporter(samples: Samples, place: int, name: str) -> None:
    busy = name in SITE.trains_on
    for gpu in range(SHOWN):
        labels = gpu_labels(place, gpu)
        samples.put("DCGM_FI_DEV_XID_ERRORS", labels, 0)
        samples.put("DCGM_FI_DEV_ROW_REMAP_FAILURE", labels, 0)
        samples.put("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", labels, float(samples.random.randrange(5)))
        samples.put("DCGM_FI_DEV_THERMAL_VIOLATION", labels, 0)
        warm = samples.random.uniform(58, 66)
        samples.put("DCGM_FI_DEV_SM_CLOCK", labels, samples.noisy(1755, 0.004) if busy else 345)
        samples.put("DCGM_FI_DEV_GPU_TEMP", labels, samples.noisy(warm, 0.01) if busy else 31)
        samples.put("DCGM_FI_DEV_POWER_USAGE", labels, samples.noisy(640, 0.01) if busy else 72)
        samples.put("DCGM_FI_DEV_GPU_UTIL", labels, samples.noisy(98, 0.005) if busy else 0)
        samples.put("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", labels, samples.noisy(0.42, 0.01) if busy else 0)


def _cadvisor(samples: Samples, name: str, pod: str) -> None:
    labels = memory_labels(name, pod)
    samples.put("container_memory_working_set_bytes", labels, samples.noisy(900e9, 1e-4))
    samples.put("container_memory_rss", labels, samples.noisy(560e9, 1e-4))
    samples.put("container_memory_mapped_file", labels, samples.noisy(300e9, 1e-4))


def _control_plane(samples: Samples) -> None:
    for number in range(3):
        etcd = {"instance": f"10.0.1.{number}:2381"}
        samples.put("etcd_mvcc_db_total_size_in_bytes", etcd, 900e6)
        samples.put("etcd_server_quota_backend_bytes", etcd, 8 * 2**30)
        server = {"instance": f"10.0.1.{number}:6443", "priority_level": "workload-low", "reason": "queue-full"}
        samples.put("apiserver_flowcontrol_rejected_requests_total", server, 3)
