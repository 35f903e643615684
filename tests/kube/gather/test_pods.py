import json
from datetime import UTC, datetime

import pytest

from kubegap_checks.facts.pods import Container, DeviceHealth, Ending, Mount, Pod, PodVolume, Run, Toleration
from kubegap_checks.facts.selectors import Requirement
from kubegap_mcp.kube.gather.registry import gatherers

PODS = gatherers()[Pod]
GPU = {"resources": {"limits": {"nvidia.com/gpu": "8"}}}


def pod(*containers, metadata=None, status=None, **spec):
    meta = {"name": "p", "namespace": "ns", **(metadata or {})}
    return json.dumps({"metadata": meta, "spec": {"containers": list(containers), **spec}, "status": status}).encode()


def one(*containers, gatherer=PODS, **parts):
    page = gatherer.objects([pod(*containers, **parts)])
    assert len(page.rows) + page.invalid == 1
    return next(iter(page.rows), None), page.invalid


def test_every_field_of_a_training_pod_is_taken():
    row, invalid = one(
        {
            "name": "main",
            "image": "example.invalid/train:1",
            "env": [{"name": "NCCL_DEBUG", "value": "INFO"}],
            "envFrom": [{"configMapRef": {"name": "nccl"}}],
            "workingDir": "/workspace",
            "args": ["--checkpoint_dir=/ckpt"],
            "resources": {"limits": {"cpu": "8", "memory": "1Gi", "nvidia.com/gpu": "8", "rdma/ib": 1}},
            "volumeMounts": [{"name": "data", "mountPath": "/data", "readOnly": True}],
            "securityContext": {"privileged": True, "capabilities": {"add": ["IPC_LOCK"]}},
        },
        metadata={
            "labels": {"app": "a"},
            "annotations": {"gke-gcsfuse/volumes": "true", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "deletionTimestamp": "2026-01-01T00:00:00Z",
            "ownerReferences": [{"kind": "Other", "name": "o"}, {"kind": "Job", "name": "j", "controller": True}],
        },
        status={"phase": "Running"},
        nodeName="n",
        hostNetwork=True,
        hostIPC=True,
        volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "c", "readOnly": True}}],
        resourceClaims=[{"name": "imex"}],
    )
    assert not invalid
    assert row == Pod(
        namespace="ns",
        name="p",
        node="n",
        phase="Running",
        run=Run(kind="Job", namespace="ns", name="j"),
        created=datetime(2026, 1, 1, tzinfo=UTC),
        labels={"app": "a"},
        annotations={"gke-gcsfuse/volumes": "true"},
        resources={"nvidia.com/gpu": 8, "rdma/ib": 1},
        device_claims=1,
        containers=(
            Container(
                name="main",
                image="example.invalid/train:1",
                env={"NCCL_DEBUG": "INFO"},
                env_from=True,
                flags={"--checkpoint_dir": "/ckpt"},
                workdir="/workspace",
                mounts=(Mount(volume="data", path="/data", read_only=True),),
                memory_limit=2**30,
                limits={"nvidia.com/gpu": 8, "rdma/ib": 1},
                privileged=True,
                added_capabilities=("IPC_LOCK",),
            ),
        ),
        volumes=(PodVolume(name="data", form="claim", claim="c", attributes={}, read_only=True),),
        host_network=True,
        host_ipc=True,
        deleting=True,
    )


@pytest.mark.parametrize(
    ("parts", "kept"),
    [
        pytest.param({}, False, id="asks for nothing"),
        pytest.param({"resourceClaims": [{"name": "gpu"}]}, True, id="claims a device"),
        pytest.param({"initContainers": [GPU]}, True, id="asks in an init container"),
        pytest.param({"initContainers": [GPU], "status": {"phase": "Succeeded"}}, False, id="succeeded"),
        pytest.param({"initContainers": [GPU], "status": {"phase": "Failed"}}, False, id="failed"),
        pytest.param({"initContainers": [GPU], "status": {"phase": "Pending"}}, True, id="pending"),
    ],
)
def test_only_live_pods_that_ask_for_accelerators_are_kept(parts, kept):
    page = PODS.objects(
        [pod({"name": "c", "resources": {"limits": {"cpu": "1", "vpc.amazonaws.com/efa": "1"}}}, **parts)]
    )
    assert len(page.rows) == kept
    assert not page.invalid


