from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Pod, PodVolume, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.facts.storage import Claim, Volume
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.duplicate_volume_handle import CHECK

EFS = "efs.csi.aws.com"
VOLUMES = tuple(PodVolume(name=name, form="claim", claim=name, attributes={}) for name in ("a", "b"))
POD = build.pod(resources={"nvidia.com/gpu": 8}, phase="Pending", volumes=VOLUMES)
CLAIMS = (build.claim("a", volume="pv-a"), build.claim("b", volume="pv-b"))


def pair(**second: Any) -> tuple[Volume, Volume]:
    """Two volumes with one handle, but for what the second has of its own."""
    first = build.volume("pv-a", EFS, filesystem="#1f2e3d4c", handle="#0a1b2c3d")
    return first, replace(first, name="pv-b", **second)


def run(*records: Record, **fields: Any) -> Verdict:
    return CHECK.run(build.facts(*records, **fields))


@pytest.mark.parametrize(
    ("cluster", "status"),
    [
        pytest.param(build.facts(POD, *CLAIMS, *pair()), "gap", id="one handle twice"),
        pytest.param(build.facts(POD, *CLAIMS, *pair(handle="#99999999")), "clear", id="two handles"),
    ],
)
def test_a_pod_that_waits_for_one_volume_under_two_names(cluster: Facts, status: Status) -> None:
    assert CHECK.run(cluster).status == status


@pytest.mark.parametrize(
    ("volumes", "status"),
    [
        pytest.param(pair(), "gap", id="one handle twice"),
        pytest.param(pair(handle="#99999999"), "clear", id="two directories of one filesystem"),
        pytest.param(pair(driver="fsx.csi.aws.com"), "clear", id="two drivers"),
        pytest.param([replace(volume, handle="") for volume in pair()], "clear", id="volumes without a handle"),
    ],
)
def test_the_volumes_of_a_pod_that_waits_must_have_handles_of_their_own(volumes: list[Volume], status: Status) -> None:
    assert run(POD, *CLAIMS, *volumes).status == status


@pytest.mark.parametrize(
    ("pod", "status"),
    [
        pytest.param(replace(POD, phase="Running"), "clear", id="it runs, so all are mounted"),
        pytest.param(replace(POD, created=build.JUST_NOW), "clear", id="it was made a moment ago"),
        pytest.param(
            replace(POD, created=build.READ_AT - timedelta(minutes=15)),
            "gap",
            id="it has waited for as long as is fine",
        ),
        pytest.param(replace(POD, created=None), "clear", id="nobody knows since when"),
        pytest.param(replace(POD, volumes=VOLUMES[:1]), "clear", id="it mounts only one"),
        pytest.param(
            replace(POD, volumes=(VOLUMES[0], replace(VOLUMES[0], name="again"))), "clear", id="one claim, twice"
        ),
        pytest.param(
            replace(POD, volumes=(VOLUMES[0], replace(VOLUMES[1], form="host_path", claim=""))),
            "clear",
            id="the other is no claim's",
        ),
        pytest.param(replace(POD, volumes=(VOLUMES[0], replace(VOLUMES[1], claim="c"))), "clear", id="no such claim"),
        pytest.param(
            replace(POD, run=Run(kind="Deployment", namespace="ml", name="web")), "not_applicable", id="it serves"
        ),
    ],
)
def test_a_pod_that_does_not_wait_for_both_is_no_gap(pod: Pod, status: Status) -> None:
    assert run(pod, *CLAIMS, *pair()).status == status


def test_pods_that_mount_one_each_are_no_gap() -> None:
    pods = [replace(POD, name=volume.name, volumes=(volume,)) for volume in VOLUMES]

    assert run(*pods, *CLAIMS, *pair()).status == "clear"


def test_a_claim_that_nothing_is_bound_to_has_no_handle() -> None:
    assert run(POD, CLAIMS[0], replace(CLAIMS[1], volume=""), *pair()).status == "clear"


def test_what_no_volume_needs_may_stay_unread() -> None:
    unbound = [replace(claim, volume="") for claim in CLAIMS]
    paths = [replace(volume, form="host_path", claim="") for volume in VOLUMES]

    assert run(POD, *unbound, unread=[Volume]).status == "clear"
    assert run(replace(POD, volumes=tuple(paths)), unread=[Claim, Volume]).status == "clear"


def test_one_run_is_one_finding_that_names_the_volumes() -> None:
    verdict = run(POD, replace(POD, name="train-1"), *CLAIMS, *pair())

    (finding,) = verdict.findings
    assert str(finding.subject) == "PyTorchJob/ml/train"
    assert finding.says.en == "pod train-0 has not started and mounts volumes with the same handle: pv-a, pv-b"
    assert finding.evidence == {
        "Pod[ml/train-0].status.phase": "Pending",
        "PersistentVolume[pv-a].spec.csi.driver": EFS,
        "PersistentVolume[pv-b].spec.csi.driver": EFS,
    }
    assert verdict.severity_of(finding) is Severity.HIGH
    assert verdict.confidence_of(finding) is Confidence.LIKELY


def test_a_run_that_only_looks_like_training_makes_a_hint() -> None:
    verdict = run(replace(POD, run=Run(kind="Job", namespace="ml", name="work")), *CLAIMS, *pair())

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


def test_claims_that_cannot_be_read_hide_no_other_run() -> None:
    other = replace(POD, namespace="research", run=Run(kind="PyTorchJob", namespace="research", name="other"))
    facts = build.facts(other, POD, *CLAIMS, *pair())
    verdict = CHECK.run(facts.but(Claim, Partial(CLAIMS, (build.forbidden(Claim),))))

    assert [str(finding.subject) for finding in verdict.findings] == ["PyTorchJob/ml/train"]
    assert [doubt.what.en for doubt in verdict.unread] == ["persistentvolumeclaims"]


@pytest.mark.parametrize("kind", [Pod, Claim, Volume])
def test_what_may_not_be_read_is_unknown(kind: type[Record]) -> None:
    assert run(POD, *CLAIMS, *pair(), unread=[kind]).status == "unknown"


def test_no_pod_is_not_applicable() -> None:
    assert run().status == "not_applicable"
