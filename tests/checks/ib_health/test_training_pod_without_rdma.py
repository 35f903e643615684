from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice, SliceDevice
from kubegap_checks.facts.pods import Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity, Status
from kubegap_checks.rules.ib_health.training_pod_without_rdma import CHECK
from tests.checks.build import (
    container,
    daemon_set,
    facts,
    nic_cluster_policy,
    node,
    node_feature,
    pod,
    resource_slice,
    template,
)

GPUS = {"nvidia.com/gpu": 8}
IB = GPUS | {"rdma/ib": 8}
POOL = {"nvidia.com/net_pool": 8}
TOLD: Mapping[str, str | None] = {"MASTER_ADDR": None}
CLIQUE = "nvidia.com/gpu.clique"


def nodes(devices: Mapping[str, int] = IB, *values: str, key: str = CLIQUE) -> list[Node]:
    return [
        node(f"gpu-{place}", {key: value} if value else {}, devices) for place, value in enumerate(values or ("", ""))
    ]


def pods(
    count: int = 2,
    resources: Mapping[str, int] = GPUS,
    kind: str = "PyTorchJob",
    env: Mapping[str, str | None] = TOLD,
    made: Mapping[str, Any] | None = None,
    **fields: Any,
) -> list[Pod]:
    trainer = container(limits=resources, env=env, **(made or {}))
    owner = Run(kind=kind, namespace="ml", name="train")
    common: dict[str, Any] = {"resources": resources, "containers": (trainer,), "run": owner} | fields
    return [pod(f"train-{n}", node=f"gpu-{n}", **common) for n in range(count)]


def mounted(path: str) -> tuple[PodVolume, ...]:
    return (PodVolume(name="v", form="host_path", path=path, attributes={}),)


def plugin(image: str = "nvcr.io/nvidia/k8s-device-plugin:v0.18.2", **env: str) -> DaemonSet:
    return daemon_set("plugin", template=template(container(image=image, env=env)))


def adapters(name: str) -> ResourceSlice:
    return resource_slice(name, "dra.net", SliceDevice(name="ib0", attributes={"dra.net/rdma": "true"}))


DRA = [adapters("gpu-0"), adapters("gpu-1")]
GAP = facts(*nodes(), *pods(), plugin())


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(GAP, "gap", id="the nodes offer a fabric, the pods do not ask"),
        pytest.param(facts(*nodes(), *pods(resources=IB)), "clear", id="the pods ask"),
        pytest.param(facts(*nodes(GPUS), *pods()), "clear", id="the nodes offer no fabric"),
        pytest.param(facts(*nodes(), *pods(count=1)), "clear", id="one node"),
        pytest.param(facts(*nodes(), *pods(count=1), unread=(NodeFeature,)), "clear", id="one node, whatever it has"),
        pytest.param(facts(*(replace(one, allocatable=None) for one in nodes()), *pods()), "gap", id="half a status"),
        pytest.param(facts(nodes()[0], *nodes(GPUS)[1:], *pods()), "clear", id="one of the nodes offers a fabric"),
        pytest.param(facts(*nodes(), *pods(device_claims=1)), "clear", id="devices are claimed"),
        pytest.param(
            facts(*nodes(), *pods(resources=GPUS | {"example.com/fast-net": 1})), "clear", id="an unknown resource"
        ),
        pytest.param(facts(*nodes(), *pods(resources=GPUS | {"hugepages-2Mi": 5})), "gap", id="hugepages"),
        pytest.param(facts(*nodes(GPUS | {"rdma/hca": 63}), *pods()), "gap", id="a shared resource"),
        pytest.param(facts(*nodes(GPUS | {"rdma/hca": 0}), *pods()), "clear", id="a resource at zero"),
        pytest.param(
            facts(*nodes(GPUS | {"openshift.io/net": 8}), *pods()), "clear", id="virtual functions of any network"
        ),
        pytest.param(
            facts(
                *nodes(GPUS | {"openshift.io/net": 8}),
                *pods(),
                *(node_feature(f"gpu-{n}", {("15b3", "0207", "1021"): 8}) for n in range(2)),
            ),
            "gap",
            id="virtual functions of InfiniBand",
        ),
        pytest.param(
            facts(*nodes(GPUS | {"networking.gke.io.networks/rdma-0": 1}), *pods()), "gap", id="networks of GKE's"
        ),
        pytest.param(
            facts(*nodes(GPUS | POOL), *pods(), nic_cluster_policy(counted_resources=frozenset(POOL))),
            "clear",
            id="a resource of which only the policy knows, and not its kind",
        ),
        pytest.param(facts(*nodes(GPUS), *pods(), *DRA), "gap", id="adapters are there to be claimed"),
        pytest.param(
            facts(*nodes(), *pods(annotations={"k8s.v1.cni.cncf.io/networks": "ib-sriov"})),
            "clear",
            id="a network by annotation",
        ),
        pytest.param(facts(*nodes(), *pods(annotations={"a/b": "c"})), "gap", id="another annotation"),
        pytest.param(facts(*nodes(), *pods(volumes=mounted("/dev/infiniband"))), "clear", id="the host's verbs"),
        pytest.param(facts(*nodes(), *pods(volumes=mounted("/data"))), "gap", id="another path of the host"),
        pytest.param(facts(*nodes(), *pods(made={"privileged": True})), "clear", id="privileged"),
        pytest.param(facts(*nodes(), *pods(env=TOLD | {"NCCL_NET": "FasTrak"})), "clear", id="a plugin"),
        pytest.param(facts(*nodes(), *pods(env=TOLD | {"NCCL_NET": "IB"})), "gap", id="InfiniBand by name"),
        pytest.param(facts(*nodes(), *pods(env=TOLD | {"NCCL_NET": None})), "clear", id="a setting from elsewhere"),
        pytest.param(facts(*nodes(), *pods(env=TOLD | {"NCCL_DEBUG": "INFO"})), "gap", id="another setting"),
        pytest.param(facts(*nodes(IB, "c.1", "c.1"), *pods()), "clear", id="nodes that share memory"),
        pytest.param(facts(*nodes(IB, "c.1", "c.2"), *pods()), "gap", id="nodes of two racks"),
        pytest.param(facts(*nodes(IB, "r1", "r1", key="rack"), *pods()), "gap", id="a label of another kind"),
        pytest.param(facts(*nodes(), *pods(kind="Deployment")), "not_applicable", id="what serves"),
        pytest.param(
            facts(*nodes(), *pods(kind="Job", env={})), "not_applicable", id="a Job that only looks like training"
        ),
        pytest.param(facts(*nodes(), *pods(kind="Job")), "gap", id="a Job of torchrun"),
        pytest.param(
            facts(*nodes(), *pods(), plugin("nvcr.io/nvidia/k8s-device-plugin:v0.19.1")),
            "clear",
            id="a device plugin that gives verbs to all",
        ),
        pytest.param(facts(*nodes(), *pods(), plugin(MOFED_ENABLED="true")), "clear", id="one that is told to"),
        pytest.param(facts(*nodes(), *pods(), plugin(MOFED_ENABLED="false")), "gap", id="one that is told not to"),
        pytest.param(
            facts(*nodes(), *pods(), node_feature("gpu-0", modules=frozenset({"nvidia_fs"}))),
            "clear",
            id="GPUDirect Storage brings verbs with it",
        ),
        pytest.param(
            facts(*nodes(), *pods(), node_feature("gpu-0", modules=frozenset({"nvidia"}))), "gap", id="another module"
        ),
        pytest.param(
            facts(*nodes(), *pods(), node_feature("gpu-0", modules=None)), "gap", id="modules that are not listed"
        ),
        pytest.param(facts(*nodes()), "not_applicable", id="no run"),
        *(
            pytest.param(facts(*nodes(), *pods(), unread=(kind,)), "unknown", id=f"{kind.__name__} is unread")
            for kind in (Pod, Node, NodeFeature, ResourceSlice, NicClusterPolicy, DaemonSet)
        ),
        *(
            pytest.param(
                facts(*nodes(), *pods(resources=IB), unread=(kind,)), "clear", id=f"no need of {kind.__name__}"
            )
            for kind in (Node, NodeFeature, ResourceSlice, NicClusterPolicy, DaemonSet)
        ),
    ],
)
def test_status(given: Facts, status: Status) -> None:
    assert CHECK.run(given).status == status