ODD = [
    pytest.param({"env": [{"name": {}}]}, id="a variable"),
    pytest.param({"volumeMounts": {"name": "data"}}, id="mounts"),
    pytest.param({"resources": {"limits": {"memory": []}}}, id="a limit that is no number"),
]


@pytest.mark.parametrize("odd", ODD)
def test_what_is_wrong_in_a_pod_that_asks_for_no_device_counts_for_nothing(odd):
    page = PODS.page(b'{"items": [' + pod({"name": "c", **odd}) + b"]}")
    assert (page.rows, page.invalid) == ((), 0)


@pytest.mark.parametrize("odd", ODD)
def test_and_in_one_that_asks_it_does(odd):
    asking = {"resources": {"limits": {"nvidia.com/gpu": "8", **odd.get("resources", {}).get("limits", {})}}}
    page = PODS.page(b'{"items": [' + pod({"name": "c", **odd, **asking}) + b"]}")
    assert (page.rows, page.invalid) == ((), 1)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"metadata": {"name": "p"}, "spec": {"containers": 8}}', id="containers of another type"),
        pytest.param('{"metadata": {"name": "p"}, "spec": {"containers": [{"resources": []}]}}', id="resources"),
        pytest.param('{"metadata": {"name": "p"}, "spec": {"resourceClaims": "gpu"}}', id="claims"),
        pytest.param('{"metadata": {}, "spec": {"containers": []}}', id="no name"),
        pytest.param('{"metadata": {"name": "p"}, "kubegapIncomplete": true}', id="pruned with a loss"),
        pytest.param("[]", id="no object"),
    ],
)
def test_a_pod_of_which_it_cannot_be_told_whether_it_asks_is_lost(text):
    whole = pod({"name": "c", **GPU})
    page = PODS.page(b'{"items": [' + text.encode() + b"," + whole + b"]}")
    assert ([row.name for row in page.rows], page.invalid) == (["p"], 1)


@pytest.mark.parametrize(
    "resource",
    [
        pytest.param("nvidia.com/gpu", id="whole"),
        pytest.param("nvidia.com/gpu.shared", id="shared"),
        pytest.param("nvidia.com/mig-1g.10gb", id="sliced"),
        pytest.param("amd.com/gpu", id="another vendor"),
    ],
)
def test_every_form_of_accelerator_counts(resource):
    row, _ = one({"resources": {"limits": {resource: "2"}}})
    assert row.resources == {resource: 2}


