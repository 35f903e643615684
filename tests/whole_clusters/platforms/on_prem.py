"""On premises: PowerEdge XE9680 over InfiniBand, NVSentinel, Weka with room to spare, Volcano.

Sources: Mellanox/network-operator:example/crs, NVIDIA/NVSentinel:distros/kubernetes/nvsentinel,
IBM/autopilot:HEALTH_CHECKS.md, NVIDIA/topograph:docs/reference/node-labels.md,
weka/weka-operator:doc/api_dump/wekacluster.md, volcano-sh/volcano:installer.
"""

from collections.abc import Iterable

from tests.whole_clusters.objects import Object, ago, condition, thing
from tests.whole_clusters.parts import admission, dns, storage
from tests.whole_clusters.parts.agents import node_feature_discovery, node_problem_detector, nvsentinel
from tests.whole_clusters.parts.burn_in import cron_job, nccl_test
from tests.whole_clusters.parts.control_plane import node_lease
from tests.whole_clusters.parts.everywhere import everywhere
from tests.whole_clusters.parts.fabric import network_operator, nic_cluster_policy, nic_devices, shared_config
from tests.whole_clusters.parts.gpu_operator import gpu_operator
from tests.whole_clusters.parts.jobs import volcano
from tests.whole_clusters.parts.nodes import H100, HGX, UBUNTU, bus, gfd, names, node
from tests.whole_clusters.parts.site import Site, system_nodes
from tests.whole_clusters.parts.workloads import daemonset, deployment, running, template

# NVIDIA/NVSentinel writes a check's name as a condition's type; False is its healthy baseline.
WATCHES = ("GpuMemWatch", "GpuPcieWatch", "GpuNvlinkWatch", "GpuThermalWatch", "GpuSmWatch", "SysLogsXIDError")
WATCHES += ("SysLogsGPUFallenOff", "InfiniBandStateCheck", "InfiniBandDegradationCheck")
TB = 10**12
SITE = Site(
    gpus=tuple(names("dc1-gpu")),
    system=tuple(names("dc1-infra", 6)),
    zones=("hall-1", "hall-2", "hall-3"),
    asks={"nvidia.com/gpu": 8, "rdma/hca_shared_devices_a": 1},
    topology=("fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"),
)


def on_prem() -> Iterable[Object]:
    yield from gpu_nodes()
    yield from control_plane()
    yield from system_nodes(SITE, {"node-role.kubernetes.io/infra": ""})
    yield from everywhere(SITE)
    yield from add_ons()
    yield from gpu_operator(SITE, driver={"useNvidiaDriverCRD": True})
    yield from node_feature_discovery(SITE, "nfd")
    yield nic_cluster_policy({"rdmaSharedDevicePlugin": shared_config("hca_shared_devices_a")})
    yield from network_operator(SITE, "rdma-shared-dp-ds")
    yield from nic_devices(SITE)
    yield from node_problem_detector(SITE)
    yield from nvsentinel(SITE)
    yield from webhook_configurations()
    yield from volumes()
    yield from volcano(SITE, env={"NCCL_IB_HCA": "mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7"})
    yield from cron_job(
        "nccl-all-reduce", "burn-in", "registry.example.com/hpc/nccl-tests:v2.17.6", schedule="30 2 * * 0"
    )
    yield nccl_test(20, SITE.asks, "burn-in", "registry.example.com/hpc/nccl-tests:v2.17.6", "acceptance")


def gpu_nodes() -> Iterable[Object]:
    labels = gfd(H100, 8, "PowerEdge-XE9680") | {"feature.node.kubernetes.io/storage-nonrotationaldisk": "true"}
    labels |= {"nvidia.com/mofed.version": "25.10-1.2.8"}
    labels |= {"autopilot.ibm.com/gpuhealth": "PASS", "autopilot.ibm.com/dcgm.level.3": "PASS_2026-11-23_02.30.14UTC"}
    counts = {
        f"nvsentinel.dgxc.nvidia.com/{what}.count.{how}": "8"
        for what in ("gpu", "nic")
        for how in ("current", "expected")
    }
    labels |= counts | {
        "nvsentinel.dgxc.nvidia.com/driver.installed": "true",
        "nvsentinel.dgxc.nvidia.com/managed": "true",
    }
    conditions = [condition(kind, "False", f"{kind}IsHealthy") for kind in WATCHES]
    conditions += [condition("KernelDeadlock", "False", "KernelHasNoDeadlock")]
    for place, name in enumerate(SITE.gpus):
        near = dict(zip(SITE.topology, ("spine-1", f"leaf-{place // 8}"), strict=True))
        near |= {"topology.kubernetes.io/rack": f"r{place // 4:02d}"}
        resources: dict[str, int | str] = {"nvidia.com/gpu": 8, "rdma/hca_shared_devices_a": 63}
        yield node(name, labels | near, resources, storage="27000Gi", conditions=conditions, zone="hall-1")
        yield bus(name, *HGX)


