from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.facts.storage import Claim, StorageClass, Volume, WekaCluster
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.local_volume_came_back_empty import CHECK

DRIVER = "localdisk.csi.acstor.io"
CLAIM = build.claim("vol")


def pod(path: str = "/ckpt", *, init: bool = False, **fields: Any) -> Pod:
    mounts = (Mount(volume="v", path=path),)
    trainer = build.container(limits={"nvidia.com/gpu": 8}, mounts=mounts)
    fill = build.container("fill", init=True, mounts=mounts if init else ())
    volume = PodVolume(name="v", form="claim", claim="vol", attributes={})
    return build.pod(resources={"nvidia.com/gpu": 8}, containers=(fill, trainer), volumes=(volume,), **fields)


def local(first: str = "a", now: str = "b", driver: str = DRIVER) -> Volume:
    """A volume made on one node that is now on another; empty texts for what it does not say."""
    return build.volume(
        driver=driver,
        attributes={f"{DRIVER}/selected-initial-node": first} if first else {},
        annotations={f"{DRIVER}/selected-node": now} if now else {},
    )


def run(*records: Record, **fields: Any) -> Verdict:
    return CHECK.run(build.facts(*records, **fields))


@pytest.mark.parametrize(
    ("cluster", "status"),
    [
        pytest.param(build.facts(pod(), CLAIM, local()), "gap", id="checkpoints on a volume that moved"),
        pytest.param(build.facts(pod(), CLAIM, local(now="a")), "clear", id="on one that did not"),
    ],
)
def test_a_volume_that_moved_lost_what_it_held(cluster: Facts, status: Status) -> None:
    assert CHECK.run(cluster).status == status


@pytest.mark.parametrize(
    ("volume", "status"),
    [
        pytest.param(local(now=""), "clear", id="nothing says that it moved"),
        pytest.param(local(first=""), "clear", id="nothing says where it was made"),
        pytest.param(local(driver="topolvm.io"), "clear", id="a driver whose volumes do not move"),
        pytest.param(local(driver="csi.somebody.example"), "clear", id="a driver that no row knows"),
    ],
)
def test_only_what_the_driver_itself_writes_counts(volume: Volume, status: Status) -> None:
    assert run(pod(), CLAIM, volume).status == status


@pytest.mark.parametrize(
    ("reader", "status"),
    [
        pytest.param(pod("/data"), "gap", id="a dataset"),
        pytest.param(pod("/scratch"), "clear", id="scratch"),
        pytest.param(pod(init=True), "clear", id="an init container fills it"),
        pytest.param(
            replace(pod(), volumes=(PodVolume(name="v", form="empty_dir", attributes={}),)), "clear", id="no claim"
        ),
        pytest.param(pod(run=Run(kind="Deployment", namespace="ml", name="web")), "not_applicable", id="it serves"),
    ],
)
def test_only_what_a_run_needs_to_find_there_counts(reader: Pod, status: Status) -> None:
    assert run(reader, CLAIM, local()).status == status


def test_a_claim_with_nothing_behind_it_has_lost_nothing() -> None:
    waiting = replace(CLAIM, volume="", storage_class="local")

    assert run(pod(), waiting).status == "clear"
    assert run(pod(), waiting, build.storage_class("local", DRIVER)).status == "clear"


@pytest.mark.parametrize(
    ("path", "severity"),
    [
        pytest.param("/ckpt", Severity.HIGH, id="checkpoints cannot be had again"),
        pytest.param("/data", Severity.MEDIUM, id="a dataset can be copied again"),
    ],
)
def test_checkpoints_weigh_more(path: str, severity: Severity) -> None:
    verdict = run(pod(path), CLAIM, local())

    assert [verdict.severity_of(finding) for finding in verdict.findings] == [severity]


def test_the_finding_names_both_nodes() -> None:
    verdict = run(pod(), pod(name="train-1"), CLAIM, local())

    (finding,) = verdict.findings
    assert str(finding.subject) == "PersistentVolume/pv-data"
    assert finding.says.en == (
        "was made anew on node b and was empty then: what PyTorchJob/ml/train kept on node a stayed there"
    )
    assert list(finding.evidence.values()) == ["a", "b"]
    assert verdict.confidence_of(finding) is Confidence.LIKELY


@pytest.mark.parametrize("kind", [Pod, Claim, Volume])
def test_what_may_not_be_read_is_unknown(kind: type[Record]) -> None:
    assert run(pod(), CLAIM, local(), unread=[kind]).status == "unknown"


def test_other_kinds_matter_only_where_they_are_needed() -> None:
    assert run(pod(), CLAIM, local(), unread=[StorageClass, WekaCluster]).status == "gap"


def test_no_pod_is_not_applicable() -> None:
    assert run().status == "not_applicable"
