"""Claims, volumes, classes and Weka clusters -> records."""

from typing import Final

from kubegap_checks.facts import storage as facts
from kubegap_mcp.foreign.clean import Names, short_hash
from kubegap_mcp.kube.gather.drivers import (
    filesystem,
    is_claim_evidence,
    known_handle,
    known_options,
    known_settings,
    plain,
)
from kubegap_mcp.kube.gather.fields import count, kept, key, name, strings, texts, value, when
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.gather.pod_volumes import export, hide_export
from kubegap_mcp.kube.wire import storage as wire
from kubegap_mcp.kube.wire.meta import Meta

_PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
_TERMS: Final = 200

# Beside what the driver table calls evidence.
_CLAIM_ANNOTATIONS: Final = (
    "volume.kubernetes.io/selected-node",  # the node that a local volume belongs to
    "localdisk.csi.acstor.io/",  # accepts that a node failure empties the volume: Azure/local-csi-driver
)
_VOLUME_ANNOTATIONS: Final = (
    _PROVISIONED_BY,  # the driver of a volume that does not say it itself
    "gke-gcsfuse/bucket-scan-",  # how large the data set is: GoogleCloudPlatform/gcs-fuse-csi-driver
    "localdisk.csi.acstor.io/",  # moved to another node, which gave it an empty disk: Azure/local-csi-driver
)


def reduce_claim(claim: wire.Claim, names: Names, losses: Losses) -> wire.Claim:  # noqa: ARG001
    meta = claim.metadata
    claim.metadata = Meta(
        name=meta.name, namespace=meta.namespace, annotations=kept(meta.annotations, _keeps_claim_annotation)
    )
    return claim


def _keeps_claim_annotation(text: str) -> bool:
    return text.startswith(_CLAIM_ANNOTATIONS) or is_claim_evidence(text)


def build_claim(claim: wire.Claim, losses: Losses) -> facts.Claim:
    spec = claim.spec or wire.ClaimSpec()
    return facts.Claim(
        namespace=name(claim.metadata.namespace),
        name=name(claim.metadata.name),
        volume=name(spec.volume_name),
        storage_class=None if spec.storage_class_name is None else name(spec.storage_class_name),
        access_modes=texts(spec.access_modes, losses),
        annotations=strings(claim.metadata.annotations, losses),
    )


def reduce_volume(volume: wire.Volume, names: Names, losses: Losses) -> wire.Volume:
    meta = volume.metadata
    volume.metadata = Meta(name=meta.name, annotations=kept(meta.annotations, _keeps_volume_annotation))
    spec = volume.spec
    if spec is None:
        return volume
    spec.mount_options = known_options(spec.mount_options, names, losses)
    if spec.csi is not None:
        driver = spec.csi.driver or ""
        spec.csi.volume_handle = known_handle(spec.csi.volume_handle, driver, names)
        spec.csi.volume_attributes = known_settings(spec.csi.volume_attributes, driver, "volume_attribute", names)
    if spec.nfs is not None:
        hide_export(spec.nfs, names)
    return volume


def _keeps_volume_annotation(text: str) -> bool:
    return text.startswith(_VOLUME_ANNOTATIONS)


def build_volume(volume: wire.Volume, losses: Losses) -> facts.Volume:
    meta, spec = volume.metadata, volume.spec or wire.VolumeSpec()
    csi, claim = spec.csi or wire.CsiVolume(), spec.claim_ref or wire.Reference()
    identity = filesystem(csi.volume_handle, csi.driver or "")
    attributes = {key: plain(text) for key, text in (csi.volume_attributes or {}).items()}
    return facts.Volume(
        name=name(meta.name),
        driver=name(csi.driver or (meta.annotations or {}).get(_PROVISIONED_BY)),
        filesystem=value(identity) if spec.nfs is None else export(spec.nfs),
        handle=short_hash(csi.volume_handle) if csi.volume_handle else "",
        attributes=strings(attributes, losses),
        mount_options=texts(spec.mount_options, losses),
        access_modes=texts(spec.access_modes, losses),
        storage_class=name(spec.storage_class_name),
        reclaim_policy=value(spec.persistent_volume_reclaim_policy),
        claim_namespace=name(claim.namespace),
        claim_name=name(claim.name),
        local_path=value(spec.local.path if spec.local else None),
        host_path=value(spec.host_path.path if spec.host_path else None),
        nfs=spec.nfs is not None,
        node_affinity=_affinity(spec.node_affinity, losses),
        annotations=strings(meta.annotations, losses),
    )


def _affinity(affinity: wire.VolumeAffinity | None, losses: Losses) -> tuple[dict[str, tuple[str, ...]], ...]:
    """The values that each term's `In` requirements allow; other operators exclude and do not place."""
    required = affinity.required if affinity else None
    terms = first(_TERMS, required.node_selector_terms if required else None, losses)
    return tuple(
        {
            key(each.key): texts(each.values, losses)
            for each in first(_TERMS, term.match_expressions, losses)
            if each.key and each.operator == "In"
        }
        for term in terms
    )


def reduce_class(storage_class: wire.StorageClass, names: Names, losses: Losses) -> wire.StorageClass:
    storage_class.metadata = Meta(name=storage_class.metadata.name)
    storage_class.parameters = known_settings(
        storage_class.parameters, storage_class.provisioner or "", "class_parameter", names
    )
    storage_class.mount_options = known_options(storage_class.mount_options, names, losses)
    return storage_class


def build_class(storage_class: wire.StorageClass, losses: Losses) -> facts.StorageClass:
    parameters = {key: plain(text) for key, text in (storage_class.parameters or {}).items()}
    return facts.StorageClass(
        name=name(storage_class.metadata.name),
        provisioner=name(storage_class.provisioner),
        parameters=strings(parameters, losses),
        reclaim_policy=value(storage_class.reclaim_policy) or "Delete",
        binding_mode=value(storage_class.volume_binding_mode) or "Immediate",
        mount_options=texts(storage_class.mount_options, losses),
    )


def build_weka(cluster: wire.WekaCluster, losses: Losses) -> facts.WekaCluster:
    stats = (cluster.status or wire.WekaStatus()).stats or wire.WekaStats()
    sums = stats.filesystem or wire.WekaFilesystems()
    return facts.WekaCluster(
        namespace=name(cluster.metadata.namespace),
        name=name(cluster.metadata.name),
        stats_updated=when(stats.last_update),
        has_tiered_filesystems=sums.has_tiered_filesystems,
        ssd_provisioned=count(sums.total_provisioned_ssd_capacity, losses),
        ssd_used=count(sums.total_used_ssd_capacity, losses),
        ssd_available=count(sums.total_available_ssd_capacity, losses),
        total_provisioned=count(sums.total_provisioned_capacity, losses),
        total_used=count(sums.total_used_capacity, losses),
        buckets=count(sums.obs_bucket_count, losses),
        buckets_up=count(sums.active_obs_bucket_count, losses),
    )


GATHERERS: Final = (
    gathers(facts.Claim, wire.Claim, reduce_claim, build_claim),
    gathers(facts.Volume, wire.Volume, reduce_volume, build_volume),
    gathers(facts.StorageClass, wire.StorageClass, reduce_class, build_class),
    gathers(facts.WekaCluster, wire.WekaCluster, keep_name, build_weka),
)
