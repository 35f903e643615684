"""The SmolLM3 run on the eve of its start, had it been on EKS: 2025-huggingface-smollm3-throughput.

Of the playbook (https://huggingface.co/spaces/HuggingFaceTB/smol-training-playbook): 48 p5 nodes with 384 H100, all of
them in the run and none spare; about 24 TB of dataset on /fsx, a WekaFS that moves cold files to S3 and that others
fill too, 393T of which 263T are used; eight NVMe disks of 3.8 TB in each node that nobody uses, beside a root disk
of 291G; a data loader that keeps its index in shared memory. That the SSDs came to their limit is told, the 97 percent
are not. It ran on Slurm, where nothing bounded a rank's memory. What is not told is healthy here.
"""

from collections.abc import Iterable
from dataclasses import replace

from tests.whole_clusters.objects import Object, ago, thing
from tests.whole_clusters.parts import dns, storage
from tests.whole_clusters.parts.agents import eks_node_monitoring_agent, node_feature_discovery
from tests.whole_clusters.parts.burn_in import nccl_test
from tests.whole_clusters.parts.everywhere import everywhere
from tests.whole_clusters.parts.gpu_operator import gpu_operator
from tests.whole_clusters.parts.jobs import pytorchjob
from tests.whole_clusters.parts.nodes import TYPE, names
from tests.whole_clusters.parts.queueing import kueue
from tests.whole_clusters.parts.site import system_nodes
from tests.whole_clusters.parts.training import STAY, mounts, trainer_spec
from tests.whole_clusters.platforms import eks

TIB = 2**40
SITE = replace(eks.SITE, gpus=tuple(names("p5", 48)), team="smollm", run="smollm3", idle=frozenset())
TEAMS = ("evals", "vision", "robotics")


def smollm3() -> Iterable[Object]:
    # 291 GiB of which the kubelet keeps a tenth for itself.
    for item in eks.gpu_nodes(SITE, "304988160Ki"):
        if item["kind"] == "Node":
            item["status"]["allocatable"]["ephemeral-storage"] = "274489344Ki"
        yield item
    yield from system_nodes(SITE, {TYPE: "m6i.4xlarge", "eks.amazonaws.com/nodegroup": "system"})
    yield from everywhere(SITE)
    yield from eks.add_ons(SITE)
    yield from gpu_operator(SITE, driver={"enabled": False}, toolkit={"enabled": False})
    yield from node_feature_discovery(SITE)
    yield from eks_node_monitoring_agent(SITE)
    yield from eks.karpenter(SITE)
    yield from dns.coredns(f"{eks.REGISTRY}/coredns:v1.12.4-eksbuild.1", SITE.system)
    yield from dns.node_local_dns(SITE)
    yield from eks.webhook_configurations()
    yield from kueue(SITE)
    yield from weka()
    yield from pytorchjob(SITE, {**STAY, "karpenter.sh/do-not-disrupt": "true"}, pod())
    # Two GPUs that throttled were found in the stress test before the start, and replaced.
    yield nccl_test(48, SITE.asks, "burn-in", "public.ecr.aws/hpc-cloud/nccl-tests:cuda12.8.1-efa1.43.2-ofiv1.16.3")


def pod() -> Object:
    """Every rank reads the shared filesystem itself; nothing bounds what the data loader keeps in shared memory."""
    made = trainer_spec(SITE, restartPolicy="OnFailure")
    made["volumes"] = [
        {"name": "shm", "emptyDir": {"medium": "Memory"}},
        {"name": "fsx", "persistentVolumeClaim": {"claimName": "fsx"}},
    ]
    [trainer] = made["containers"]
    data = "dataset_folder=/fsx/datasets/smollm3-11T"
    trainer["args"] = ["run_train.py", "--config-file=smollm3.yaml", data, "checkpoints_path=/fsx/checkpoints/smollm3"]
    for bound in ("cpu", "memory"):
        del trainer["resources"]["limits"][bound]
    trainer["volumeMounts"] = mounts({"shm": "/dev/shm", "fsx": "/fsx"})  # noqa: S108 (a mount)
    return {key: value for key, value in made.items() if key != "initContainers"}


def weka() -> Iterable[Object]:
    """One tiered filesystem for all teams."""
    budget = {"totalProvisionedSSDCapacity": 100 * TIB, "totalUsedSSDCapacity": 97 * TIB}
    filesystem = {"totalProvisionedCapacity": 393 * TIB, "totalUsedCapacity": 263 * TIB, "hasTieredFilesystems": True}
    filesystem |= budget | {"totalAvailableSSDCapacity": 100 * TIB, "obsBucketCount": 1, "activeObsBucketCount": 1}
    stats = {"clusterStatus": "OK", "lastUpdate": ago(minutes=1), "filesystem": filesystem}
    status = {"status": "Ready", "stats": stats}
    yield thing("weka.weka.io/v1alpha1/WekaCluster", "weka", "weka", spec={}, status=status)
    parameters = {"volumeType": "dir/v1", "filesystemName": "fsx", "capacityEnforcement": "HARD"}
    yield storage.storage_class("shared", "csi.weka.io", reclaim="Retain", parameters=parameters)
    yield storage.storage_class("gp3", "ebs.csi.aws.com", default=True, parameters={"type": "gp3", "encrypted": "true"})
    yield storage.storage_class("fast", "ebs.csi.aws.com", parameters={"type": "io2"})
    yield storage.csi_driver("csi.weka.io")
    for team, claim in ((SITE.team, "fsx"), *((team, f"{team}-home") for team in TEAMS)):
        if team != SITE.team:
            yield thing("v1/Namespace", team, labels={"kubernetes.io/metadata.name": team}, status={"phase": "Active"})
        handle = {"driver": "csi.weka.io", "volumeHandle": f"dir/v1/fsx/{claim}", "volumeAttributes": parameters}
        yield from storage.shared(claim, team, handle, size="24Ti" if team == SITE.team else "10Ti")
