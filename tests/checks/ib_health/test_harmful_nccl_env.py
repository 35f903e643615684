from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from kubegap_checks.facts.nodes import Node, ResourceSlice, SliceDevice
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Partial, Record
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.ib_health.harmful_nccl_env import CHECK
from tests.checks import build

GPUS = {"nvidia.com/gpu": 8}
IB = GPUS | {"rdma/ib": 8}
EFA = GPUS | {"vpc.amazonaws.com/efa": 32}
OFF = {"NCCL_IB_DISABLE": "1"}
NO_P2P = {"NCCL_P2P_DISABLE": "1"}
ON_EFA: dict[str, Any] = {"resources": EFA}
H100 = build.node("gpu-0", {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}, GPUS)
RTX = build.node("gpu-0", {"nvidia.com/gpu.product": "NVIDIA-GeForce-RTX-4090"}, GPUS)
OF_DRA = build.resource_slice(
    "gpu-0", "gpu.nvidia.com", SliceDevice(name="gpu-0", attributes={"type": "gpu", "uuid": "GPU-0"})
)


def of(env: Mapping[str, str | None], number: int = 0, **fields: Any) -> Pod:
    worker = build.container(env=env, limits=GPUS)
    defaults: dict[str, Any] = {"node": f"gpu-{number}", "resources": IB, "containers": (worker,)}
    return build.pod(f"train-{number}", **defaults | fields)


def two(env: Mapping[str, str | None], **fields: Any) -> tuple[Pod, ...]:
    """A run on two nodes."""
    return tuple(of(env, number, **fields) for number in range(2))


def run(*records: Record, unread: tuple[type[Record], ...] = ()) -> Verdict:
    return CHECK.run(build.facts(*records, unread=unread))


