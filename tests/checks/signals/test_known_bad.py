"""Versions with a known defect, and spellings that must not be taken for one."""

import pytest

from kubegap_checks.images import Image, parse
from kubegap_checks.signals.components import component_of, components
from kubegap_checks.signals.known_bad import KnownBad, OfNode, defects, known_bad
from kubegap_checks.signals.tables import SignalTableError
from kubegap_checks.signals.tables import parse as parse_table
from kubegap_checks.versions import numbers, plain, release, series

TOOLKIT = "nvidia-container-toolkit"


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
    ("repository", "component"),
    [
        ("nvcr.io/nvidia/k8s/container-toolkit", TOOLKIT),
        ("mirror.example.com/nvidia/k8s-device-plugin", "nvidia-device-plugin"),
        ("docker.io/rocm/k8s-device-plugin", "amd-device-plugin"),
        ("nvcr.io/nvidia/driver", "nvidia-driver"),
        ("nvcr.io/nvidia/mellanox/doca-driver", "nvidia-nic-driver"),
        ("registry.example.com/team/driver", None),
        ("nvcr.io/nvidia/k8s-dra-driver-gpu", None),
        ("nvcr.io/nvidia/cloud-native/k8s-driver-manager", None),
    ],
)
def test_a_component_is_known_by_its_repository(repository: str, component: str | None):
    found = component_of(repository)

    assert (found.id if found else None) == component


@pytest.mark.parametrize(
    ("component", "version", "count"),
    [
        (TOOLKIT, "v1.16.1-ubi8", 3),
        (TOOLKIT, "v1.16.2", 2),
        (TOOLKIT, "v1.17.0", 3),
        (TOOLKIT, "v1.17.2", 2),
        (TOOLKIT, "v1.17.4", 1),
        (TOOLKIT, "v1.17.8", 0),
        (TOOLKIT, "v1.18.0", 1),
        (TOOLKIT, "v1.18.1", 0),
        ("driver", "570.124.06", 1),
        ("driver", "570.124.6", 1),
        ("driver", "570.172.08", 0),
        ("kernel", "6.1.52-71.125.amzn2023.x86_64", 1),
        ("kernel", "6.1.49-70.116.amzn2023.x86_64", 0),
        ("kernel", "6.12.55-74.119.amzn2023.x86_64", 0),
        ("kernel", "5.15.0-1058-aws", 0),
        ("kubelet", "v1.27.2-eks-c12679a", 1),
        ("kubelet", "v1.27.20", 0),
        ("node-image", "AKSUbuntu-2204gen2containerd-202607.02.01", 0),
    ],
)
def test_a_defect_has_its_versions_and_no_others(component: str, version: str, count: int):
    assert len(defects(component, version)) == count


def test_every_row_is_about_something_that_can_be_seen():
    told = {*OfNode.__args__, *(row.id for row in components())}  # type: ignore[attr-defined]

    assert {row.component for row in known_bad()} <= told


@pytest.mark.parametrize(
    "says",
    [
        pytest.param("", id="no version"),
        pytest.param('affected: ["<1"], matches: a,', id="two ways"),
        pytest.param('affected: ["<=1.2"],', id="a sign that is not known"),
        pytest.param('affected: ["<v1.2"],', id="no number"),
        pytest.param('affected: ["<1.2"], driver_below: "515",', id="a driver that is only a branch"),
    ],
)
def test_a_row_that_does_not_say_which_versions_is_refused(says: str):
    words = "does: {en: a, ko: 가}, fixed: a, notice: a, severity: low, confidence: hint, source: a"

    with pytest.raises(SignalTableError):
        parse_table("known_bad.yaml", f"- {{component: driver, {says} {words}}}", KnownBad)
