"""Classes, volumes and claims; what holds checkpoints outlives its claim."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.whole_clusters.objects import Object, thing


def storage_class(
    name: str, provisioner: str, *, reclaim: str = "Delete", default: bool = False, **rest: Any
) -> Object:
    marks = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}} if default else {}
    rest = {"volumeBindingMode": "WaitForFirstConsumer", "allowVolumeExpansion": True, **rest}
    return thing(
        "storage.k8s.io/v1/StorageClass", name, provisioner=provisioner, reclaimPolicy=reclaim, **marks, **rest
    )


def shared(
    claim: str,
    namespace: str,
    csi: Mapping[str, Any],
    *,
    of: str = "shared",
    size: str = "100Ti",
    read_only: bool = False,
    **rest: Any,
) -> Iterable[Object]:
    """A claim that many nodes use, bound to a volume that is retained."""
    modes = ["ReadOnlyMany" if read_only else "ReadWriteMany"]
    wanted = {"accessModes": modes, "storageClassName": of, "volumeMode": "Filesystem"}
    asked = {"resources": {"requests": {"storage": size}}, "volumeName": f"pv-{claim}"}
    bound = {"phase": "Bound", "accessModes": modes, "capacity": {"storage": size}}
    made = thing("v1/PersistentVolumeClaim", claim, namespace, spec=wanted | asked, status=bound)
    yield made
    ref = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": namespace, "name": claim}
    spec = wanted | {"capacity": {"storage": size}, "persistentVolumeReclaimPolicy": "Retain", "csi": dict(csi)}
    spec |= {"claimRef": ref | {"uid": made["metadata"]["uid"]}, **rest}
    yield thing("v1/PersistentVolume", f"pv-{claim}", spec=spec, status={"phase": "Bound"})


def csi_driver(name: str, **spec: Any) -> Object:
    common = {"attachRequired": False, "podInfoOnMount": True, "volumeLifecycleModes": ["Persistent"]}
    return thing("storage.k8s.io/v1/CSIDriver", name, spec=common | spec)
