import pytest

from kubegap_checks.facts.metrics import ContainerMemory, Exported
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts, Record
from kubegap_checks.model import Confidence, Severity, Verdict
from kubegap_checks.rules.job_recovery.shared_memory_growth import CHECK
from tests.checks.build import container, facts, pod
from tests.checks.measured import exported, measured

GB = 1e9
TRAINER = container(limits={"nvidia.com/gpu": 8}, memory_limit=int(2000 * GB))
RUN = (
    pod("train-0", containers=(TRAINER, container("logs")), resources={"nvidia.com/gpu": 8}),
    pod("train-1", node="gpu-2", containers=(TRAINER,), resources={"nvidia.com/gpu": 8}),
)
SERVES = pod(run=Run(kind="Deployment", namespace="ml", name="serve"))
MEASURED = (
    *exported("working_set_growth", "gpu-1", "gpu-2"),
    *exported("rss_growth", "gpu-1", "gpu-2"),
)
CACHE_KNOWN = (*MEASURED, *exported("active_file_growth", "gpu-1", "gpu-2"))


def memory(name: str = "train-0", of: str = "trainer", now: float = 900, **grown: float) -> tuple[ContainerMemory, ...]:
    """What grew within the window, in GB; a quantity that grew too little to be told has no row."""
    grown = {"working_set": now, **grown}
    return tuple(
        measured(ContainerMemory, quantity, value * GB, namespace="ml", pod=name, container=of)
        for quantity, value in grown.items()
    )


INDEX = memory(working_set_growth=120, working_set_recent_growth=40, mapped_file_growth=120)
LEAK = memory(working_set_growth=60, working_set_recent_growth=20, rss_growth=58)


def cluster(
    *rows: Record,
    seen: tuple[Exported, ...] = CACHE_KNOWN,
    pods: tuple[Pod, ...] = RUN,
    unread: type[Record] | None = None,
) -> Facts:
    return facts(*pods, *rows, *seen, unread=(unread,) if unread else ())


def growing(total: float, recent: float, **grown: float) -> Facts:
    return cluster(*memory(working_set_growth=total, working_set_recent_growth=recent, **grown))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(*INDEX), "gap", id="an index grows in shared memory"),
        pytest.param(cluster(*INDEX, seen=MEASURED), "gap", id="mapped memory grows, the page cache is not known"),
        pytest.param(
            cluster(*memory(working_set_growth=120, working_set_recent_growth=40), seen=MEASURED),
            "clear",
            id="nothing mapped grows, the page cache is not known",
        ),
        pytest.param(
            cluster(
                *memory(working_set_growth=120, working_set_recent_growth=40, mapped_file_growth=15), seen=MEASURED
            ),
            "clear",
            id="next to nothing mapped grows, the page cache is not known",
        ),
        pytest.param(growing(120, 40), "gap", id="shared memory that nobody maps"),
        pytest.param(growing(16, 6), "gap", id="just as much as does not pass"),
        pytest.param(growing(15.9, 6), "clear", id="a little growth"),
        pytest.param(
            growing(120, 40, mapped_file_growth=120, active_file_growth=110), "clear", id="a mapped dataset is read"
        ),
        pytest.param(growing(60, 20, rss_growth=58), "gap", id="private memory leaks"),
        pytest.param(cluster(*LEAK, seen=MEASURED), "gap", id="private memory leaks, whatever the page cache does"),
        pytest.param(growing(20, 7, rss_growth=10), "clear", id="a little of both"),
        pytest.param(cluster(*memory(rss_growth=60)), "clear", id="private memory in place of page cache"),
        pytest.param(growing(120, 0), "clear", id="a warm-up that has levelled off"),
        pytest.param(growing(120, 19), "clear", id="a warm-up that levels off"),
        pytest.param(growing(120, 20), "gap", id="as slow as still counts as steady"),
        pytest.param(growing(120, 80), "gap", id="as fast as still counts as steady"),
        pytest.param(growing(120, 81), "clear", id="a checkpoint was just put into memory"),
        pytest.param(cluster(), "clear", id="nothing grew, or the pods are younger than the window"),
        pytest.param(
            cluster(*memory(of="logs", working_set_growth=120, working_set_recent_growth=40)),
            "clear",
            id="a container beside the workers",
        ),
        pytest.param(
            cluster(*memory("serve-0", working_set_growth=120, working_set_recent_growth=40)),
            "clear",
            id="a pod of no training run",
        ),
        pytest.param(cluster(seen=exported("working_set_growth", "gpu-1", "gpu-2")), "unknown", id="no private memory"),
        pytest.param(
            cluster(seen=(*exported("working_set_growth", "gpu-1"), *exported("rss_growth", "gpu-1"))),
            "unknown",
            id="one node tells nothing",
        ),
        pytest.param(
            cluster(pods=(RUN[0], pod("train-1", node="", containers=(TRAINER,))), seen=CACHE_KNOWN),
            "clear",
            id="a pod that is not placed",
        ),
        pytest.param(cluster(*INDEX, unread=ContainerMemory), "unknown", id="memory is unread"),
        pytest.param(cluster(*INDEX, unread=Exported), "unknown", id="who publishes is unread"),
        pytest.param(cluster(*INDEX, unread=Pod), "unknown", id="pods are unread"),
        pytest.param(
            cluster(pods=(SERVES,)),
            "not_applicable",
            id="nothing trains",
        ),
    ],
)
def test_memory_that_grows_with_the_steps_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def only(verdict: Verdict) -> tuple[str, Severity, Confidence, str]:
    (finding,) = verdict.findings
    return finding.key, verdict.severity_of(finding), verdict.confidence_of(finding), finding.says.en


