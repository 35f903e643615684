import pytest

from checks import build
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod, PodVolume
from kubegap_checks.facts.read import Record, UnreadError
from kubegap_checks.facts.storage import Volume
from kubegap_checks.inventory.local_disks import holds_local_disks, local_disks, nodes_with_local_volumes

TYPE = "node.kubernetes.io/instance-type"
NVME = "karpenter.k8s.aws/instance-local-nvme"
GPUS = {"nvidia.com/gpu": 8, "ephemeral-storage": 10**11}


def gpu_node(labels: dict[str, str], **fields: object) -> Node:
    return build.node("gpu-1", labels, GPUS, **fields)


@pytest.mark.parametrize(
    ("labels", "gigabytes"),
    [
        pytest.param({NVME: "7500"}, [7500], id="a label"),
        pytest.param({TYPE: "p5.48xlarge"}, [30400], id="the type"),
        pytest.param({TYPE: "p5.48xlarge", NVME: "7500"}, [7500], id="the label before the type"),
        pytest.param({TYPE: "never.heard"}, [], id="a type that no row knows"),
        pytest.param({NVME: "0"}, [], id="none"),
    ],
)
def test_what_tells_of_nvme(labels: dict[str, str], gigabytes: list[int]) -> None:
    assert [disks.gigabytes for disks in local_disks(build.facts(gpu_node(labels)))] == gigabytes


def test_the_share_counts_decimal_gigabytes() -> None:
    (disks,) = local_disks(build.facts(gpu_node({NVME: "1000"})))

    assert disks.percent == 10
    assert disks.offered_path == "status.allocatable.ephemeral-storage"


HOST = ({"kubernetes.io/hostname": ("a",)}, {"kubernetes.io/hostname": ("b",)})
NVME_PATH = PodVolume(name="x", form="host_path", path="/mnt/nvme", attributes={})


@pytest.mark.parametrize(
    ("record", "nodes"),
    [
        pytest.param(build.volume(local_path="/d", node_affinity=HOST), {"a", "b"}, id="a local volume"),
        pytest.param(build.volume(host_path="/mnt/nvme/x", node_affinity=HOST), {"a", "b"}, id="a host path"),
        pytest.param(build.volume(driver="topolvm.io", node_affinity=HOST), {"a", "b"}, id="a node-local driver"),
        pytest.param(build.volume(driver="ebs.csi.aws.com", node_affinity=HOST), set(), id="a disk of the cloud"),
        pytest.param(build.pod(node="a", volumes=(NVME_PATH,)), {"a"}, id="a pod"),
    ],
)
def test_which_nodes_hold_local_data(record: Record, nodes: set[str]) -> None:
    assert nodes_with_local_volumes(build.facts(record)) == nodes


@pytest.mark.parametrize("kind", [Pod, Volume])
def test_that_nobody_uses_the_disks_needs_all_pods_and_volumes(kind: type[Record]) -> None:
    with pytest.raises(UnreadError):
        nodes_with_local_volumes(build.facts(unread=[kind]))


def test_a_node_goes_by_its_host_name_too() -> None:
    node = gpu_node({"kubernetes.io/hostname": "rack1-7"})

    assert holds_local_disks(node, frozenset({"rack1-7"}))
    assert not holds_local_disks(node, frozenset({"rack1-8"}))
