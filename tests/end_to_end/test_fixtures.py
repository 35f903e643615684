"""Objects from public reports, read as snapshots: what each must lead to, and what it must not.

Most are parts of objects, with just the fields that their source shows. `and_none_of` adds kinds as truly empty, as
a whole snapshot would say of them, where a rule may only speak once its look-alikes were looked for.
"""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kubegap_mcp.app import Kubegap
from kubegap_mcp.report.models import AuditAnswer, CheckFull, FindingPart
from kubegap_mcp.settings import Settings

FIXTURES = Path(__file__).parent.parent / "fixtures"
EMPTY = {
    "clusterpolicies": ("nvidia.com/v1", "ClusterPolicyList"),
    "computedomains": ("resource.nvidia.com/v1beta1", "ComputeDomainList"),
    "nicclusterpolicies": ("mellanox.com/v1alpha1", "NicClusterPolicyList"),
    "nodefeatures": ("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureList"),
    "nodes": ("v1", "NodeList"),
    "nvidiadrivers": ("nvidia.com/v1alpha1", "NVIDIADriverList"),
    "persistentvolumeclaims": ("v1", "PersistentVolumeClaimList"),
    "persistentvolumes": ("v1", "PersistentVolumeList"),
    "poddisruptionbudgets": ("policy/v1", "PodDisruptionBudgetList"),
    "pods": ("v1", "PodList"),
    "resourceslices": ("resource.k8s.io/v1", "ResourceSliceList"),
    "storageclasses": ("storage.k8s.io/v1", "StorageClassList"),
    "workloads": ("kueue.x-k8s.io/v1beta1", "WorkloadList"),
    "wekaclusters": ("weka.weka.io/v1alpha1", "WekaClusterList"),
}
DEVICES = ("nodefeatures", "resourceslices")
STORAGE = ("persistentvolumes", "persistentvolumeclaims", "storageclasses", "wekaclusters", "pods")

# But for facts about an incident, which are no objects of a cluster.
EVERY = [
    path.relative_to(FIXTURES).as_posix()
    for path in sorted(FIXTURES.rglob("*"))
    if path.suffix in {".json", ".yaml"} and path.name != "28-smollm3-incident-facts.yaml"
]


@dataclass(frozen=True)
class Case:
    """One line of expectations: check id to the findings it must have; and the checks that must find nothing."""

    files: Sequence[str]
    gap: dict[str, list[str]]
    silent: Sequence[str] = ()
    and_none_of: Sequence[str] = ()


