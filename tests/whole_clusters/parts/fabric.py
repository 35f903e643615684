"""What makes a fabric's adapters a resource: NVIDIA Network Operator, SR-IOV, GKE's installer."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.whole_clusters.objects import Object, thing
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.workloads import ANYWHERE, NODE_CRITICAL, container, daemonset, deployment

NAMESPACE, REGISTRY, RELEASE = "network-operator", "nvcr.io/nvidia/mellanox", "network-operator-v25.10.0"
OFED = "doca3.2.0-25.10-1.2.8.0-2"
# Azure/aks-rdma-infiniband:configs/nicclusterpolicy/sriov-device-plugin/sriov.yaml: each adapter is counted.
AKS_CONFIG: Object = {
    "resourceList": [
        {
            "resourcePrefix": "rdma",
            "resourceName": "ib",
            "selectors": {"vendors": ["15b3"], "linkTypes": ["infiniband"], "isRdma": True},
        }
    ]
}


def shared_config(*names: str) -> Object:
    """Mellanox/k8s-rdma-shared-dev-plugin: one unit opens every adapter that the selector finds."""
    selectors = {"vendors": ["15b3"], "linkTypes": ["infiniband"]}
    return {"configList": [{"resourceName": name, "rdmaHcaMax": 63, "selectors": selectors} for name in names]}


def nic_cluster_policy(plugins: Mapping[str, Object], **spec: Any) -> Object:
    """Mellanox/network-operator:example/crs; the driver is replaced on one node at a time, which waits for its pods."""
    upgrade = {"autoUpgrade": True, "maxParallelUpgrades": 1, "safeLoad": True}
    upgrade |= {"drain": {"enable": True, "force": False, "timeoutSeconds": 3600, "deleteEmptyDir": False}}
    upgrade |= {"waitForCompletion": {"timeoutSeconds": 0}}
    driver = {"repository": REGISTRY, "image": "doca-driver", "version": OFED, "upgradePolicy": upgrade}
    images = {
        "sriovDevicePlugin": "sriov-network-device-plugin",
        "rdmaSharedDevicePlugin": "k8s-rdma-shared-dev-plugin",
    }
    wanted: Object = {"ofedDriver": driver}
    for plugin, config in plugins.items():
        told = {
            "repository": REGISTRY,
            "image": images[plugin],
            "version": RELEASE,
            "config": json.dumps(config, indent=2),
        }
        wanted[plugin] = told
    states = ["state-OFED", "state-RDMA-device-plugin", "state-SRIOV-device-plugin", "state-multus-cni"]
    applied = [{"name": name, "state": "ready"} for name in states]
    status = {"state": "ready", "appliedStates": applied}
    return thing("mellanox.com/v1alpha1/NicClusterPolicy", "nic-cluster-policy", spec=wanted | spec, status=status)


def network_operator(site: Site, plugin: str, on_host: bool = False) -> Iterable[Object]:  # noqa: FBT001, FBT002
    """Its controller, the plugin, and unless the host has its own, the driver."""
    yield from deployment(
        "network-operator", NAMESPACE, "nvcr.io/nvidia/cloud-native/network-operator:v25.10.0", site.system[:1]
    )
    yield from daemonset(plugin, NAMESPACE, f"{REGISTRY}/{plugin}:{RELEASE}", site.gpus, labels={"app": plugin})
    if not on_host:
        name, image = "mofed-ubuntu22.04-6d4cf56db6-ds", f"{REGISTRY}/doca-driver:{OFED}-ubuntu22.04-amd64"
        labels = {"nvidia.com/ofed-driver": "", "app": "mofed-ubuntu22.04"}
        yield from daemonset(name, NAMESPACE, image, site.gpus, labels=labels, update={"type": "OnDelete"})


def sriov(site: Site, resource: str, vfs: int) -> Iterable[Object]:
    """k8snetworkplumbingwg/sriov-network-operator:api/v1, as oracle-quickstart/oci-hpc-oke:terraform/files uses it."""
    policy = {
        "nodeSelector": {"feature.node.kubernetes.io/network-sriov.capable": "true"},
        "numVfs": vfs,
        "isRdma": True,
    }
    policy |= {"resourceName": resource, "nicSelector": {"vendor": "15b3"}, "linkType": "ETH", "mtu": 4220}
    group = "sriovnetwork.openshift.io/v1"
    yield thing(f"{group}/SriovNetworkNodePolicy", resource, NAMESPACE, spec=policy)
    for name in site.gpus:
        status = {"syncStatus": "Succeeded", "lastSyncError": "", "interfaces": []}
        yield thing(f"{group}/SriovNetworkNodeState", name, NAMESPACE, spec={}, status=status)
    for name in ("sriov-device-plugin", "sriov-network-config-daemon"):
        yield from daemonset(name, NAMESPACE, f"{REGISTRY}/{name}:{RELEASE}", site.gpus)


def nic_devices(site: Site) -> Iterable[Object]:
    """Mellanox/nic-configuration-operator:README.md; eight equal boards in each node, none of them being updated."""
    conditions = [
        {"type": f"{what}UpdateInProgress", "status": "False", "reason": f"Device{what}SpecEmpty"}
        for what in ("Config", "Firmware")
    ]
    board = {"type": "1021", "psid": "mt_0000000838", "partNumber": "mcx75310aas-neat", "firmwareVersion": "28.43.2026"}
    for node in site.gpus:
        for place in range(8):
            ports = [{"pci": f"0000:{place}b:00.0", "rdmaInterface": f"mlx5_{place}"}]
            status = {
                "node": node,
                "serialNumber": f"mt{place:010d}",
                "ports": ports,
                "conditions": conditions,
                **board,
            }
            name = f"{node}-1021-mt{place:010d}"
            yield thing("configuration.net.nvidia.com/v1alpha1/NicDevice", name, NAMESPACE, spec={}, status=status)


def gke_rdma(site: Site) -> Iterable[Object]:
    """GoogleCloudPlatform/container-engine-accelerators:gpudirect-rdma/nccl-rdma-installer.yaml, and its networks."""
    installer = "us-docker.pkg.dev/gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.1"
    runs = [container("pause", "gke.gcr.io/pause:3.10.1")]
    first = [container("nccl-rdma-installer", installer, securityContext={"privileged": True})]
    spec: Object = {"initContainers": first, "hostNetwork": True, "hostPID": True}
    spec |= {"priorityClassName": NODE_CRITICAL, "tolerations": ANYWHERE}
    labels = {"k8s-app": "nccl-rdma-installer", "name": "nccl-rdma-installer"}
    yield from daemonset(
        "nccl-rdma-installer", "kube-system", installer, site.gpus, labels=labels, containers=runs, **spec
    )
    for name in ("gvnic-1", *(f"rdma-{n}" for n in range(8))):
        ref = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": name}
        status = {"conditions": [{"type": "Ready", "status": "True", "reason": "GKENetworkParamSetReady"}]}
        yield thing("networking.gke.io/v1/Network", name, spec={"type": "Device", "parametersRef": ref}, status=status)
