"""Versions as nodes and images spell them: `v25.3.0`, `1.17.8-ubuntu20.04`, `5.15.0-1058-aws`, `containerd://2.1.4`."""

import re
from functools import lru_cache

_MINOR = re.compile(r"v?1\.(\d{1,3})(?:\.|$)")
_NUMBER = re.compile(r"\d+")
_RELEASE = re.compile(r"(?:[a-z-]+://)?v?(\d+(?:\.\d+)+)")
_LEADING_ZEROS = re.compile(r"(?<![\d])0+(?=\d)")


Release = tuple[int, ...]


def numbers(version: str) -> tuple[int, ...]:
    """Every number in it, from the left."""
    return tuple(int(number) for number in _NUMBER.findall(version))


def series(version: str, length: int) -> tuple[str, tuple[int, ...]]:
    """What stands before the first number, and the first numbers: versions of one series differ little."""
    return _NUMBER.split(version, maxsplit=1)[0].strip().lower(), numbers(version)[:length]


@lru_cache(maxsize=4096)
def plain(version: str) -> str:
    """The same for two spellings of one version: DRA tells 550.107.02 as 550.107.2."""
    return _LEADING_ZEROS.sub("", version)


def kubernetes_minor(version: str) -> int | None:
    """31 of `v1.31.4-eks-aeac579`; None of what is no version of Kubernetes."""
    match = _MINOR.match(version)
    return int(match[1]) if match else None


def release(version: str) -> Release | None:
    """What vendors compare: the dotted numbers at the beginning, so that a distribution's suffix counts nothing.

    None of what is no version: a digest, a branch, a commit. Trailing zeros are dropped: 1.17 is 1.17.0.
    """
    found = _RELEASE.match(version)
    if found is None:
        return None
    parts = [int(number) for number in found[1].split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