NODE_CASES = {
    "a GPU that the plugin never takes back after a contained Xid": Case(
        ["nodes/01-onprem-h100-xid94-7of8.json"],
        {"gpu_health.gpu_unhealthy": ["Node/gpu-node-01"]},
        ["gpu_health.gpu_missing"],
    ),
    "labels that keep their count under MIG": Case(
        ["nodes/02-onprem-h100-xe9680-labels.json"], {}, ["gpu_health.gpu_missing"], DEVICES
    ),
    "custom MIG names and a taint without a value": Case(
        ["nodes/03-onprem-h100-mig-mixed-timesliced.json"],
        {},
        ["gpu_health.gpu_missing", "gpu_health.gpu_unhealthy"],
        DEVICES,
    ),
    "a shared RDMA resource that matched nothing": Case(
        ["nodes/06-onprem-rdma-shared-zero.json"],
        {"ib_health.rdma_resource_missing": ["Node/gpu-node-06"]},
        ["ib_health.nic_count_below_expected", "gpu_health.gpu_missing"],
    ),
    "seven of eight GPUs while every other signal is green": Case(
        ["nodes/07-aks-nd96isr-h100-probe-failed-7of8.json"],
        {"gpu_health.gpu_missing": ["Node/aks-gpuworker1-00000000-vmss000001"]},
        ["gpu_health.gpu_unhealthy"],
    ),
    "the same with the PCI list, in which NVSwitches are no GPUs": Case(
        [
            "nodes/07-aks-nd96isr-h100-probe-failed-7of8.json",
            "nodes/07b-aks-nd96isr-h100-nodefeature-pci.json",
        ],
        {"gpu_health.gpu_missing": ["Node/aks-gpuworker1-00000000-vmss000001"]},
        ["gpu_health.gpu_unhealthy"],
    ),
    "replicas of zero and empty deploy labels": Case(
        ["nodes/09-openstack-a30-gfd-labels.json"], {}, ["gpu_health.gpu_missing"], DEVICES
    ),
    "memory of a MIG device": Case(["nodes/10-onprem-a100-mig-single.json"], {}, ["gpu_health.gpu_missing"], DEVICES),
    "an AMD node that advertises nothing": Case(
        ["nodes/11-amd-legacy-labelled-no-capacity.json"], {"gpu_health.gpu_missing": ["Node/amd-node-11"]}
    ),
    "a MIG parent that is advertised as a whole GPU too": Case(
        ["nodes/12-aks-a100-dra-resourceslice.json"], {}, ["gpu_health.gpu_missing"], ("nodes", "nodefeatures")
    ),
    "two faults that AKS reports, one finding each": Case(
        ["nodes/13-aks-nd-h100-gpumissing-iblinkflapping.json"],
        {
            "gpu_health.fault_reported": ["Node/aks-ndh100-00000000-vmss000000"],
            "ib_health.link_fault_reported": ["Node/aks-ndh100-00000000-vmss000000"],
        },
    ),
    "a node that is about to be taken away": Case(
        ["nodes/20-coreweave-h100.json"], {"gpu_health.node_not_ready": ["Node/g000001"]}, ["gpu_health.gpu_missing"]
    ),
    "one unhealthy AMD GPU": Case(
        ["nodes/21-amd-mi300x-one-unhealthy.json"],
        {"gpu_health.gpu_unhealthy": ["Node/mi300x-21"]},
        ["gpu_health.gpu_missing"],
    ),
    "Xids of this boot": Case(
        ["nodes/23-gke-xidcriticalerror.json"], {"gpu_health.fault_reported": ["Node/gke-a3-23"]}
    ),
    "operands that stay paused": Case(
        ["nodes/30-paused-for-driver-upgrade.json"], {"gpu_health.operator_state_stuck": ["Node/gpu-node-30"]}
    ),
    "a MIG change that gave up and left no GPU": Case(
        ["nodes/31-k3s-a100-mig-wedge.json"],
        {"gpu_health.operator_state_stuck": ["Node/gpu-node-31"]},
        ["gpu_health.gpu_missing", "gpu_health.fault_reported"],
        DEVICES,
    ),
    "an NVLink domain that never becomes ready": Case(
        ["nodes/32-computedomain-not-ready.json"],
        {"gpu_health.multi_node_nvlink_not_ready": ["ComputeDomain/train/domain"]},
    ),
    "annotations of a quarantine that stayed behind": Case(
        ["nodes/33-nvsentinel-annotations-left-behind.json"], {}, ["gpu_health.quarantine_overridden"], DEVICES
    ),
    "a kubelet that ends pods with devices when it restarts": Case(
        ["nodes/40-kubelet-that-ends-device-pods.json"],
        {"driver_drift.known_bad_version": ["Node/gpu-node-40"]},
    ),
    "a device plugin whose manifest names no tag": Case(
        ["nodes/41-amd-device-plugin-without-a-tag.json"],
        {"driver_drift.gpu_image_unpinned": ["DaemonSet/kube-system/amdgpu-device-plugin-daemonset"]},
    ),
    "a class of GPU machines that takes the newest image": Case(
        ["nodes/42-karpenter-class-of-the-newest-image.json"],
        {"driver_drift.floating_node_image": ["EC2NodeClass/cudaefa"]},
    ),
    "a vGPU guest": Case(["nodes/25-vgpu-guest.json"], {}, ["gpu_health.gpu_missing"], DEVICES),
}
STORAGE_CASES = {
    "an SSD tier that is full while df says 67 %": Case(
        ["storage/03-wekacluster-status.yaml"],
        {"storage_tiering.fast_tier_near_full": ["WekaCluster/weka/weka-ssd-full"]},
    ),
    "NVMe that nothing uses, beside nodes that use theirs": Case(
        ["storage/25-nodes-local-nvme.yaml"],
        {"storage_tiering.local_nvme_unused": ["Node/p5-nvme-unused"]},
        and_none_of=("pods", "persistentvolumes"),
    ),
    "a cache of a third of its dataset, beside one of unknown size": Case(
        ["storage/16-fluid-dataset.yaml"],
        {"storage_tiering.dataset_exceeds_local_disk": ["Dataset/default/model-data"]},
    ),
    "a pod without a volume for its data": Case(
        ["storage/06-fsdp-worker-pod.yaml"],
        {"job_recovery.checkpoint_not_durable": ["PyTorchJob/train/llama3-1-8b-fsdp"]},
        ["storage_tiering.dataset_can_be_evicted", "storage_tiering.shm_missing_or_unbounded"],
    ),
}
FABRIC_CASES = {
    "a network driver that does not install": Case(
        ["fabric/01-openshift-nicclusterpolicy-ofed-not-ready.yaml"],
        {"ib_health.network_operator_not_ready": ["NicClusterPolicy/nic-cluster-policy"]},
    ),
    "virtual functions that a locked-down kernel refuses": Case(
        ["fabric/02-sriovnetworknodestate-failed.yaml"],
        {"ib_health.network_operator_not_ready": ["Node/worker-sriov-1"]},
        and_none_of=("resourceslices",),
    ),
    "one board with other firmware than the boards of the nodes beside": Case(
        ["fabric/03-nvl72-nicdevices.yaml"],
        {"ib_health.nic_driver_drift": ["Node/vr-nvl72-c17"]},
        and_none_of=("resourceslices",),
    ),
}
JOB_CASES = {
    "a run of which single pods restart": Case(
        ["jobs/01-pytorchjob-onfailure.yaml"],
        {"job_recovery.restart_cannot_regroup": ["PyTorchJob/default/train-poc"]},
        ["job_recovery.gang_not_atomic"],
    ),
    "half a run that waits for the other half, although Kueue let it in as one": Case(
        ["jobs/02-kueue-partial-gang.yaml"],
        {"job_recovery.gang_not_atomic": ["PyTorchJob/team-a/hello-world-kueue"]},
        ["job_recovery.restart_cannot_regroup"],
    ),
    "a run on nodes that may be consolidated": Case(
        ["jobs/03-karpenter-gpu-pool.yaml"],
        {"job_recovery.disruption_unprotected": ["PyTorchJob/team-b/finetune"]},
        and_none_of=("poddisruptionbudgets",),
    ),
    "single pods that restart and meet again": Case(
        ["jobs/04-volcano-c10d.yaml"],
        {},
        ["job_recovery.restart_cannot_regroup", "job_recovery.gang_not_atomic"],
        ("workloads",),
    ),
}
CASES = NODE_CASES | STORAGE_CASES | FABRIC_CASES | JOB_CASES


