import pytest

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.operators import ClusterPolicy, NVIDIADriver, Operand
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Severity
from kubegap_checks.rules.driver_drift.gpu_image_unpinned import CHECK
from tests.checks.build import cluster_policy, container, daemon_set, deployment, facts, nvidia_driver, template

DIGEST = "sha256:" + "5f" * 32
PLUGIN = "nvcr.io/nvidia/k8s-device-plugin"


def runs(*images: str, name: str = "agent") -> DaemonSet:
    containers = (container(f"c{number}", image=image) for number, image in enumerate(images))
    return daemon_set(name, template=template(*containers))


def policy(version: str, operand: str = "toolkit", *, enabled: bool | None = True) -> ClusterPolicy:
    asked = Operand(enabled=enabled, image=operand, version=version)
    return cluster_policy(operands={operand: asked})


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(runs(f"{PLUGIN}:latest")), "gap", id="latest"),
        pytest.param(facts(runs(PLUGIN)), "gap", id="no tag"),
        pytest.param(facts(runs("registry.example.com:5000/nvidia/k8s-device-plugin")), "gap", id="a port and no tag"),
        pytest.param(facts(runs("rocm/k8s-device-plugin:labeller-latest")), "gap", id="latest of one kind"),
        pytest.param(facts(runs(f"{PLUGIN}:v0.18.0")), "clear", id="a release"),
        pytest.param(facts(runs(f"{PLUGIN}:latest@{DIGEST}")), "clear", id="a digest beside the moving tag"),
        pytest.param(facts(runs(f"{PLUGIN}@{DIGEST}")), "clear", id="only a digest"),
        pytest.param(facts(runs("cos-nvidia-installer:fixed")), "clear", id="an image that the node brings along"),
        pytest.param(facts(runs("cos-nvidia-installer:latest")), "gap", id="an installer that is pulled"),
        pytest.param(
            facts(daemon_set(template=template(container(image="mofed:latest", init=True)))), "gap", id="it is an init"
        ),
        pytest.param(facts(runs("nvcr.io/nvidia/k8s/dcgm-exporter:latest")), "not_applicable", id="an exporter"),
        pytest.param(
            facts(deployment(template=template(container(image=f"{PLUGIN}:latest")))),
            "not_applicable",
            id="not on the nodes",
        ),
        pytest.param(facts(policy("latest")), "gap", id="a policy says latest"),
        pytest.param(facts(policy("v1.18.1")), "clear", id="a policy says a release"),
        pytest.param(facts(policy(DIGEST)), "clear", id="a policy says a digest"),
        pytest.param(facts(policy("")), "not_applicable", id="a policy leaves it to the operator"),
        pytest.param(facts(policy("latest", enabled=False)), "not_applicable", id="a policy switches it off"),
        pytest.param(facts(policy("latest", enabled=None)), "gap", id="a policy does not switch it off"),
        pytest.param(facts(policy("latest", "dcgm")), "not_applicable", id="an operand that brings nothing"),
        pytest.param(
            facts(nvidia_driver(operands={"driver": Operand(image="driver", version="latest")})), "gap", id="a driver"
        ),
        pytest.param(facts(), "not_applicable", id="nothing"),
        pytest.param(facts(runs(f"{PLUGIN}:latest"), unread=(NVIDIADriver,)), "unknown", id="its operator is unread"),
        pytest.param(
            facts(runs("mofed:latest"), unread=(ClusterPolicy,)), "gap", id="no operand, so not the operator's"
        ),
        pytest.param(facts(policy("latest"), unread=(DaemonSet,)), "gap", id="DaemonSets are unread"),
        pytest.param(
            facts(policy("v1.18.1"), unread=(DaemonSet,)), "unknown", id="DaemonSets are unread, nothing found"
        ),
        pytest.param(facts(unread=(DaemonSet,)), "unknown", id="nothing, and DaemonSets are unread"),
    ],
)
def test_what_brings_the_driver_must_name_a_version(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_one_finding_names_all_of_an_object_and_the_worst_of_it_decides():
    given = facts(runs(f"{PLUGIN}:latest", "nvcr.io/nvidia/k8s/container-toolkit"))

    [finding] = CHECK.run(given).findings

    assert str(finding.subject) == "DaemonSet/kube-system/agent"
    assert finding.severity is Severity.MEDIUM
    assert finding.says.en == "the image of the NVIDIA Container Toolkit names no fixed version"
    assert finding.evidence == {
        "spec.template.spec.containers[c0].image": f"{PLUGIN}:latest",
        "spec.template.spec.containers[c1].image": "nvcr.io/nvidia/k8s/container-toolkit",
    }


def test_a_plugin_alone_is_hygiene():
    [finding] = CHECK.run(facts(runs(PLUGIN))).findings

    assert finding.severity is Severity.LOW


def test_what_a_policy_asks_for_is_told_of_the_policy_alone():
    given = facts(policy("latest"), runs("nvcr.io/nvidia/k8s/container-toolkit:latest"))

    [finding] = CHECK.run(given).findings

    assert str(finding.subject) == "ClusterPolicy/cluster-policy"
    assert finding.evidence == {"spec.toolkit.version": "latest"}


def test_a_driver_object_is_told_by_its_own_field():
    given = facts(nvidia_driver(operands={"driver": Operand(image="driver", version="latest")}))

    [finding] = CHECK.run(given).findings

    assert finding.evidence == {"spec.version": "latest"}
