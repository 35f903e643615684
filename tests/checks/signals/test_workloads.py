"""Roles of paths, environment names, owners and run labels."""

import pytest

from kubegap_checks.model import Confidence
from kubegap_checks.signals.workloads import (
    Sign,
    env_setting,
    owner_kind,
    owner_kinds,
    role_hints,
    role_of,
    run_in,
    shown_env,
)


@pytest.mark.parametrize(
    ("sign", "text", "role"),
    [
        ("env", "DATA_PATH", "dataset"),
        ("env", "CKPT_DIR", "checkpoint"),
        ("env", "HF_HOME", "cache"),
        ("env", "TORCH_HOME", "cache"),
        ("env", "TRITON_CACHE_DIR", "compile_cache"),
        ("env", "SSD_MOUNT_PATH", "scratch"),
        ("flag", "--train-data-path", "dataset"),
        ("flag", "--dataset", "dataset"),
        ("flag", "--data-cache-path", "index_cache"),
        ("flag", "--save", "checkpoint"),
        ("flag", "--checkpoint_dir", "checkpoint"),
        ("flag", "checkpoints_path", "checkpoint"),
        ("mount_path", "/dev/shm", "shm"),  # noqa: S108 (the mount that the row is about)
        ("mount_path", "/data", "dataset"),
        ("mount_path", "/mnt/data/c4", "dataset"),
        ("mount_path", "/data/checkpoints", "checkpoint"),
        ("mount_path", "/local", "scratch"),
        ("volume_name", "a4x-storage-data-pvc", "dataset"),
        ("volume_name", "a4x-storage-ckpt-pvc", "checkpoint"),
    ],
)
def test_a_sign_says_what_a_path_is_for(sign: Sign, text: str, role: str):
    hint = role_of(sign, text)

    assert hint is not None
    assert hint.role == role


@pytest.mark.parametrize(
    ("sign", "text"),
    [
        ("env", "DATABASE_PATH"),
        ("env", "data_path"),
        ("flag", "--dataset_config_name"),
        ("flag", "--nproc_per_node"),
        ("mount_path", "/datasource"),
        ("mount_path", "/etc/config"),
        ("volume_name", "database"),
        ("volume_name", "metadata"),
    ],
)
def test_a_name_that_only_looks_alike_says_nothing(sign: Sign, text: str):
    assert role_of(sign, text) is None


def test_a_habit_of_naming_is_never_certain():
    assert all(row.confidence is not Confidence.CERTAIN for row in role_hints() if row.source == "habit of naming")


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        pytest.param("NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1", "=mlx5_0:1,mlx5_1:1", id="NCCL setting"),
        pytest.param("NCCL_DEBUG_FILE", "/var/log/nccl.%h.%p", "/var/log/nccl.%h.%p", id="NCCL path"),
        pytest.param("NCCL_COMM_ID", "10.0.0.1:1234", None, id="an address"),
        pytest.param("FI_PROVIDER", "tcp;ofi_rxm", "tcp;ofi_rxm", id="libfabric setting"),
        pytest.param("MASTER_ADDR", "worker-0", None, id="a host"),
        pytest.param("WORLD_SIZE", "64", "64", id="a number"),
        pytest.param("TORCH_FR_BUFFER_SIZE", "2000", "2000", id="flight recorder"),
        pytest.param("DATA_PATH", "/fsx/c4", "/fsx/c4", id="a path"),
        pytest.param("CHECKPOINT_DIR", "./checkpoints", "./checkpoints", id="a relative path"),
        pytest.param("DATA_PATH", "s3://bucket/c4", None, id="a bucket"),
        pytest.param("DATA_PATH", "https://user:secret@example.com/c4", None, id="a secret in a URL"),
        pytest.param("HF_TOKEN", "hf_abc", None, id="a token"),
        pytest.param("NCCL_NET", "line\nbreak", None, id="a control character"),
        pytest.param("AWS_SECRET_ACCESS_KEY", "abc", None, id="a key"),
    ],
)
def test_a_value_is_shown_only_where_it_can_hold_no_secret(name: str, value: str, shown: str | None):
    assert shown_env(name, value) == shown


def test_a_name_that_is_not_in_the_table_is_not_kept():
    assert env_setting("HF_TOKEN") is None
    assert env_setting("MASTER_ADDR") is not None
    assert env_setting("DATA_PATH") is not None


@pytest.mark.parametrize(
    ("kind", "training"),
    [
        ("PyTorchJob", Confidence.CERTAIN),
        ("TrainJob", Confidence.CERTAIN),
        ("MPIJob", Confidence.LIKELY),
        ("Job", Confidence.HINT),
    ],
)
def test_an_owner_says_how_sure_it_is_that_its_pods_train(kind: str, training: Confidence):
    row = owner_kind(kind)

    assert row is not None
    assert (row.training, row.serves) == (training, False)


def test_an_owner_that_serves_is_never_more_than_a_hint():
    assert all(row.training is Confidence.HINT for row in owner_kinds() if row.serves)
    assert owner_kind("SomethingElse") is None


@pytest.mark.parametrize(
    ("labels", "run"),
    [
        pytest.param(
            {"jobset.sigs.k8s.io/jobset-name": "a", "batch.kubernetes.io/job-name": "a-0"},
            ("JobSet", "a"),
            id="outermost",
        ),
        pytest.param(
            {"training.kubeflow.org/job-name": "b", "training.kubeflow.org/operator-name": "pytorchjob-controller"},
            ("PyTorchJob", "b"),
            id="told apart by another label",
        ),
        pytest.param({"training.kubeflow.org/job-name": "b"}, None, id="a label that several kinds use"),
        pytest.param({"ray.io/cluster": "c"}, ("RayCluster", "c"), id="Ray"),
        pytest.param({"volcano.sh/job-name": "d"}, ("Job.batch.volcano.sh", "d"), id="Volcano"),
        pytest.param({"jobset.sigs.k8s.io/jobset-name": ""}, None, id="an empty value"),
        pytest.param({"app": "x"}, None, id="no run"),
    ],
)
def test_labels_name_the_outermost_run(labels: dict[str, str], run: tuple[str, str] | None):
    assert run_in(labels) == run