@pytest.mark.parametrize("name", CASES)
async def test_an_object_leads_to_what_its_source_tells(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    findings = await _findings(_snapshot(tmp_path, case.files, case.and_none_of))

    assert {check: [item.subject for item in findings.get(check, [])] for check in case.gap} == case.gap
    assert [check for check in case.silent if check in findings] == []


async def test_the_full_tier_is_critical_and_its_available_budget_is_not_shown_as_free(tmp_path: Path) -> None:
    path = _snapshot(tmp_path, ["storage/03-wekacluster-status.yaml"])
    answer = await _topic(path, "storage_tiering")
    (check,) = (item for item in answer if item.id == "storage_tiering.fast_tier_near_full")

    assert isinstance(check, CheckFull)
    assert check.severity == "critical"
    (finding,) = check.findings
    assert "97 %" in finding.says
    assert "1 of 2" in finding.says
    assert not any("Available" in field for field in finding.evidence)
    # The cluster without statistics is neither full nor fine.
    assert [(item.what, item.reason) for item in check.unread] == [
        ("SSD fill of WekaCluster/weka/weka-no-stats", "invalid")
    ]


async def test_a_korean_answer_names_what_was_unread_in_korean(tmp_path: Path) -> None:
    path = _snapshot(tmp_path, ["storage/03-wekacluster-status.yaml"])
    answer = await Kubegap(Settings(snapshot=path, lang="ko")).audit(topics=["storage_tiering"])
    told = {item.what for item in answer.coverage.unread}
    assert "WekaCluster/weka/weka-no-stats의 SSD 사용률" in told
    # Names of resources are the same in both languages.
    assert [what for what in told if " " in what and not re.search("[가-힣]", what)] == []


async def test_a_known_false_positive_of_idle_multi_node_nvlink_is_a_hint_that_says_so(tmp_path: Path) -> None:
    files = ["nodes/08-eks-gb300-nvsentinel-imex-false-positive.json"]
    path = _snapshot(tmp_path, files, ("computedomains", *DEVICES))
    (check,) = (item for item in await _topic(path, "gpu_health") if item.id == "gpu_health.fault_reported")

    assert isinstance(check, CheckFull)
    assert (check.confidence, check.severity) == ("hint", "low")
    assert "known false positive" in check.findings[0].says
    assert "ComputeDomain" in check.findings[0].says


async def test_an_agent_that_cannot_reach_dcgm_is_a_hint_that_tells_how_to_tell(tmp_path: Path) -> None:
    path = _snapshot(tmp_path, ["nodes/15-eks-gpu-dcgmerror-sticky-false-positive.json"], DEVICES)
    (check,) = (item for item in await _topic(path, "gpu_health") if item.id == "gpu_health.fault_reported")

    assert isinstance(check, CheckFull)
    assert check.confidence == "hint"
    assert "does not clear it until its own pod restarts" in check.findings[0].says
    assert "nvidia-smi" in check.findings[0].says


async def test_a_gke_xid_of_an_earlier_boot_is_stale_and_silent(tmp_path: Path) -> None:
    path = _snapshot(tmp_path, ["nodes/23-gke-xidcriticalerror.json"], DEVICES)
    (file,) = path.glob("*xid*")
    node = json.loads(file.read_text())
    node["status"]["nodeInfo"]["bootID"] = "22222222-2222-2222-2222-222222222222"
    file.write_text(json.dumps(node))

    assert "gpu_health.fault_reported" not in await _findings(path)


READS = {
    "fsx linked to S3": ("storage/04-fsx-lustre-sc.yaml", "fsx-s3-linked", "fsx.csi.aws.com"),
    "fsx whose links are not visible": ("storage/04-fsx-lustre-sc.yaml", "fsx-persistent2", "fsx.csi.aws.com"),
    "an AFM cache": ("storage/21-spectrumscale-cache.yaml", "ibm-scale-cache", "spectrumscale.csi.ibm.com"),
    "OpenZFS": ("storage/23-openzfs.yaml", "openzfs-sc", "fsx.openzfs.csi.aws.com"),
    "OpenZFS that tiers": ("storage/23-openzfs.yaml", "openzfs-intelligent-tiering", "fsx.openzfs.csi.aws.com"),
}


@pytest.mark.parametrize(
    ("name", "status", "confidence"),
    [
        pytest.param("fsx linked to S3", "gap", "certain", id="an S3 import path"),
        pytest.param("fsx whose links are not visible", "unknown", None, id="PERSISTENT_2 links are not visible"),
        pytest.param("an AFM cache", "gap", "certain", id="volumeType cache"),
        pytest.param("OpenZFS that tiers", "gap", "certain", id="a JSON-quoted INTELLIGENT_TIERING"),
        pytest.param("OpenZFS", "unknown", None, id="no StorageType at all"),
    ],
)
async def test_a_class_tells_or_does_not_tell_that_data_can_leave(
    name: str, status: str, confidence: str | None, tmp_path: Path
) -> None:
    file, class_name, driver = READS[name]
    path = _snapshot(tmp_path, [file], STORAGE)
    _write(path / "reader.json", *_reader("data"), _claim("data", "pv-read", class_name), _bound(class_name, driver))

    (check,) = (
        item for item in await _topic(path, "storage_tiering") if item.id == "storage_tiering.dataset_can_be_evicted"
    )

    assert check.status == status
    assert getattr(check, "confidence", None) == confidence or confidence is None


@pytest.mark.parametrize(
    ("file", "claim", "namespace", "status", "confidence"),
    [
        pytest.param("07-gcsfuse-static-pv.yaml", "a4x-storage-data-pvc", "default", "gap", "certain", id="gcsfuse"),
        pytest.param("11-mountpoint-s3-cache.yaml", "s3-pvc", "default", "gap", "certain", id="Mountpoint for S3"),
        pytest.param("05-fsx-static-pv.yaml", "fsx-claim", "train", "unknown", None, id="a static FSx volume"),
        pytest.param("01-weka-dynamic-dir-sc.yaml", "train-data", "team-a", "unknown", None, id="Weka, nothing told"),
    ],
)
async def test_a_training_pod_that_reads_the_claim_is_judged_by_what_lies_behind(
    file: str, claim: str, namespace: str, status: str, confidence: str | None, tmp_path: Path
) -> None:
    path = _snapshot(tmp_path, [f"storage/{file}"], STORAGE)
    _write(path / "reader.json", *_reader(claim, namespace))

    checks = {item.id: item for item in await _topic(path, "storage_tiering")}
    check = checks["storage_tiering.dataset_can_be_evicted"]

    assert check.status == status
    assert getattr(check, "confidence", None) == confidence or confidence is None


@pytest.mark.parametrize(
    ("file", "claim", "status"),
    [
        pytest.param("07-gcsfuse-static-pv.yaml", "a4x-storage-data-pvc", "gap", id="gcsfuse as a recipe has it"),
        pytest.param("11-mountpoint-s3-cache.yaml", "s3-pvc", "clear", id="Mountpoint with a cache"),
    ],
)
async def test_a_bucket_that_a_training_pod_reads_must_have_a_cache(
    file: str, claim: str, status: str, tmp_path: Path
) -> None:
    path = _snapshot(tmp_path, [f"storage/{file}"], STORAGE)
    _write(path / "reader.json", *_reader(claim, "default"))

    checks = {item.id: item for item in await _topic(path, "storage_tiering")}

    assert checks["storage_tiering.object_fuse_without_cache"].status == status


@pytest.mark.parametrize(
    ("file", "check", "waits"),
    [
        pytest.param(
            "30-efs-one-handle-twice.yaml",
            "storage_tiering.duplicate_volume_handle",
            {"type": "PodScheduled", "status": "True"},
            id="two volumes of one access point",
        ),
        pytest.param(
            "31-ebs-two-zones.yaml",
            "storage_tiering.volume_zone_mismatch",
            {
                "type": "PodScheduled",
                "status": "False",
                "lastTransitionTime": "2023-04-27T10:00:00Z",
                "message": "0/3 nodes are available: 1 Insufficient memory, 1 Too many pods, "
                "1 node(s) had volume node affinity conflict.",
            },
            id="two disks of two zones",
        ),
    ],
)
async def test_a_training_pod_that_mounts_both_volumes_never_starts(
    file: str, check: str, waits: dict[str, str], tmp_path: Path
) -> None:
    path = _snapshot(tmp_path, [f"storage/{file}"])
    (pod,) = _reader("volume1-claim")
    pod["metadata"]["creationTimestamp"] = "2023-04-27T10:00:00Z"
    pod["spec"]["volumes"].append({"name": "more", "persistentVolumeClaim": {"claimName": "volume2-claim"}})
    pod["status"] = {"phase": "Pending", "conditions": [waits]}
    later = {"name": "later", "creationTimestamp": "2023-04-27T11:00:00Z"}
    _write(path / "reader.json", pod, {"apiVersion": "v1", "kind": "Event", "metadata": later})

    assert [finding.subject for finding in (await _findings(path))[check]] == ["PyTorchJob/train/reader"]


async def test_a_local_volume_that_moved_with_its_pod_came_back_empty(tmp_path: Path) -> None:
    path = _snapshot(tmp_path, ["storage/14-azure-localdisk-pv.yaml"], ("pods",))
    _write(path / "no-pods.json", *_reader("ckpt-b"), _claim("ckpt-b", "pv-b", "local"))

    findings = await _findings(path)

    assert [finding.subject for finding in findings["storage_tiering.local_volume_came_back_empty"]] == [
        "PersistentVolume/pv-b"
    ]


@pytest.mark.parametrize("file", EVERY)
async def test_every_given_file_is_read_without_error_and_alarms_about_nothing_unnamed(file: str) -> None:
    answer = await Kubegap(Settings(snapshot=FIXTURES / file)).audit()
    named = {check for case in CASES.values() if file in case.files for check in case.gap}
    named |= {"gpu_health.fault_reported"} if "21-amd" in file else set()

    assert [gap.id for gap in answer.gaps if gap.severity in {"high", "critical"} and gap.id not in named] == []
    assert answer.status != "clear"


async def test_all_given_files_together_are_one_snapshot() -> None:
    answer = await _audit(FIXTURES)

    assert answer.by_severity.critical == 1


async def _audit(path: Path) -> AuditAnswer:
    return await Kubegap(Settings(snapshot=path)).audit(limit=50)


async def _topic(path: Path, topic: str) -> list[Any]:
    return list((await Kubegap(Settings(snapshot=path)).check_topic(topic, limit=50)).checks)


async def _findings(path: Path) -> dict[str, list[FindingPart]]:
    found: dict[str, list[FindingPart]] = {}
    for topic in ("gpu_health", "ib_health", "storage_tiering", "job_recovery", "driver_drift"):
        for check in await _topic(path, topic):
            if isinstance(check, CheckFull) and check.status == "gap":
                found[check.id] = check.findings
    return found


def _snapshot(folder: Path, files: Sequence[str], and_none_of: Sequence[str] = ()) -> Path:
    for file in files:
        shutil.copy(FIXTURES / file, folder)
    for plural in and_none_of:
        version, kind = EMPTY[plural]
        _write(folder / f"no-{plural}.json", {"apiVersion": version, "kind": kind, "items": []})
    return folder


def _write(path: Path, *objects: dict[str, Any]) -> None:
    whole = objects[0] if len(objects) == 1 else {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    path.write_text(json.dumps(whole), encoding="utf-8")


def _reader(claim: str, namespace: str = "train") -> tuple[dict[str, Any], ...]:
    """A worker of a PyTorchJob that mounts the claim at /data."""
    return (
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "reader-0",
                "namespace": namespace,
                "ownerReferences": [
                    {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "reader", "controller": True}
                ],
            },
            "spec": {
                "containers": [
                    {
                        "name": "pytorch",
                        "resources": {"limits": {"nvidia.com/gpu": "8"}},
                        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                    }
                ],
                "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}],
            },
            "status": {"phase": "Running"},
        },
    )


def _claim(name: str, volume: str, class_name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "train"},
        "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": class_name, "volumeName": volume},
    }


def _bound(class_name: str, driver: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "pv-read"},
        "spec": {
            "storageClassName": class_name,
            "claimRef": {"namespace": "train", "name": "data"},
            "csi": {"driver": driver, "volumeHandle": "fs-0aaaaaaaaaaaaaaaa"},
        },
    }
