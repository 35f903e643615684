"""Accelerators, fabrics and machine types: what is counted, what is recognized, what is known to be there."""

import pytest

from kubegap_checks.facts.nodes import PciDevice
from kubegap_checks.signals.accelerators import Accelerator, accelerators
from kubegap_checks.signals.fabrics import fabric_of, fabrics
from kubegap_checks.signals.instance_labels import instance_labels, told
from kubegap_checks.signals.instance_types import instance_type, instance_types

ACCELERATORS = {row.vendor: row for row in accelerators()}
NVIDIA = ACCELERATORS["nvidia"]
AMD = ACCELERATORS["amd"]


@pytest.mark.parametrize(
    ("resource", "vendor", "unit"),
    [
        ("nvidia.com/gpu", "nvidia", "whole"),
        ("nvidia.com/gpu.shared", "nvidia", "shared"),
        ("nvidia.com/mig-1g.10gb", "nvidia", "sliced"),
        ("amd.com/gpu", "amd", "whole"),
        ("amd.com/cpx_nps4", "amd", "sliced"),
        ("habana.ai/gaudi", "gaudi", "whole"),
        ("gpu.intel.com/xe", "intel", "whole"),
        ("aws.amazon.com/neuron", "neuron", "whole"),
        ("google.com/tpu", "tpu", "whole"),
        ("nvidia.com/hostdev", None, None),
        ("nvidia.com/rdma-vf", None, None),
        ("gpu.intel.com/i915_monitoring", None, None),
        ("vpc.amazonaws.com/efa", None, None),
        ("aws.amazon.com/neuroncore", "neuron", "parts"),
    ],
)
def test_a_resource_counts_devices_shares_or_slices_of_one_vendor(resource: str, vendor: str | None, unit: str | None):
    found = [
        (row.vendor, name)
        for row in accelerators()
        for name in ("whole", "shared", "sliced", "parts")
        if (pattern := getattr(row, name)) and pattern.fullmatch(resource)
    ]
    assert found == ([(vendor, unit)] if vendor else [])