@pytest.mark.parametrize(
    ("records", "status"),
    [
        pytest.param(two(OFF), "gap", id="RDMA off, beside RDMA adapters that the pods ask for"),
        pytest.param(two({"NCCL_IB_DISABLE": "0"}), "clear", id="the default"),
        pytest.param(two({}), "clear", id="not set"),
        pytest.param((of(OFF),), "clear", id="a run of one pod"),
        pytest.param(two(OFF, node="gpu-0"), "clear", id="two pods on one node"),
        pytest.param((of(OFF), of(OFF, 1, node="")), "clear", id="one of two pods not scheduled yet"),
        pytest.param(two(OFF, node=""), "clear", id="not scheduled yet"),
        pytest.param(two(OFF, resources=GPUS), "clear", id="no adapters asked for"),
        pytest.param(two(OFF, resources=GPUS | {"rdma/ib": 0}), "clear", id="none of the adapters asked for"),
        pytest.param(two(OFF, **ON_EFA), "clear", id="EFA, which this does not switch off"),
        pytest.param(
            two(OFF, resources=GPUS | {"networking.gke.io.networks/vpc1": 1}), "clear", id="GPUDirect-TCPX networks"
        ),
        pytest.param(two(OFF | {"NCCL_NET": "gIB"}), "clear", id="another network is named"),
        pytest.param(two(OFF | {"NCCL_NET": "IB"}), "gap", id="the network that is off is named"),
        pytest.param(two(OFF | {"NCCL_NET_PLUGIN": "ucx"}), "clear", id="a plugin is named"),
        pytest.param(two(OFF | {"NCCL_NET_PLUGIN": "none"}), "gap", id="plugins are off too"),
        pytest.param(two(OFF | {"NCCL_MNNVL_ENABLE": "1"}), "clear", id="NVLink between nodes"),
        pytest.param(
            two(OFF, run=Run(kind="Deployment", namespace="ml", name="x")), "not_applicable", id="pods that serve"
        ),
        pytest.param(two({"NCCL_NET": "socket"}), "gap", id="sockets beside RDMA"),
        pytest.param(two({"NCCL_NET": "Socket"}, **ON_EFA), "gap", id="sockets beside EFA"),
        pytest.param(
            two({"NCCL_NET": "Socket", "NCCL_MNNVL_ENABLE": "1"}), "clear", id="sockets beside NVLink between nodes"
        ),
        pytest.param(two({"NCCL_NET": "AWS Libfabric"}, **ON_EFA), "clear", id="what the guide for EFA names"),
        pytest.param(two({"FI_PROVIDER": "tcp"}, **ON_EFA), "gap", id="TCP below libfabric, beside EFA"),
        pytest.param(two({"FI_PROVIDER": "tcp,efa"}, **ON_EFA), "clear", id="EFA is one of the providers"),
        pytest.param(two({"FI_PROVIDER": "tcp"}), "clear", id="libfabric is not what NCCL sends through"),
        pytest.param(two({"NCCL_NET_GDR_LEVEL": "LOC"}), "gap", id="no GPUDirect RDMA"),
        pytest.param(two({"NCCL_NET_GDR_LEVEL": "PIX"}), "clear", id="GPUDirect RDMA below one switch, as guides have"),
        pytest.param(
            two({"NCCL_NET_GDR_LEVEL": "LOC", "NCCL_MULTI_RANK_GPU_ENABLE": "1"}), "clear", id="ranks that share a GPU"
        ),
        pytest.param(two({"NCCL_NET_GDR_LEVEL": "LOC", "NCCL_NET_GDR_C2C": "1"}), "clear", id="GPUDirect by C2C"),
        pytest.param(two({"NCCL_IB_TIMEOUT": "14"}), "gap", id="a timeout of half a second"),
        pytest.param(two({"NCCL_IB_TIMEOUT": "18"}), "clear", id="the default of earlier versions"),
        pytest.param(two({"NCCL_IB_TIMEOUT": "22"}), "clear", id="a longer timeout, as guides have"),
        pytest.param(two({"NCCL_IB_RETRY_CNT": "3"}), "gap", id="fewer tries"),
        pytest.param(two({"NCCL_IB_RETRY_CNT": "7"}), "clear", id="the default number of tries"),
        pytest.param(two({"NCCL_PROTO": "Simple"}), "gap", id="one protocol"),
        pytest.param(two({"NCCL_PROTO": "^LL128"}), "clear", id="a protocol left out because of a fault"),
        pytest.param(two({"NCCL_PROTO": "simple"}, **ON_EFA), "clear", id="what old guides for EFA ask for"),
        pytest.param(two({"NCCL_ALGO": "Ring"}), "gap", id="one algorithm"),
        pytest.param(two({"NCCL_ALGO": "Ring,Tree"}), "clear", id="two algorithms"),
        pytest.param(two({"NCCL_SHM_DISABLE": "1"}), "clear", id="what keeps a broken NVLink from hiding"),
        pytest.param((H100, of(NO_P2P)), "gap", id="NVLink off in one pod of eight GPUs"),
        pytest.param((H100, of({"NCCL_P2P_LEVEL": "LOC"})), "gap", id="NVLink off by its level"),
        pytest.param((H100, of({"NCCL_P2P_LEVEL": "NVL"})), "clear", id="NVLink only"),
        pytest.param((RTX, of(NO_P2P)), "clear", id="GPUs without NVLink"),
        pytest.param((H100, of(NO_P2P, resources={"nvidia.com/gpu": 1})), "clear", id="one GPU"),
        pytest.param((build.node("gpu-0", devices=GPUS), of(NO_P2P)), "unknown", id="GPUs without a product"),
        pytest.param((), "not_applicable", id="no pods"),
    ],
)
def test_settings_hurt_where_what_they_switch_off_is_there(records: tuple[Record, ...], status: Status) -> None:
    assert run(*records).status == status


