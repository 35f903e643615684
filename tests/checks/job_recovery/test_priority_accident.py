from collections.abc import Iterable
from typing import Any

import pytest

from checks import build
from kubegap_checks.facts.controllers import PriorityClass
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.job_recovery.priority_accident import CHECK

GPUS = {"nvidia.com/gpu": 8}
EVERYDAY = build.priority_class("everyday", 1000, default=True)
URGENT = build.priority_class("urgent", 5000)


def pod(name: str = "llm", priority: int | None = 0, kind: str = "PyTorchJob", **fields: Any) -> Pod:
    owner = Run(kind=kind, namespace="ml", name=name)
    return build.pod(f"{name}-0", run=owner, priority=priority, **{"resources": GPUS, **fields})


def of(*records: Record) -> Facts:
    return build.facts(*records)


def subjects(given: Facts) -> list[str]:
    return [str(finding.subject) for finding in CHECK.run(given).findings]


DEFAULT = ["PriorityClass/everyday"]
LLM = ["PyTorchJob/ml/llm"]
OTHER = pod("tune", 5000, priority_class="urgent")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        pytest.param(of(pod(), EVERYDAY), DEFAULT, id="made before the default was"),
        pytest.param(
            of(pod(priority=999, priority_class="training"), EVERYDAY), DEFAULT, id="a class below the default"
        ),
        pytest.param(of(pod(priority=1000), EVERYDAY), [], id="the default itself"),
        pytest.param(of(pod(), build.priority_class("everyday", 1000)), [], id="no default"),
        pytest.param(
            of(pod(), build.priority_class("everyday", 1000, default=True, preempts=False)), [], id="preempts nothing"
        ),
        pytest.param(
            of(pod(), EVERYDAY, build.priority_class("base", 0, default=True)), [], id="the lowest default counts"
        ),
        pytest.param(of(pod(priority=-1), EVERYDAY), [], id="meant to give way"),
        pytest.param(of(pod(priority=None), EVERYDAY), [], id="not told"),
        pytest.param(of(pod(kind="Deployment"), EVERYDAY), [], id="no training"),
        pytest.param(of(pod(), OTHER, URGENT), LLM, id="no class, beside one that preempts"),
        pytest.param(of(pod(), OTHER, build.priority_class("urgent", 5000, preempts=False)), [], id="that does not"),
        pytest.param(of(pod(), OTHER), [], id="that no list holds"),
        pytest.param(of(pod(), pod("tune", 0, priority_class="urgent"), URGENT), [], id="that is not higher"),
        pytest.param(of(pod(priority_class="research"), OTHER, URGENT), [], id="a class of its own"),
        pytest.param(of(pod(resources={"nvidia.com/gpu": 7}), OTHER, URGENT), [], id="a small experiment"),
        pytest.param(
            of(pod(), OTHER, URGENT, build.priority_class("base", 0, default=True)), [], id="a default that is zero"
        ),
        pytest.param(of(pod(), URGENT), [], id="alone"),
    ],
)
def test_which_pods_may_evict_a_run(given: Facts, found: list[str]) -> None:
    assert subjects(given) == found


def test_a_default_above_training_is_one_finding_that_names_a_run() -> None:
    verdict = CHECK.run(of(pod(), pod("tune", 10), EVERYDAY))

    (finding,) = verdict.findings
    assert finding.says.en == (
        "gives every pod without a class 1000, above PyTorchJob/ml/llm (0) and 1 other runs, and may evict them"
    )
    assert finding.evidence == {"PriorityClass[everyday].value": 1000, "Pod[ml/llm-0].spec.priority": 0}
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.HIGH, Confidence.LIKELY)


def test_a_run_that_only_looks_like_training_gives_a_hint() -> None:
    verdict = CHECK.run(of(pod(kind="Job"), EVERYDAY))

    assert [verdict.confidence_of(finding) for finding in verdict.findings] == [Confidence.HINT]


def test_a_run_goes_by_its_lowest_pod() -> None:
    run = [build.pod(f"llm-{rank}", resources=GPUS, priority=priority) for rank, priority in ((0, 5000), (1, 0))]

    (finding,) = CHECK.run(of(*run, EVERYDAY)).findings

    assert finding.evidence["Pod[ml/llm-1].spec.priority"] == 0


def test_a_run_without_a_class_is_a_hint_that_names_the_other() -> None:
    verdict = CHECK.run(of(pod(), OTHER, URGENT))

    (finding,) = verdict.findings
    assert finding.says.en == "has no priority class, while PyTorchJob/ml/tune has urgent and may evict it"
    assert finding.evidence == {"Pod[ml/llm-0].spec.priority": 0, "Pod[ml/tune-0].spec.priority": 5000}
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.LOW, Confidence.HINT)


@pytest.mark.parametrize("lost", [Pod, PriorityClass])
def test_a_read_that_lacks_is_unknown(lost: type[Record]) -> None:
    assert CHECK.run(build.facts(pod(), EVERYDAY, unread=(lost,))).status == "unknown"


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        pytest.param([pod()], "gap", id="a gap in what was seen"),
        pytest.param([pod(priority=2000)], "unknown", id="none"),
    ],
)
def test_some_namespaces_only(rows: Iterable[Pod], status: str) -> None:
    partial = Partial(tuple(rows), (build.forbidden(Pod),))

    assert CHECK.run(of(EVERYDAY).but(Pod, partial)).status == status


def test_without_training_there_is_nothing_to_look_at() -> None:
    assert CHECK.run(of(pod(kind="Deployment"), EVERYDAY)).status == "not_applicable"
