"""Container images as they are written: `nvcr.io/nvidia/k8s/container-toolkit:v1.17.8@sha256:...`."""

import re
from dataclasses import dataclass

# Tags that move by custom; `labeller-latest` and `main-ubi9` move as well.
_MOVING = re.compile(r"(?:.+[-.])?(?:latest|master|main|nightly|devel|edge)(?:[-.].+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """`repository` is all that stands before the tag or the digest."""

    repository: str
    tag: str = ""
    digest: str = ""

    @property
    def moves(self) -> bool:
        """Whether the name may stand for another image tomorrow; without a tag it is `latest`."""
        return not self.digest and (not self.tag or moves(self.tag))


def parse(image: str) -> Image:
    """A colon before the last slash belongs to the registry's port."""
    name, _, digest = image.partition("@")
    path, slash, last = name.rpartition("/")
    base, _, tag = last.partition(":")
    return Image(repository=f"{path}{slash}{base}", tag=tag, digest=digest)


def moves(tag: str) -> bool:
    return _MOVING.fullmatch(tag) is not None