def test_the_largest_init_container_counts_where_it_asks_for_more():
    sidecar = {"restartPolicy": "Always", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    starting = {"resources": {"limits": {"nvidia.com/gpu": "8"}}}
    running = {"resources": {"limits": {"nvidia.com/gpu": "4"}}}
    assert one(running, initContainers=[sidecar, starting])[0].resources == {"nvidia.com/gpu": 8}
    assert one(running, running, initContainers=[sidecar, starting])[0].resources == {"nvidia.com/gpu": 9}


def test_an_unreadable_limit_is_counted_as_lost():
    assert one({"resources": {"limits": {"nvidia.com/gpu": "eight"}}}) == (None, 1)
    assert one({"resources": {"limits": {"nvidia.com/gpu": "8", "memory": "-1"}}}) == (None, 1)


@pytest.mark.parametrize(
    ("variable", "kept"),
    [
        pytest.param(
            {"name": "NCCL_IB_HCA", "value": "mlx5_0,mlx5_1"}, {"NCCL_IB_HCA": "mlx5_0,mlx5_1"}, id="known name"
        ),
        pytest.param({"name": "HF_HOME", "value": "/data/hf"}, {"HF_HOME": "/data/hf"}, id="names a path"),
        pytest.param({"name": "NCCL_DEBUG"}, {"NCCL_DEBUG": ""}, id="empty"),
        pytest.param(
            {"name": "NCCL_DEBUG", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
            {"NCCL_DEBUG": None},
            id="from a secret",
        ),
        pytest.param({"name": "MASTER_ADDR", "value": "10.0.0.1"}, {"MASTER_ADDR": None}, id="known, never shown"),
        pytest.param({"name": "HF_HOME", "value": "hf_secretsecret"}, {"HF_HOME": None}, id="known, not of its form"),
        pytest.param({"name": "HF_TOKEN", "value": "hf_secretsecret"}, {}, id="unknown name"),
        pytest.param({"name": "AWS_SECRET_ACCESS_KEY", "value": "secret"}, {}, id="a credential"),
        pytest.param({"value": "secret"}, {}, id="no name"),
    ],
)
def test_only_known_variables_are_kept(variable, kept):
    assert one({**GPU, "env": [variable]})[0].containers[0].env == kept


@pytest.mark.parametrize(
    ("command", "args", "flags"),
    [
        pytest.param(
            ["train", "--checkpoint_dir=/ckpt"], None, {"--checkpoint_dir": "/ckpt"}, id="with an equals sign"
        ),
        pytest.param(None, ["--data-path", "/data", "--lr", "1"], {"--data-path": "/data"}, id="two words"),
        pytest.param(["train", "--save"], ["/ckpt"], {"--save": "/ckpt"}, id="command goes on in args"),
        pytest.param(None, ["--no-mmap-bin-files", "--lr=1"], {"--no-mmap-bin-files": ""}, id="without value"),
        pytest.param(
            ["bash", "-c", "torchrun train.py \\\n  --save '/ckpt a' --load=\"/old\"; echo $TOKEN"],
            None,
            {"--save": "/ckpt", "--load": "/old"},
            id="inside a script",
        ),
        pytest.param(None, ["--token=secret", "--api-key", "secret", "positional"], {}, id="unknown flags"),
        pytest.param(None, ["--data-path"], {"--data-path": ""}, id="nothing follows"),
    ],
)
def test_only_known_flags_are_kept(command, args, flags):
    assert one({**GPU, "command": command, "args": args})[0].containers[0].flags == flags


def test_a_bucket_in_a_flag_is_hashed():
    flags = one({**GPU, "args": ["--save=s3://key:secret@bucket/run"]})[0].containers[0].flags
    assert flags["--save"].startswith("s3://#")
    assert flags["--save"].endswith("/run")
    assert "bucket" not in flags["--save"]
    shown = gatherers(show_names=True)[Pod]
    flags = one({**GPU, "args": ["--save=s3://key:secret@bucket/run"]}, gatherer=shown)[0].containers[0].flags
    assert flags == {"--save": "s3://bucket/run"}


@pytest.mark.parametrize(
    ("volume", "read"),
    [
        pytest.param({"ephemeral": {"volumeClaimTemplate": {}}}, {"form": "ephemeral", "claim": "p-v"}, id="ephemeral"),
        pytest.param({"hostPath": {"path": "/mnt/d"}}, {"form": "host_path", "path": "/mnt/d"}, id="host path"),
        pytest.param({"emptyDir": {}}, {"form": "empty_dir"}, id="empty directory"),
        pytest.param(
            {"emptyDir": {"medium": "Memory", "sizeLimit": "64Gi"}},
            {"form": "empty_dir", "medium": "Memory", "size_limit": 64 * 2**30},
            id="memory",
        ),
        pytest.param(
            {
                "csi": {
                    "driver": "s3.csi.aws.com",
                    "readOnly": True,
                    "volumeAttributes": {"cache": "emptyDir", "other": "x"},
                }
            },
            {"form": "csi", "driver": "s3.csi.aws.com", "read_only": True, "attributes": {"cache": "emptyDir"}},
            id="inline CSI",
        ),
        pytest.param({"image": {"reference": "r"}}, {"form": "image"}, id="image"),
        pytest.param({"secret": {"secretName": "s"}}, {"form": "other"}, id="secret"),
    ],
)
def test_a_volume_is_read_by_its_form(volume, read):
    row, invalid = one(GPU, volumes=[{"name": "v", **volume}])
    assert row.volumes == (PodVolume(name="v", **{"attributes": {}, **read}),)
    assert not invalid


def test_an_nfs_export_is_one_hash():
    volumes = [{"name": "v", "nfs": {"server": "192.0.2.1", "path": "/export"}}]
    row, _ = one(GPU, volumes=volumes)
    assert row.volumes[0].form == "nfs"
    assert row.volumes[0].path.startswith("#")
    assert len(row.volumes[0].path) == 9
    shown, _ = one(GPU, volumes=volumes, gatherer=gatherers(show_names=True)[Pod])
    assert shown.volumes[0].path == "192.0.2.1:/export"


def test_an_unreadable_size_limit_is_counted_as_lost():
    assert one(GPU, volumes=[{"name": "v", "emptyDir": {"sizeLimit": "-1"}}]) == (None, 1)


@pytest.mark.parametrize(
    ("metadata", "run"),
    [
        pytest.param({}, ("Pod", "p"), id="nobody"),
        pytest.param(
            {"labels": {"jobset.sigs.k8s.io/jobset-name": "s", "batch.kubernetes.io/job-name": "s-0"}},
            ("JobSet", "s"),
            id="a job of a job set",
        ),
        pytest.param({"labels": {"batch.kubernetes.io/job-name": "j"}}, ("Job", "j"), id="a job"),
        pytest.param(
            {"ownerReferences": [{"kind": "A", "name": "a"}, {"kind": "B", "name": "b", "controller": True}]},
            ("B", "b"),
            id="a controller among owners",
        ),
        pytest.param({"ownerReferences": [{"kind": "A", "name": "a"}]}, ("A", "a"), id="an owner"),
        pytest.param(
            {
                "labels": {"pod-template-hash": "5d4f"},
                "ownerReferences": [{"kind": "ReplicaSet", "name": "web-5d4f", "controller": True}],
            },
            ("Deployment", "web"),
            id="a deployment",
        ),
        pytest.param({"ownerReferences": [{"kind": "A"}, {}]}, ("Pod", "p"), id="owners without names"),
    ],
)
def test_a_run_is_the_outermost_owner_that_the_pod_names(metadata, run):
    assert one(GPU, metadata=metadata)[0].run == Run(kind=run[0], namespace="ns", name=run[1])


def test_what_the_scheduler_and_the_kubelet_say_of_it_is_taken():
    status = {
        "containerStatuses": [
            {
                "name": "c",
                "restartCount": 3,
                "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                "lastState": {
                    "terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-01-01T00:00:00Z"}
                },
                "allocatedResourcesStatus": [
                    {"name": "nvidia.com/gpu", "resources": [{"resourceID": "GPU-0", "health": "Unhealthy"}]}
                ],
            }
        ],
        "conditions": [
            {"type": "Ready", "status": "False", "message": "not this one"},
            {
                "type": "PodScheduled",
                "status": "False",
                "message": "0/3 nodes are available",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            },
        ],
    }
    tolerations = [{"operator": "Exists"}, {"key": "k", "value": "v", "effect": "NoSchedule"}]
    asked = {"priority": 1000, "priorityClassName": "train", "schedulerName": "volcano", "restartPolicy": "Never"}
    terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    placing = {"tolerations": tolerations, "nodeSelector": {"pool": "a"}, "affinity": {"nodeAffinity": required}}
    row, _ = one({"name": "c", **GPU}, status=status, **placing, **asked)
    time = datetime(2026, 1, 1, tzinfo=UTC)

    assert (row.priority, row.priority_class, row.scheduler, row.restart_policy) == (1000, "train", "volcano", "Never")
    assert row.node_selector == {"pool": "a"}
    assert row.node_terms == ((Requirement(key="zone", operator="In", values=("a",)),),)
    assert row.tolerations == (Toleration(operator="Exists"), Toleration(key="k", value="v", effect="NoSchedule"))
    assert (row.unplaced_since, row.unplaced) == (time, "0/3 nodes are available")
    [container] = row.containers
    assert (container.restarts, container.waiting) == (3, "CrashLoopBackOff")
    assert container.ended == Ending(reason="OOMKilled", code=137, at=time)
    assert container.devices == (DeviceHealth(resource="nvidia.com/gpu", id="GPU-0", health="Unhealthy"),)


def test_a_placed_pod_is_not_unplaced():
    row, _ = one(GPU, status={"conditions": [{"type": "PodScheduled", "status": "True"}]})
    assert (row.unplaced_since, row.unplaced) == (None, "")


def test_no_value_of_an_unknown_variable_or_flag_reaches_a_snapshot():
    body = pod(
        {
            **GPU,
            "env": [{"name": "HF_TOKEN", "value": "top-secret"}, {"name": "MASTER_ADDR", "value": "top-secret"}],
            "command": ["sh", "-c", "export TOKEN=top-secret; train --save /ckpt --token top-secret"],
            "args": ["--password=top-secret"],
        },
        metadata={"annotations": {"a": "top-secret"}},
        volumes=[{"name": "v", "csi": {"driver": "unknown", "volumeAttributes": {"a": "top-secret"}}}],
    )
    (pruned,) = PODS.prune(b'{"kind":"PodList","apiVersion":"v1","items":[' + body + b"]}").objects
    assert b"top-secret" not in pruned
    assert b"--save=/ckpt" in pruned
