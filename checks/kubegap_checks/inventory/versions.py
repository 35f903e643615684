"""Versions and names in what nodes and images say."""

import re

_MINOR = re.compile(r"v?1\.(\d{1,3})(?:\.|$)")


def minor(version: str) -> int | None:
    """31 of `v1.31.4-eks-aeac579`; None of what is no version of Kubernetes."""
    match = _MINOR.match(version)
    return int(match[1]) if match else None


def tag(image: str) -> str:
    """What stands behind the colon of an image's name; empty where it has only a digest."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]


def repository(image: str) -> str:
    """What stands before the tag or the digest of an image's name."""
    name = image.partition("@")[0]
    told = tag(image)
    return name.removesuffix(f":{told}") if told else name
