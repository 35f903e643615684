"""One change of a healthy cluster is one new gap: its check finds it in real objects, and no other check joins in."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from kubegap_mcp.app import Kubegap
from kubegap_mcp.settings import Settings
from tests.whole_clusters.changes import (
    ALL_AT_ONCE,
    Change,
    agent,
    both,
    caches_in_the_image,
    change,
    cleanup,
    default_above_training,
    deletes,
    drop,
    drop_namespace,
    ends_soon,
    env,
    for_open_nodes,
    gpu_nodes,
    held_back,
    info,
    islands,
    label,
    local_volumes,
    loops,
    many_nodes,
    older_driver,
    on_fourth,
    only_a_root_disk,
    only_throttling,
    pieces,
    put_back,
    quotas,
    ready,
    replicas_on_one_node,
    rolls_everywhere,
    shared,
    stale,
    trainer,
    unhealthy_device,
    untested,
    unwatched,
    webhook,
    without_fabric,
    without_peer_memory,
)
from tests.whole_clusters.clusters import HEALTHY
from tests.whole_clusters.objects import Object, write

BEFORE: dict[str, set[str]] = {}

# Cluster, change, the check that finds it, and those that rightly find it as well.
CASES: dict[str, tuple[str, Change, str, *tuple[str, ...]]] = {
    "a job deletes all pods every hour": ("eks", cleanup, "control_plane.bulk_deleter_unguarded"),
    "a node was left behind": (
        "on_prem",
        change("Node", "dc1-infra", info("kubeletVersion", "v1.28.4")),
        "control_plane.component_version_skew",
    ),
    "DNS has one replica": (
        "eks",
        change("Deployment", "coredns", lambda item: item["spec"].update({"replicas": 1})),
        "control_plane.dns_not_resilient",
    ),
    "one replica admits every pod": ("eks", webhook, "control_plane.fail_closed_webhook"),
    "the admission's server is gone": (
        "eks",
        both(webhook, drop("Service", "prometheus-operator")),
        "control_plane.webhook_unserved",
    ),
    "a CA ends in days": ("eks", ends_soon, "control_plane.webhook_ca_expiring"),
    "every node's agent asks the API server": (
        "on_prem",
        both(many_nodes, agent("datadog-agent", "gcr.io/datadoghq/agent:7.71.2")),
        "control_plane.fleet_agent_can_overload_api",
    ),
    "the network's agent rolls everywhere at once": (
        "on_prem",
        change("DaemonSet", "cilium", rolls_everywhere),
        "control_plane.rollout_too_wide",
    ),
    "the control plane is open to all pods": (
        "on_prem",
        change("Node", "dc1-master-00", lambda node: node["spec"].pop("taints")),
        "control_plane.workloads_on_control_plane",
    ),
    "another bundle of firmware": (
        "oke",
        both(
            lambda objects: [label("oci.oraclecloud.com/host.fw.bundle_version", "1.2")(n) for n in gpu_nodes(objects)],
            on_fourth(label("oci.oraclecloud.com/host.fw.bundle_version", "1.1")),
        ),
        "driver_drift.firmware_drift",
    ),
    "another kernel": ("eks", on_fourth(info("kernelVersion", "5.10.1-1.amzn2")), "driver_drift.kernel_or_os_drift"),
    "another kubelet": ("eks", on_fourth(info("kubeletVersion", "v1.32.9")), "driver_drift.runtime_or_kubelet_drift"),
    "an upgrade takes every node at once": (
        "on_prem",
        change("NVIDIADriver", "", lambda item: item["spec"].update({"upgradePolicy": ALL_AT_ONCE})),
        "driver_drift.unattended_upgrade",
    ),
    "health checks are switched off": (
        "on_prem",
        change(
            "DaemonSet",
            "nvidia-device-plugin-daemonset",
            lambda item: item["spec"]["template"]["spec"]["containers"][0].update(
                {"env": [{"name": "DP_DISABLE_HEALTHCHECKS", "value": "all"}]}
            ),
        ),
        "gpu_health.health_checks_disabled",
    ),
    "nothing watches GPUs": ("no_row_knows_it", drop_namespace("nvsentinel"), "gpu_health.no_health_gate"),
    "a node has not joined its NVLink fabric": (
        "nvl72",
        on_fourth(lambda node: node["metadata"]["labels"].pop("nvidia.com/gpu.clique")),
        "gpu_health.nvlink_fabric_not_complete",
    ),
    "a run ignores a quarantine": (
        "on_prem",
        held_back,
        "gpu_health.quarantine_tolerated",
        "gpu_health.node_not_ready",
    ),
    "GPUs of the run are time-sliced": ("no_row_knows_it", shared, "gpu_health.silent_oversubscription"),
    "half of the run is on another island": ("oke", islands, "ib_health.fabric_split"),
    "a node does not say where it stands": (
        "eks",
        on_fourth(lambda node: node["metadata"]["labels"].pop("topology.k8s.aws/network-node-layer-2")),
        "ib_health.topology_labels_missing",
    ),
    "the adapters are switched off": ("aks", env("NCCL_IB_DISABLE", "1"), "ib_health.harmful_nccl_env"),
    "the run asks for no adapters": ("eks", trainer(without_fabric), "ib_health.training_pod_without_rdma"),
    "failed collectives are not handled": (
        "eks",
        env("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0"),
        "job_recovery.collective_failure_blind",
    ),
    "ordinary pods are above training": ("eks", default_above_training, "job_recovery.priority_accident"),
    "a pod of the run crashes again and again": ("eks", loops, "job_recovery.restart_storm"),
    "a node was not tested": ("oke", on_fourth(untested), "observability.burn_in_evidence_missing"),
    "the exporter of GPU metrics is down": (
        "on_prem",
        change("DaemonSet", "nvidia-dcgm-exporter", ready(0)),
        "observability.gpu_metrics_missing",
    ),
    "the exporter of node metrics tolerates no GPU node": (
        "eks",
        change("DaemonSet", "node-exporter", for_open_nodes),
        "observability.node_metrics_missing",
    ),
    "nothing collects GPU metrics": (
        "on_prem",
        both(
            drop("ServiceMonitor", "nvidia-dcgm-exporter"),
            change("Prometheus", "k8s", lambda item: item["spec"].pop("scrapeConfigSelector")),
        ),
        "observability.metrics_not_collected",
    ),
    "no alert of faults": (
        "on_prem",
        both(change("PrometheusRule", "gpu-rules", only_throttling), drop("PrometheusRule", "platform-rules")),
        "observability.no_gpu_fault_alert",
    ),
    "no alert of links": (
        "aks",
        both(drop("PrometheusRule", "fabric-rules"), drop("PrometheusRule", "platform-rules")),
        "observability.no_link_fault_alert",
    ),
    "no alert of throughput": ("eks", drop("PrometheusRule", "training-rules"), "observability.no_throughput_alert"),
    "an agent is silent": ("gke", on_fourth(stale), "observability.stale_health_data"),
    "GPUs in pieces": (
        "on_prem",
        pieces,
        "spare_capacity.largest_job_does_not_fit",
        "spare_capacity.no_spare_gpu_node",
    ),
    "a quota of twice the GPUs": ("openshift", quotas, "spare_capacity.quota_exceeds_capacity"),
    "two replicas on one node": (
        "on_prem",
        replicas_on_one_node,
        "spare_capacity.single_failure_domain",
        "spare_capacity.no_spare_gpu_node",
    ),
    "the spare has no data": ("on_prem", local_volumes, "spare_capacity.spare_without_dataset"),
    "a volume is deleted with its claim": (
        "eks",
        change("PersistentVolume", "pv-checkpoints", deletes),
        "storage_tiering.reclaim_policy_deletes_training_data",
    ),
    "an idle node has an older driver": (
        "on_prem",
        lambda objects: older_driver(gpu_nodes(objects)[-1]),
        "driver_drift.driver_version_drift",
    ),
    "a node of the run has an older driver": (
        "on_prem",
        on_fourth(older_driver),
        "driver_drift.run_on_mixed_drivers",
        "driver_drift.driver_version_drift",
    ),
    "a pod goes on with an unhealthy GPU": ("on_prem", unhealthy_device, "gpu_health.pod_on_unhealthy_device"),
    "a faulty node was put back by hand": (
        "on_prem",
        lambda objects: put_back(gpu_nodes(objects)[-1]),
        "gpu_health.quarantine_overridden",
        "gpu_health.fault_reported",
        "spare_capacity.no_spare_gpu_node",
    ),
    "a node has no module for GPU memory": ("aks", without_peer_memory, "ib_health.gpudirect_not_ready"),
    "a node is not watched": ("aks", on_fourth(unwatched), "observability.health_agent_missing"),
    "the caches and the root disk are one": (
        "eks",
        both(trainer(caches_in_the_image), only_a_root_disk),
        "storage_tiering.cache_on_root_disk",
        "storage_tiering.local_nvme_unused",
    ),
}


async def gaps(objects: Iterable[Object], folder: Path) -> set[str]:
    audit = await Kubegap(Settings(snapshot=write(objects, folder))).audit(limit=50)
    return {gap.id for gap in audit.gaps}


@pytest.mark.parametrize("name", CASES)
async def test_one_change_is_one_new_gap(name: str, tmp_path: Path):
    cluster, changed, *checks = CASES[name]
    if cluster not in BEFORE:
        BEFORE[cluster] = await gaps(HEALTHY[cluster](), tmp_path / "before")
    objects = list(HEALTHY[cluster]())
    changed(objects)

    assert await gaps(objects, tmp_path / "after") - BEFORE[cluster] == set(checks)
