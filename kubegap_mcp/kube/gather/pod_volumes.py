"""Volumes of a pod -> records."""

from typing import Final

from kubegap_checks.facts import pods as facts
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather.alike import Alike
from kubegap_mcp.kube.gather.drivers import known_settings
from kubegap_mcp.kube.gather.fields import name, size, strings, value
from kubegap_mcp.kube.gather.lenient import Losses
from kubegap_mcp.kube.wire import pods as wire


def reduce_pod_volume(volume: wire.Volume, names: Names) -> None:
    if volume.csi is not None:
        volume.csi.volume_attributes = known_settings(
            volume.csi.volume_attributes, volume.csi.driver or "", "volume_attribute", names
        )
    if volume.nfs is not None:
        hide_export(volume.nfs, names)


def hide_export(nfs: wire.NfsSource, names: Names) -> None:
    """Server and path become one hash, in the place of the path."""
    if not names.shown and nfs.server:
        nfs.path = names.hidden(f"{nfs.server}:{nfs.path or ''}")
        nfs.server = None


def export(nfs: wire.NfsSource) -> str:
    return value(f"{nfs.server}:{nfs.path or ''}" if nfs.server else nfs.path)


_VOLUMES: Final = Alike[facts.PodVolume]()


def build_pod_volume(volume: wire.Volume, pod: str, losses: Losses) -> facts.PodVolume:
    names_pod = pod if volume.ephemeral is not None else ""
    return _VOLUMES.of((volume, names_pod), lambda: _pod_volume(volume, names_pod, losses), losses)


def _pod_volume(volume: wire.Volume, pod: str, losses: Losses) -> facts.PodVolume:
    csi, empty = volume.csi, volume.empty_dir
    return facts.PodVolume(
        name=name(volume.name),
        form=_form(volume),
        claim=_claim(volume, pod),
        driver=name(csi.driver) if csi else "",
        attributes=strings(csi.volume_attributes, losses) if csi else {},
        path=_path(volume),
        medium=value(empty.medium) if empty else "",
        size_limit=size(empty.size_limit, losses) if empty else None,
        read_only=_is_read_only(volume),
    )


def _form(volume: wire.Volume) -> facts.VolumeForm:
    form: facts.VolumeForm = "other"
    if volume.persistent_volume_claim is not None:
        form = "claim"
    elif volume.ephemeral is not None:
        form = "ephemeral"
    elif volume.csi is not None:
        form = "csi"
    elif volume.host_path is not None:
        form = "host_path"
    elif volume.empty_dir is not None:
        form = "empty_dir"
    elif volume.nfs is not None:
        form = "nfs"
    elif volume.image is not None:
        form = "image"
    return form


def _claim(volume: wire.Volume, pod: str) -> str:
    """The claim's name; one of an ephemeral volume is made of the pod's name and the volume's."""
    if volume.persistent_volume_claim is not None:
        return name(volume.persistent_volume_claim.claim_name)
    return name(f"{pod}-{volume.name}") if volume.ephemeral is not None else ""


def _path(volume: wire.Volume) -> str:
    if volume.host_path is not None:
        return value(volume.host_path.path)
    return export(volume.nfs) if volume.nfs is not None else ""


def _is_read_only(volume: wire.Volume) -> bool:
    source = volume.persistent_volume_claim or volume.csi or volume.nfs
    return source is not None and bool(source.read_only)
