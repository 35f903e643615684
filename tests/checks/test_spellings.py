"""How images and versions are spelled."""

import pytest

from kubegap_checks.images import Image, parse
from kubegap_checks.versions import kubernetes_minor, numbers, plain, release, series


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.17.8-ubuntu20.04", (1, 17, 8)),
        ("v25.3.0", (25, 3)),
        ("25.3", (25, 3)),
        ("5.15.0-1058-aws", (5, 15)),
        ("5.10.198-187.748.amzn2.x86_64", (5, 10, 198)),
        ("containerd://1.7.2-gke.1", (1, 7, 2)),
        ("v1.33.5-eks-113cf36", (1, 33, 5)),
        ("570.133.20", (570, 133, 20)),
        ("580.95.05", (580, 95, 5)),
        ("6.6.105+", (6, 6, 105)),
        ("0.0", (0,)),
        ("latest", None),
        ("main-1.2", None),
        ("8b9c2d1", None),
        ("535", None),
        ("sha256:1.2", None),
        ("", None),
    ],
)
def test_a_release_is_the_numbers_at_the_beginning(version: str, expected: tuple[int, ...] | None):
    assert release(version) == expected


def test_spellings_of_one_version_are_plain_alike_and_of_one_series():
    assert plain("550.107.02") == plain("550.107.2") == "550.107.2"
    assert plain("1.10.0") == "1.10.0"
    assert numbers("Ubuntu 22.04.5 LTS") == (22, 4, 5)
    assert series("Ubuntu 22.04.5 LTS", 1) == series("ubuntu 22.10", 1)
    assert series("containerd://2.1.4", 2) != series("cri-o://2.1.4", 2)
    assert series("Container-Optimized OS", 1) == ("container-optimized os", ())


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("a/b:v1", Image(repository="a/b", tag="v1")),
        ("b", Image(repository="b")),
        ("reg:5000/a/b", Image(repository="reg:5000/a/b")),
        ("reg:5000/a/b:v1@sha256:0", Image(repository="reg:5000/a/b", tag="v1", digest="sha256:0")),
    ],
)
def test_an_image_is_taken_apart(image: str, expected: Image):
    assert parse(image) == expected


@pytest.mark.parametrize(
    ("tag", "moves"),
    [
        ("latest", True),
        ("rhubi-latest", True),
        ("main-ubi9", True),
        ("Latest", True),
        ("v1.2.3", False),
        ("fixed", False),
        ("maintenance-1.2", False),
    ],
)
def test_a_tag_moves_by_custom(tag: str, moves: bool):  # noqa: FBT001
    assert Image(repository="a", tag=tag).moves is moves


@pytest.mark.parametrize(
    ("version", "found"),
    [("v1.31.4-eks-aeac579", 31), ("1.31.4", 31), ("v1.31", 31), ("v2.31.4", None), ("v1.31beta", None), ("", None)],
)
def test_a_minor_version_of_kubernetes_is_found(version: str, found: int | None):
    assert kubernetes_minor(version) == found