def control_plane() -> Iterable[Object]:
    """Three, apart, with etcd stacked on them (kubeadm); nobody else's pods come there."""
    taint = [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]
    for place, name in enumerate(names("dc1-master", 3)):
        yield node(
            name, {"node-role.kubernetes.io/control-plane": ""}, {}, zone=SITE.zones[place], taints=taint, info=UBUNTU
        )
        yield node_lease(name)
        for part in ("kube-apiserver", "etcd", "kube-controller-manager", "kube-scheduler"):
            marks = {"component": part, "tier": "control-plane"}
            image = f"registry.k8s.io/{part}:v1.33.4"
            made = template(
                marks, [{"name": part, "image": image}], hostNetwork=True, priorityClassName="system-node-critical"
            )
            owner = thing("v1/Node", name)
            yield running(f"{part}-{name}", "kube-system", made, name, owner)


def add_ons() -> Iterable[Object]:
    for name, version in (("kube-proxy", "v1.33.4"), ("cilium", "v1.18.4")):
        yield from daemonset(
            name, "kube-system", f"registry.example.com/{name}:{version}", SITE.nodes, hostNetwork=True
        )
    yield from dns.coredns("registry.k8s.io/coredns/coredns:v1.12.0", SITE.three, memory="512Mi")
    yield from dns.node_local_dns(SITE)
    for name in ("cilium-operator", "metrics-server"):
        yield from deployment(name, "kube-system", f"registry.example.com/{name}:v1.18.4", SITE.two)
    image = "vc-scheduler", "vc-controller-manager", "vc-webhook-manager"
    for name in image:
        port = 8443 if "webhook" in name else 0
        full = f"docker.io/volcanosh/{name}:v1.13.0"
        yield from deployment(name, "volcano-system", full, SITE.two, port=port, serves="volcano-admission-service")


def webhook_configurations() -> Iterable[Object]:
    """volcano-sh/volcano:installer/helm/chart/volcano/templates/webhooks.yaml; its own jobs, and no system pods."""
    jobs = admission.rule("batch.volcano.sh", ["jobs"], ("CREATE", "UPDATE"), "v1alpha1")
    to = "volcano-system/volcano-admission-service"
    apart = {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["volcano-system", "kube-system"]}
        ]
    }
    for form, what in (("Mutating", "mutate"), ("Validating", "validate")):
        checked = admission.hook(f"{what}job.volcano.sh", jobs, to=to, policy="Fail", apart=apart)
        yield admission.webhooks(form, f"volcano-admission-service-jobs-{what}", checked)


def volumes() -> Iterable[Object]:
    """Weka's SSDs are little more than half full, so that nothing is pushed out to the object store."""
    filesystem: Object = {"hasTieredFilesystems": True, "obsBucketCount": 2, "activeObsBucketCount": 2}
    filesystem |= {"totalProvisionedSSDCapacity": 500 * TB, "totalUsedSSDCapacity": 300 * TB}
    filesystem |= {"totalAvailableSSDCapacity": 500 * TB}
    stats = {"lastUpdate": ago(minutes=1), "filesystem": filesystem}
    status = {"status": "Ready", "stats": stats}
    yield thing("weka.weka.io/v1alpha1/WekaCluster", "weka", "weka", spec={}, status=status)
    yield storage.storage_class("local-path", "rancher.io/local-path", default=True)
    yield storage.storage_class("fast", "csi.weka.io", parameters={"filesystemName": "infra"})
    parameters = {"volumeType": "dir/v1", "filesystemName": "llm", "capacityEnforcement": "HARD"}
    yield storage.storage_class("shared", "csi.weka.io", reclaim="Retain", parameters=parameters)
    yield storage.csi_driver("csi.weka.io")
    for claim in ("tokens", "checkpoints"):
        handle = {"driver": "csi.weka.io", "volumeHandle": f"dir/v1/llm/{claim}", "volumeAttributes": parameters}
        yield from storage.shared(claim, SITE.team, handle)