@pytest.mark.parametrize(
    ("row", "labels", "present"),
    [
        pytest.param(NVIDIA, {"nvidia.com/gpu.present": "true"}, True, id="GPU Operator"),
        pytest.param(
            NVIDIA, {"feature.node.kubernetes.io/pci-0302_10de.present": "true"}, True, id="NFD, class and vendor"
        ),
        pytest.param(NVIDIA, {"feature.node.kubernetes.io/pci-10de.present": "true"}, True, id="NFD, vendor"),
        pytest.param(NVIDIA, {"feature.node.kubernetes.io/pci-0680_10de.present": "true"}, False, id="NVSwitch only"),
        pytest.param(NVIDIA, {"nvidia.com/gpu.count": "0"}, False, id="a count of none"),
        pytest.param(NVIDIA, {"cloud.google.com/gke-accelerator": "nvidia-h100-mega-80gb"}, True, id="GKE"),
        pytest.param(NVIDIA, {"kubernetes.azure.com/accelerator": "amd"}, False, id="another vendor on AKS"),
        pytest.param(AMD, {"kubernetes.azure.com/accelerator": "amd"}, True, id="AMD on AKS"),
        pytest.param(AMD, {"beta.amd.com/gpu.family.VI": "1"}, True, id="AMD, old counted label"),
        pytest.param(AMD, {"amd.com/gpu.product-name": "Instinct_MI300X"}, True, id="AMD, new label"),
        pytest.param(AMD, {"amd.com/gpu-driver-upgrade-state": ""}, False, id="AMD, a label of its operator"),
        pytest.param(ACCELERATORS["tpu"], {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice"}, True, id="TPU"),
    ],
)
def test_labels_show_that_a_node_has_devices(row: Accelerator, labels: dict[str, str], *, present: bool):
    assert any(match.key_in(labels) for match in row.present) is present


@pytest.mark.parametrize(
    ("row", "labels", "says"),
    [
        pytest.param(NVIDIA, {"nvidia.com/gpu.product": "NVIDIA-A100-MIG-1g.5gb"}, True, id="MIG single"),
        pytest.param(NVIDIA, {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}, False, id="whole GPUs"),
        pytest.param(AMD, {"amd.com/gpu.compute-memory-partition": "cpx_nps4"}, True, id="AMD, partitioned"),
        pytest.param(AMD, {"amd.com/gpu.compute-memory-partition": "spx_nps1"}, False, id="AMD, whole"),
    ],
)
def test_labels_say_when_a_count_is_one_of_slices(row: Accelerator, labels: dict[str, str], *, says: bool):
    assert any(match.key_in(labels) for match in row.units_when) is says


@pytest.mark.parametrize(
    "labels",
    [
        {"nvidia.com/gpu.workload.config": "vm-passthrough"},
        {"nvidia.com/gpu.deploy.operands": "false"},
        {"nvidia.com/gpu.deploy.device-plugin": "paused-for-driver-upgrade"},
    ],
)
def test_labels_explain_a_node_that_offers_no_gpu_on_purpose(labels: dict[str, str]):
    assert any(match.key_in(labels) for match in NVIDIA.no_capacity_is_normal)


def test_an_empty_deploy_label_explains_nothing():
    labels = {"nvidia.com/gpu.deploy.nvsm": "", "nvidia.com/gpu.deploy.device-plugin": "true"}

    assert not any(match.key_in(labels) for match in NVIDIA.no_capacity_is_normal)


def test_a_driver_version_is_put_together_from_whatever_keys_there_are():
    found = [
        version
        for keys in NVIDIA.driver
        if (
            version := keys.version_in(
                {
                    "nvidia.com/cuda.driver.major": "550",
                    "nvidia.com/cuda.driver.minor": "107",
                    "nvidia.com/cuda.driver.rev": "",
                }
            )
        )
    ]
    assert found == ["550.107"]


def test_an_nvswitch_is_not_a_gpu():
    assert "0680" not in NVIDIA.pci_classes
    assert NVIDIA.pci_vendor == "10de"


@pytest.mark.parametrize(
    ("resource", "kind", "counts"),
    [
        ("vpc.amazonaws.com/efa", "efa", "devices"),
        ("nvidia.com/rdma-vf", "roce", "devices"),
        ("openshift.io/ibrdma", None, "devices"),
        ("nvidia.com/mlnxnics", None, "devices"),
        ("rdma/shared_ib", "infiniband", "shared"),
        ("rdma/ib", "infiniband", "by_size"),
        ("rdma/rdma_shared_device_a", None, "by_size"),
        ("networking.gke.io.networks/rdma-0", "roce", "devices"),
    ],
)
def test_a_resource_stands_for_a_fabric(resource: str, kind: str | None, counts: str):
    fabric = fabric_of(resource)

    assert fabric is not None
    assert (fabric.kind, fabric.counts) == (kind, counts)


@pytest.mark.parametrize(
    "resource", ["nvidia.com/gpu", "networking.gke.io.networks/rdma-0.IP", "vpc.amazonaws.com/pod-eni", "hugepages-2Mi"]
)
def test_a_resource_that_is_no_adapter_stands_for_none(resource: str):
    assert fabric_of(resource) is None


@pytest.mark.parametrize(
    ("device", "kind"),
    [
        pytest.param(PciDevice(vendor="15b3", cls="0207", device="1021"), "infiniband", id="InfiniBand adapter"),
        pytest.param(PciDevice(vendor="15b3", cls="0200", device="1021"), "roce", id="Ethernet adapter"),
        pytest.param(PciDevice(vendor="1d0f", cls="0200", device="efa2"), "efa", id="EFA"),
        pytest.param(PciDevice(vendor="1d0f", cls="0200", device="ec20"), None, id="Amazon's ordinary adapter"),
        pytest.param(PciDevice(vendor="8086", cls="0200", device="1592"), None, id="another vendor"),
    ],
)
def test_an_adapter_on_the_bus_is_recognized(device: PciDevice, kind: str | None):
    kinds = [row.kind for row in fabrics() if any(match.fits(device) for match in row.pci)]

    assert (kinds[0] if kinds else None) == kind


@pytest.mark.parametrize(
    ("name", "gpus", "nics", "counted"),
    [
        ("p5.48xlarge", 8, 32, True),
        ("p5en.48xlarge", 8, 16, True),
        ("p6e-gb200.36xlarge", 4, None, True),
        ("Standard_ND96isr_H100_v5", 8, 8, False),
        ("Standard_ND96is_H100_v5", 8, 0, False),
        ("a3-ultragpu-8g", 8, 8, False),
        ("BM.GPU.H100.8", 8, 16, False),
        ("gd-8xh100ib-i128", 8, 8, False),
    ],
)
def test_a_machine_type_is_known_by_its_exact_name(name: str, gpus: int, nics: int | None, *, counted: bool):
    machine = instance_type(name)

    assert machine is not None
    assert (machine.gpus, machine.nic_count, machine.nic_resource_counts) == (gpus, nics, counted)
    assert instance_type(name + "x") is None


def test_local_nvme_is_in_decimal_gigabytes():
    sizes = {row.name: row.local_nvme_gb for row in instance_types() if row.local_nvme_gb}

    assert sizes["p4d.24xlarge"] == 8000
    assert sizes["p5.48xlarge"] == 30400
    assert sizes["Standard_ND96isr_H100_v5"] == 30720


@pytest.mark.parametrize(
    ("name", "without"),
    [
        pytest.param("n1-standard-8", True, id="a family"),
        pytest.param("a2-highgpu-8g", True, id="another family"),
        pytest.param("a3-highgpu-8g", False, id="a type of its own"),
        pytest.param("g6.12xlarge", True, id="only where it was asked for"),
        pytest.param("g4dn.xlarge", True, id="never"),
    ],
)
def test_a_machine_type_is_sold_with_or_without_a_fabric(name: str, *, without: bool):
    machine = instance_type(name)

    assert machine is not None
    assert (machine.is_sold_without_fabric, machine.is_sold_with_fabric) == (without, not without)


def test_a_family_tells_no_number_of_gpus():
    assert {row.gpus for row in instance_types() if row.name.endswith("*")} == {None}


@pytest.mark.parametrize("value", ["k3s", "rke2", "unknown"])
def test_a_distribution_that_names_itself_tells_no_instance_type(value: str):
    assert told("instance_type", {"node.kubernetes.io/instance-type": value}) is None


def test_eks_auto_mode_tells_what_karpenter_tells():
    assert told("accelerators_expected", {"eks.amazonaws.com/instance-gpu-count": "8"}) is not None
    assert told("local_nvme_gb", {"eks.amazonaws.com/instance-local-nvme": "30400"}) is not None


def test_a_machine_without_adapters_has_no_kind_of_them():
    assert all((row.nic_kind is None) == (row.nic_count == 0) for row in instance_types())


def test_the_best_label_tells():
    labels = {"beta.kubernetes.io/instance-type": "old", "node.kubernetes.io/instance-type": "p5.48xlarge"}

    assert told("instance_type", labels) == ("node.kubernetes.io/instance-type", "p5.48xlarge")
    assert told("instance_type", {}) is None


def test_a_count_of_another_vendor_is_passed_over():
    labels = {"nvsentinel.dgxc.nvidia.com/gpu.count.expected": "8"}

    assert told("accelerators_expected", labels, "nvidia") == ("nvsentinel.dgxc.nvidia.com/gpu.count.expected", "8")
    assert told("accelerators_expected", labels, "amd") is None


@pytest.mark.parametrize("value", ["", "0", "none", "-1"])
def test_a_label_that_holds_no_number_tells_no_count(value: str):
    assert told("accelerators_expected", {"karpenter.k8s.aws/instance-gpu-count": value}) is None


def test_a_local_ssd_label_counts_only_when_true():
    key = "cloud.google.com/gke-ephemeral-storage-local-ssd"

    assert told("local_nvme_is_ephemeral_storage", {key: "true"}) == (key, "true")
    assert told("local_nvme_is_ephemeral_storage", {key: "false"}) is None


def test_what_a_driver_sees_is_never_what_should_be_there():
    expected = {row.key for row in instance_labels() if row.tells == "accelerators_expected"}

    assert not expected & {label.label for row in accelerators() for label in row.count}
