"""What of a pod's data lies in the node's ephemeral storage, or on a path of its root disk."""

from collections.abc import Iterator

from msgspec import Struct

from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Unread, UnreadError
from kubegap_checks.inventory.bound import BoundVolumes
from kubegap_checks.inventory.training import Sign, Use, in_layer, uses_of
from kubegap_checks.signals.host_paths import host_path
from kubegap_checks.signals.workloads import Role
from kubegap_checks.text import Text

_WRITTEN: tuple[Role, ...] = ("cache", "index_cache")  # a dataset in the container's layer came with the image
_LARGE: tuple[Role, ...] = (*_WRITTEN, "dataset")
_LAYER = Text(en="the container's own layer", ko="컨테이너 레이어")


class Kept(Struct, frozen=True, kw_only=True):
    """One path that holds data, what tells so, and where on the node it lies."""

    sign: Sign
    where: Text


def kept_on_root_disk(pod: Pod, volumes: BoundVolumes) -> Iterator[Kept | Unread]:
    """Right only for a node whose ephemeral storage is its root disk."""
    for role in _WRITTEN:
        for sign in in_layer(pod, role):
            yield Kept(sign=sign, where=_LAYER)
    for role in _LARGE:
        for use in uses_of(pod).get(role, ()):
            try:
                where = _place_of(use, volumes)
            except UnreadError as error:
                yield from error.unread
            else:
                if where:
                    yield Kept(sign=use.sign, where=where)


def _place_of(use: Use, volumes: BoundVolumes) -> Text | None:
    if use.volume.form == "empty_dir":
        return Text.same(f"emptyDir {use.volume.name}") if use.volume.medium != "Memory" else None
    path = use.volume.path
    if volume := volumes.of(use.pod, use.volume):
        path = volume.local_path or volume.host_path
    row = host_path(path)
    return Text.same(path) if row and row.root_disk else None
