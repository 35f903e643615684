"""What opens a fabric, and what only looks like it; which labels name a part of the network on which nodes."""

import pytest

from kubegap_checks.signals.fabric_access import Place, fabric_access, gives_access
from kubegap_checks.signals.fabric_domains import fabric_domains
from kubegap_checks.signals.workloads import shown_env
from tests.checks import build


@pytest.mark.parametrize(
    ("sign", "key", "value", "opens"),
    [
        ("host_path", "/dev", None, True),
        ("host_path", "/dev/", None, True),
        ("host_path", "/dev/infiniband/uverbs0", None, True),
        ("host_path", "/dev/shm", None, False),  # noqa: S108 (a path that is matched)
        ("host_path", "/sys/class/infiniband", None, False),
        ("env", "NCCL_NET", "ib", False),
        ("env", "NCCL_NET", "Socket", True),
        ("env", "NCCL_NET_PLUGIN", "none", False),
        ("env", "NCCL_NET_PLUGIN", "gIB", True),
        ("env", "NCCL_IB_DISABLE", "1", False),
        ("env_off", "NCCL_IB_DISABLE", "1", True),
        ("env_off", "NCCL_IB_DISABLE", "0", False),
        ("env", "NCCL_IB_HCA", "mlx5", False),
        ("env", "FI_PROVIDER", "efa", False),
        ("env", "FI_PROVIDER", "tcp;ofi_rxm", True),
        ("annotation", "NCCL_NET", "Socket", False),
        ("agent_image", "nvcr.io/nvidia/k8s-device-plugin:v0.19.2-ubi9", None, True),
        ("agent_image", "nvcr.io/nvidia/k8s-device-plugin:v0.19.3", None, False),
        ("agent_image", "docker.io/rocm/k8s-device-plugin:1.31.0.9", None, False),
    ],
)
def test_what_opens_a_fabric(sign: Place, key: str, value: str | None, opens: bool):  # noqa: FBT001
    assert gives_access(sign, key, value) is opens


def test_every_variable_that_decides_is_one_whose_value_is_kept():
    names = [row.key.pattern for row in fabric_access() if row.sign in {"env", "env_off", "agent_env"}]

    assert [name for name in names if shown_env(name, "1") is None] == []


@pytest.mark.parametrize(
    ("resource", "apart"),
    [
        ("vpc.amazonaws.com/efa", True),
        ("networking.gke.io.networks/rdma-7", True),
        ("networking.gke.io.networks/rdma-7.IP", False),
        ("rdma/ib", False),
    ],
)
def test_a_zone_bounds_only_some_fabrics(resource: str, apart: bool):  # noqa: FBT001
    node = build.node(labels={"topology.kubernetes.io/zone": "a"}, devices={resource: 1})

    assert any(row.of(node) == "a" for row in fabric_domains()) is apart


def test_what_is_apart_comes_first():
    between = [row.between for row in fabric_domains()]

    assert between == sorted(between)