def test_a_run_is_one_finding_with_the_container_that_grew_most():
    other = memory("train-1", working_set_growth=150, working_set_recent_growth=50)
    verdict = CHECK.run(cluster(*INDEX, *other))

    assert only(verdict) == (
        "shared",
        Severity.MEDIUM,
        Confidence.LIKELY,
        "in 6 hours shared memory grew by up to 150 GB in 2 of its containers",
    )
    assert str(verdict.findings[0].subject) == "PyTorchJob/ml/train"
    assert verdict.findings[0].evidence == {
        "metrics[ml/train-1/trainer].working_set_growth": 150 * GB,
        "metrics[ml/train-1/trainer].rss_growth": 0,
        "metrics[ml/train-1/trainer].working_set": 900 * GB,
        "Pod[ml/train-1].resources.limits.memory": 2000 * GB,
    }


def test_without_the_page_cache_it_is_a_hint():
    key, _, confidence, says = only(CHECK.run(cluster(*INDEX, seen=MEASURED)))

    assert (key, confidence) == ("shared", Confidence.HINT)
    assert says.startswith("in 6 hours shared memory or mapped files grew by up to 120 GB")


def test_a_leak_of_private_memory_is_another_finding_and_less_severe():
    assert only(CHECK.run(cluster(*LEAK))) == (
        "private",
        Severity.LOW,
        Confidence.LIKELY,
        "in 6 hours private memory (a leak, not a shared index) grew by up to 58 GB in 1 of its containers",
    )


def test_one_run_may_have_both():
    other = memory("train-1", working_set_growth=60, working_set_recent_growth=20, rss_growth=58)
    assert [finding.key for finding in CHECK.run(cluster(*INDEX, *other)).findings] == ["shared", "private"]


@pytest.mark.parametrize(
    ("limit", "severity", "end"),
    [
        pytest.param(1380, Severity.HIGH, ", 24 hours from the memory limit", id="a day is left"),
        pytest.param(1381, Severity.MEDIUM, "1 of its containers", id="a little more than a day is left"),
        pytest.param(None, Severity.MEDIUM, "1 of its containers", id="no limit"),
    ],
)
def test_a_limit_that_is_near_makes_it_high(limit: float | None, severity: Severity, end: str):
    bound = container(limits={"nvidia.com/gpu": 8}, memory_limit=None if limit is None else int(limit * GB))
    pods = (pod("train-0", containers=(bound,), resources={"nvidia.com/gpu": 8}),)

    _, found, _, says = only(CHECK.run(cluster(*INDEX, pods=pods)))

    assert found is severity
    assert says.endswith(end)


def test_what_only_looks_like_training_makes_a_hint():
    alone = pod(
        run=Run(kind="Pod", namespace="ml", name="train-0"), containers=(TRAINER,), resources={"nvidia.com/gpu": 8}
    )
    assert only(CHECK.run(cluster(*INDEX, pods=(alone,))))[2] is Confidence.HINT


def test_an_owner_may_set_another_limit():
    given = growing(15.9, 6)
    assert CHECK.run(given, {"memory_growth": 10}).status == "gap"
