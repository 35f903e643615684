"""NVIDIA GPU Operator: its ClusterPolicy and the DaemonSets of its operands, all of pinned versions.

Names, images and versions: NVIDIA/gpu-operator:assets, deployments/gpu-operator/values.yaml.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tests.whole_clusters.objects import Object, merged, reached, thing
from tests.whole_clusters.parts.site import Site
from tests.whole_clusters.parts.workloads import container, daemonset, deployment

NAMESPACE = "gpu-operator"
TOLERATES = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
VERSION, TOOLKIT, PLUGIN, DCGM, MIG = "v25.10.0", "v1.18.0", "v0.18.0", "4.4.1-4.6.0-distroless", "v0.13.0"


def gpu_operator(site: Site, namespace: str = NAMESPACE, **changes: Any) -> Iterable[Object]:
    """With `driver={"enabled": False}` the image brings the driver, as EKS's, AKS's and OKE's do."""
    policy = merged(_policy(site), changes)
    status = {"state": "ready", "namespace": namespace, "conditions": [reached("Ready", "Reconciled")]}
    status["conditions"] = [reached("Ready", "Reconciled"), reached("Error", "Ready", "False")]
    yield thing("nvidia.com/v1/ClusterPolicy", "cluster-policy", spec=policy, status=status)
    yield from deployment("gpu-operator", namespace, f"nvcr.io/nvidia/gpu-operator:{VERSION}", site.system[:1])
    if policy["driver"].get("useNvidiaDriverCRD"):
        yield driver_of_its_own(policy["driver"])
    for name, image, switch in _operands(site):
        if policy[switch]["enabled"]:
            update = {"type": "OnDelete"} if switch == "driver" else None
            yield from operand(name, image, site.gpus, namespace, update=update)
    if policy["dcgmExporter"]["serviceMonitor"]["enabled"]:
        yield dcgm_monitor(namespace)


def driver_of_its_own(settings: Object) -> Object:
    """NVIDIA/gpu-operator:config/samples/nvidia_v1alpha1_nvidiadriver.yaml."""
    spec = {key: value for key, value in settings.items() if key not in {"enabled", "useNvidiaDriverCRD"}}
    spec |= {"driverType": "gpu", "nodeSelector": {}, "default": True}
    status = {"state": "ready", "namespace": NAMESPACE, "conditions": [reached("Ready", "Reconciled")]}
    return thing("nvidia.com/v1alpha1/NVIDIADriver", "default", spec=spec, status=status)


def operand(name: str, image: str, on: Sequence[str], namespace: str, **rest: Any) -> Iterable[Object]:
    only = {"nvidia.com/gpu.present": "true"}
    runs = [container(name, image, securityContext={"privileged": True})]
    yield from daemonset(
        name,
        namespace,
        image,
        on,
        labels={"app": name},
        containers=runs,
        nodeSelector=only,
        tolerations=TOLERATES,
        **rest,
    )


def dcgm_monitor(namespace: str, app: str = "nvidia-dcgm-exporter") -> Object:
    ports = [{"port": "gpu-metrics", "path": "/metrics", "interval": "15s", "scrapeTimeout": "10s"}]
    spec = {"jobLabel": "app", "endpoints": ports, "selector": {"matchLabels": {"app": app}}}
    spec["namespaceSelector"] = {"matchNames": [namespace]}
    return thing("monitoring.coreos.com/v1/ServiceMonitor", app, namespace, labels={"app": app}, spec=spec)


def _operands(site: Site) -> Iterable[tuple[str, str, str]]:
    yield "nvidia-driver-daemonset", f"nvcr.io/nvidia/driver:{site.driver}-ubuntu22.04", "driver"
    yield "nvidia-container-toolkit-daemonset", f"nvcr.io/nvidia/k8s/container-toolkit:{TOOLKIT}", "toolkit"
    yield "nvidia-device-plugin-daemonset", f"nvcr.io/nvidia/k8s-device-plugin:{PLUGIN}", "devicePlugin"
    yield "gpu-feature-discovery", f"nvcr.io/nvidia/k8s-device-plugin:{PLUGIN}", "gfd"
    yield "nvidia-dcgm-exporter", f"nvcr.io/nvidia/k8s/dcgm-exporter:{DCGM}", "dcgmExporter"
    yield "nvidia-mig-manager", f"nvcr.io/nvidia/cloud-native/k8s-mig-manager:{MIG}", "migManager"
    yield "nvidia-operator-validator", f"nvcr.io/nvidia/gpu-operator:{VERSION}", "validator"


def _policy(site: Site) -> Object:
    upgrade = {"autoUpgrade": True, "maxParallelUpgrades": 1, "maxUnavailable": "5%"}
    upgrade |= {"waitForCompletion": {"timeoutSeconds": 0, "podSelector": ""}}
    upgrade |= {"gpuPodDeletion": {"force": False, "timeoutSeconds": 300, "deleteEmptyDir": False}}
    upgrade |= {"drain": {"enable": False, "force": False, "timeoutSeconds": 300, "deleteEmptyDir": False}}
    driver = _image("nvcr.io/nvidia", "driver", site.driver) | {"upgradePolicy": upgrade, "kernelModuleType": "auto"}
    driver |= {"rdma": {"enabled": True, "useHostMofed": False}, "usePrecompiled": False}
    driver |= {"manager": _image("nvcr.io/nvidia/cloud-native", "k8s-driver-manager", "v0.9.0")}
    exporter = _image("nvcr.io/nvidia/k8s", "dcgm-exporter", DCGM)
    exporter |= {"serviceMonitor": {"enabled": True, "interval": "15s", "honorLabels": False}}
    rolling = {"updateStrategy": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "1"}}
    return {
        "operator": {"defaultRuntime": "containerd", "runtimeClass": "nvidia", "upgradeCRD": True},
        "daemonsets": {"priorityClassName": "system-node-critical", "tolerations": TOLERATES, **rolling},
        "driver": driver,
        "toolkit": _image("nvcr.io/nvidia/k8s", "container-toolkit", TOOLKIT),
        "devicePlugin": _image("nvcr.io/nvidia", "k8s-device-plugin", PLUGIN),
        "dcgm": {"enabled": False},
        "dcgmExporter": exporter,
        "gfd": _image("nvcr.io/nvidia", "k8s-device-plugin", PLUGIN),
        "migManager": _image("nvcr.io/nvidia/cloud-native", "k8s-mig-manager", MIG),
        "mig": {"strategy": "single"},
        "validator": _image("nvcr.io/nvidia", "gpu-operator", VERSION),
        "nodeStatusExporter": {"enabled": False},
        "cdi": {"enabled": True, "default": False},
        "gds": {"enabled": False},
        "gdrcopy": {
            "enabled": True,
            "repository": "nvcr.io/nvidia/cloud-native",
            "image": "gdrdrv",
            "version": "v2.5.1",
        },
        "sandboxWorkloads": {"enabled": False},
    }


def _image(repository: str, image: str, version: str) -> Object:
    return {
        "enabled": True,
        "repository": repository,
        "image": image,
        "version": version,
        "imagePullPolicy": "IfNotPresent",
    }
