from typing import Any

import pytest
from msgspec.structs import replace

from checks import build
from kubegap_checks.facts.pods import Mount, Pod, PodVolume, Run
from kubegap_checks.facts.read import Partial, Record
from kubegap_checks.model import Confidence, Severity, Status, Verdict
from kubegap_checks.rules.storage_tiering.shm_missing_or_unbounded import CHECK

GI = 2**30

SHM = PodVolume(name="shm", form="empty_dir", medium="Memory", attributes={})
PATH = "/dev/shm"  # noqa: S108
AT_SHM = Mount(volume="shm", path=PATH)
WITHOUT = build.container(limits={"nvidia.com/gpu": 8}, mounts=(Mount(volume="data", path="/data"),))
WITH = replace(WITHOUT, mounts=(AT_SHM,))

MISSING = build.pod(resources={"nvidia.com/gpu": 8}, containers=(WITHOUT,))
UNBOUNDED = replace(MISSING, containers=(WITH,), volumes=(SHM,))


def missing(**fields: Any) -> Pod:
    return replace(MISSING, **fields)


def mounted(volume: PodVolume = SHM, memory_limit: int | None = None) -> Pod:
    return replace(MISSING, containers=(replace(WITH, memory_limit=memory_limit),), volumes=(volume,))


def owned_by(kind: str) -> Run:
    return Run(kind=kind, namespace="ml", name="work")


def run(*records: Record, unread: tuple[type[Record], ...] = ()) -> Verdict:
    return CHECK.run(build.facts(*records, unread=unread))


def keys(verdict: Verdict) -> list[str]:
    return [finding.key for finding in verdict.findings]


@pytest.mark.parametrize(
    ("pods", "status"),
    [
        pytest.param([MISSING], "gap", id="eight GPUs and no mount"),
        pytest.param([missing(host_ipc=True)], "clear", id="the IPC namespace of the host"),
        pytest.param([mounted(replace(SHM, form="host_path", path=PATH, medium=""))], "clear", id="of the host"),
        pytest.param([missing(resources={"nvidia.com/gpu": 1})], "clear", id="one pod with one GPU"),
        pytest.param(
            [missing(name=f"train-{number}", resources={"nvidia.com/gpu": 1}) for number in range(2)],
            "gap",
            id="two pods with one GPU each",
        ),
        pytest.param([missing(run=owned_by("Deployment"))], "not_applicable", id="a pod that serves"),
        pytest.param([], "not_applicable", id="no pods"),
        pytest.param(
            [missing(containers=(WITH, build.container("sidecar")), volumes=(replace(SHM, size_limit=GI),))],
            "clear",
            id="only a sidecar is without",
        ),
    ],
)
def test_training_pods_without_dev_shm_are_a_gap(pods: list[Record], status: Status) -> None:
    assert run(*pods).status == status


@pytest.mark.parametrize(
    ("pod", "found"),
    [
        pytest.param(mounted(), ["unbounded"], id="no limit anywhere"),
        pytest.param(mounted(replace(SHM, size_limit=64 * GI)), [], id="a size limit"),
        pytest.param(mounted(memory_limit=256 * GI), [], id="a memory limit"),
        pytest.param(mounted(replace(SHM, medium="")), [], id="on disk instead of memory"),
        pytest.param(replace(UNBOUNDED, volumes=()), [], id="a mount whose volume the pod does not name"),
        pytest.param(mounted(replace(SHM, size_limit=256 * GI), 256 * GI), ["over_limit"], id="as large as the limit"),
        pytest.param(mounted(replace(SHM, size_limit=255 * GI), 256 * GI), [], id="smaller than the limit"),
    ],
)
def test_shared_memory_must_be_bounded_below_the_memory_limit(pod: Pod, found: list[str]) -> None:
    assert keys(run(pod)) == found


def test_a_run_is_one_finding_for_each_form() -> None:
    pods = [replace(MISSING, name=f"train-{number}") for number in range(3)] + [replace(UNBOUNDED, name="train-3")]

    verdict = run(*pods)

    assert keys(verdict) == ["missing", "unbounded"]
    assert [verdict.severity_of(finding) for finding in verdict.findings] == [Severity.MEDIUM, Severity.LOW]
    assert {str(finding.subject) for finding in verdict.findings} == {"PyTorchJob/ml/train"}
    assert verdict.findings[0].says.en == "pod train-0 mounts no /dev/shm, so its workers share the default 64 MiB"
    assert verdict.findings[0].evidence == {"Pod[ml/train-0].spec.containers[trainer].volumeMounts": "/data"}
    assert verdict.findings[1].evidence == {
        "Pod[ml/train-3].spec.volumes[shm].emptyDir.sizeLimit": None,
        "Pod[ml/train-3].spec.containers[trainer].resources.limits.memory": None,
    }


def test_a_run_of_which_the_owner_tells_gives_a_likely_gap() -> None:
    verdict = run(MISSING)

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.LIKELY]


def test_a_pod_that_only_looks_like_training_gives_a_hint() -> None:
    verdict = run(missing(run=owned_by("Job")))

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


def test_pods_that_may_not_be_read_are_unknown_and_never_clear() -> None:
    assert run(MISSING, unread=(Pod,)).status == "unknown"


@pytest.mark.parametrize(
    ("rows", "asked_for", "status"),
    [
        pytest.param((MISSING,), False, "gap", id="a gap in what was seen"),
        pytest.param((missing(host_ipc=True),), False, "unknown", id="nothing in what was seen"),
        pytest.param((), False, "unknown", id="no run in what was seen"),
        pytest.param((missing(host_ipc=True),), True, "clear", id="nothing in what was asked about"),
    ],
)
def test_some_namespaces_only(rows: tuple[Pod, ...], asked_for: bool, status: Status) -> None:  # noqa: FBT001
    partial = Partial(rows, (build.forbidden(Pod),), asked_for=asked_for)

    assert CHECK.run(build.facts().but(Pod, partial)).status == status