@pytest.mark.parametrize(
    ("env", "status"),
    [
        pytest.param({"NCCL_IB_DISABLE": None}, "unknown", id="the value comes from elsewhere"),
        pytest.param(OFF | {"NCCL_NET": None}, "unknown", id="what may excuse it comes from elsewhere"),
        pytest.param({"NCCL_IB_DISABLE": None, "NCCL_NET": "gIB"}, "clear", id="excused whatever the value is"),
    ],
)
def test_a_value_that_is_not_in_the_spec_is_unknown(env: dict[str, str | None], status: Status) -> None:
    assert run(*two(env)).status == status


def test_a_value_from_elsewhere_does_not_hide_the_one_that_is_seen() -> None:
    verdict = run(of({"NCCL_IB_DISABLE": None}), of(OFF, 1))

    assert (verdict.status, verdict.unread) == ("gap", ())


def test_a_run_is_one_finding_for_each_setting() -> None:
    verdict = run(*two(OFF | {"NCCL_IB_RETRY_CNT": "3"}))

    assert [(str(finding.subject), finding.key, finding.severity) for finding in verdict.findings] == [
        ("PyTorchJob/ml/train", "NCCL_IB_DISABLE", Severity.HIGH),
        ("PyTorchJob/ml/train", "NCCL_IB_RETRY_CNT", Severity.MEDIUM),
    ]
    assert verdict.findings[0].says.en == (
        "NCCL_IB_DISABLE=1 keeps NCCL off the RDMA adapters that the pods ask for, "
        "so traffic between nodes goes over TCP"
    )
    assert verdict.findings[0].evidence == {
        "Pod[ml/train-0].spec.containers[trainer].env[NCCL_IB_DISABLE]": "1",
        "Pod[ml/train-0].spec.containers.resources.limits[rdma/ib]": 8,
    }


@pytest.mark.parametrize(
    ("pods", "confidence"),
    [
        pytest.param(two(OFF), Confidence.LIKELY, id="a training job"),
        pytest.param(two(OFF | {"NCCL_DEBUG": "INFO"}), Confidence.HINT, id="someone looks for a fault"),
        pytest.param(two(OFF | {"NCCL_DEBUG": "WARN"}), Confidence.LIKELY, id="warnings, as most jobs have"),
        pytest.param(two({"NCCL_ALGO": "Ring"}), Confidence.HINT, id="a setting that may be meant"),
        pytest.param((H100, of(NO_P2P, run=Run(kind="Job", namespace="ml", name="x"), resources=GPUS)),
                     Confidence.HINT, id="a pod that only looks like training"),
    ],
)  # fmt: skip
def test_how_sure_it_is(pods: tuple[Record, ...], confidence: Confidence) -> None:
    verdict = run(*pods)

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [confidence]


@pytest.mark.parametrize(
    ("records", "unread", "status"),
    [
        pytest.param(two(OFF), (Pod,), "unknown", id="pods"),
        pytest.param(two(OFF), (Node, ResourceSlice), "gap", id="nodes do not matter to adapters"),
        pytest.param((H100, of(NO_P2P)), (Node,), "unknown", id="nodes"),
        pytest.param((H100, of(NO_P2P)), (ResourceSlice,), "gap", id="slices, where a label names the product"),
        pytest.param((build.node("gpu-0"), OF_DRA, of(NO_P2P)), (ResourceSlice,), "unknown", id="slices"),
        pytest.param((H100, of({})), (Node, ResourceSlice), "clear", id="nothing that they could tell matters"),
    ],
)
def test_what_is_unread(records: tuple[Record, ...], unread: tuple[type[Record], ...], status: Status) -> None:
    assert run(*records, unread=unread).status == status


def test_some_namespaces_only() -> None:
    partial = Partial(two({}), (build.forbidden(Pod),))

    assert CHECK.run(build.facts().but(Pod, partial)).status == "unknown"
    assert CHECK.run(build.facts().but(Pod, replace(partial, rows=two(OFF)))).status == "gap"
