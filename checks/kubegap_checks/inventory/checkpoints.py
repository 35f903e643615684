"""Where a training run writes its checkpoints, as far as its pods say it, and what the checkpoints outlive there."""

from collections.abc import Iterator
from posixpath import join, normpath
from typing import Literal

from msgspec import Struct

from kubegap_checks.facts.pods import Container, Mount, Pod, PodVolume
from kubegap_checks.inventory.tiering import Storage
from kubegap_checks.inventory.training import Sign, TrainingRun, guessed, mount_of, roles_told, workers
from kubegap_checks.signals.workloads import role_of

Fate = Literal[
    "container",  # lost with it
    "pod",
    "node",
    "copied",  # another container sees it too, and may copy it to a second tier
    "kept",
    "unsaid",
]

# The forms that end with their pod; a generic ephemeral volume's claim is owned by it:
# https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes
_OF_THE_POD = frozenset({"empty_dir", "ephemeral", "image"})


class Save(Struct, frozen=True, kw_only=True):
    """One place that a container writes checkpoints to, and the sign that names it."""

    pod: Pod
    sign: Sign
    fate: Fate


def told(run: TrainingRun, storage: Storage) -> Iterator[Save]:
    """The places that a variable or a flag names. A value that is not a path on a filesystem places nothing."""
    for pod in run.pods:
        for container, hint, sign in roles_told(pod):
            if hint.saves and isinstance(sign.value, str) and _is_path(sign.value):
                yield _save(pod, container, sign, sign.value, storage)


def looked(run: TrainingRun, storage: Storage) -> Iterator[Save]:
    """The volumes that look like a place for checkpoints and that an init container did not fill."""
    for pod in run.pods:
        filled = {mount.volume for container in pod.containers if container.init for mount in container.mounts}
        written = {mount.volume for container in workers(pod) for mount in container.mounts if not mount.read_only}
        for use in guessed(pod):
            if use.role == "checkpoint" and use.volume.name in written - filled:
                yield Save(pod=pod, sign=use.sign, fate=_fate(pod, use.volume, storage))


def _is_path(value: str) -> bool:
    """Not a URL, a variable, a switch or the name of a model: a path has a slash, and begins as one does."""
    return "/" in value and "://" not in value and "$" not in value and not value.startswith(("~", "{"))


def _save(pod: Pod, container: Container, sign: Sign, path: str, storage: Storage) -> Save:
    if not path.startswith("/") and not container.workdir:
        return Save(pod=pod, sign=sign, fate=_adrift(pod, container, storage))
    mount = mount_of(container, normpath(join(container.workdir, path)))
    volume = pod.volume(mount.volume) if mount else None
    return Save(pod=pod, sign=sign, fate=_fate(pod, volume, storage))


def _adrift(pod: Pod, container: Container, storage: Storage) -> Fate:
    """Of a relative path where only the image knows the working directory: lost wherever that is, or not said."""
    volumes = (pod.volume(mount.volume) for mount in container.mounts if _holds_files(mount))
    lost = all(_fate(pod, volume, storage) in {"container", "pod", "node"} for volume in volumes)
    return "container" if lost else "unsaid"


def _holds_files(mount: Mount) -> bool:
    shm = role_of("mount_path", mount.path)
    return not mount.read_only and not (shm and shm.role == "shm")


def _fate(pod: Pod, volume: PodVolume | None, storage: Storage) -> Fate:
    if volume is None or volume.form == "other":  # config maps and the like, into which nobody writes
        return "container"
    if any(mount.volume == volume.name for container in _others(pod) for mount in container.mounts):
        return "copied"
    if volume.form in _OF_THE_POD:
        return "pod"
    backing = storage.backing(pod, volume)
    if backing is None:
        return "unsaid"
    if backing.verdict == "node_local":
        return "node"
    return "kept" if backing.placed else "unsaid"


def _others(pod: Pod) -> Iterator[Container]:
    working = workers(pod)
    return (container for container in pod.containers if not container.init and container not in working)