def test_the_run_is_named_with_what_its_nodes_offer() -> None:
    (finding,) = CHECK.run(GAP).findings

    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == "its pods on 2 nodes that offer rdma/ib ask for none of it"
    assert finding.evidence == {
        "Pod[ml/train-0].spec.containers.resources.limits": "nvidia.com/gpu",
        "Node[gpu-0].status.allocatable.rdma/ib": "rdma/ib",
    }


@pytest.mark.parametrize(
    ("members", "severity", "confidence"),
    [
        pytest.param(pods(), Severity.HIGH, Confidence.LIKELY, id="whole nodes, and it surely trains"),
        pytest.param(pods(env={}), Severity.HIGH, Confidence.LIKELY, id="by its kind"),
        pytest.param(pods(kind="MPIJob"), Severity.HIGH, Confidence.LIKELY, id="by its rendezvous"),
        pytest.param(pods(kind="MPIJob", env={}), Severity.LOW, Confidence.HINT, id="ranks may work alone"),
        pytest.param(pods(resources={"nvidia.com/gpu": 1}), Severity.LOW, Confidence.LIKELY, id="parts of nodes"),
        pytest.param(pods(env=TOLD | {"NCCL_IB_DISABLE": "1"}), Severity.LOW, Confidence.HINT, id="off, meant or not"),
        pytest.param(pods(env=TOLD | {"NCCL_IB_DISABLE": "0"}), Severity.HIGH, Confidence.LIKELY, id="not off"),
        pytest.param(pods(made={"env_from": True}), Severity.LOW, Confidence.HINT, id="a config map beside"),
    ],
)
def test_how_bad_and_how_sure(members: list[Pod], severity: Severity, confidence: Confidence) -> None:
    (finding,) = CHECK.run(facts(*nodes(), *members)).findings

    assert (finding.severity, finding.confidence) == (severity, confidence)


def test_a_shared_resource_counts_no_adapters() -> None:
    (finding,) = CHECK.run(facts(*nodes(GPUS | {"rdma/hca": 63}), *pods())).findings

    assert finding.evidence["Node[gpu-0].status.allocatable"] == "rdma/hca"


def test_adapters_to_be_claimed_are_named_as_such() -> None:
    (finding,) = CHECK.run(facts(*nodes(GPUS), *pods(), *DRA)).findings

    assert finding.evidence["Node[gpu-0].ResourceSlice.spec.devices"] == "DRA adapters"
