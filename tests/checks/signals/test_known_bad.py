"""Versions with a known defect, and spellings that must not be taken for one."""

import pytest

from kubegap_checks.signals.components import component_of, components
from kubegap_checks.signals.known_bad import KnownBad, OfNode, defects, known_bad
from kubegap_checks.signals.tables import SignalTableError
from kubegap_checks.signals.tables import parse as parse_table

TOOLKIT = "nvidia-container-toolkit"


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
