import pytest
from msgspec.structs import replace

from kubegap_checks.facts.cron_jobs import CronJob, Deletion
from kubegap_checks.facts.read import Facts, Partial
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.control_plane.bulk_deleter_unguarded import CHECK
from tests.checks.build import facts, forbidden

PODS = Deletion(kinds=("pods",), all=True)


def job(*deletions: Deletion, **fields: bool) -> CronJob:
    made = CronJob(namespace="ops", name="cleanup", schedule="0 3 * * *", deletions=deletions)
    return replace(made, **fields)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(job(PODS)), "gap", id="all pods of a namespace"),
        pytest.param(facts(job(replace(PODS, everywhere=True))), "gap", id="all pods of the cluster"),
        pytest.param(facts(job(Deletion(kinds=("namespaces",), all=True))), "gap", id="all namespaces"),
        pytest.param(facts(job(Deletion(kinds=("persistentvolumeclaims",), all=True))), "gap", id="all claims"),
        pytest.param(facts(job(replace(PODS, selected=True))), "clear", id="only those with a label"),
        pytest.param(facts(job(replace(PODS, all=False, everywhere=True))), "clear", id="not all"),
        pytest.param(facts(job(PODS, suspended=True)), "clear", id="suspended"),
        pytest.param(facts(job()), "clear", id="it deletes nothing"),
        pytest.param(facts(), "not_applicable", id="no CronJob"),
        pytest.param(facts(unread=(CronJob,)), "unknown", id="CronJobs unread"),
        pytest.param(
            facts().but(CronJob, Partial((job(),), (forbidden(CronJob),))), "unknown", id="one namespace read"
        ),
    ],
)
def test_a_clean_up_must_say_what_it_may_delete(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("deletion", "severity", "confidence", "says"),
    [
        pytest.param(PODS, Severity.LOW, Confidence.HINT, "all pods in its namespace", id="one namespace"),
        pytest.param(
            replace(PODS, everywhere=True), Severity.MEDIUM, Confidence.LIKELY, "all pods in every namespace", id="all"
        ),
        pytest.param(
            Deletion(kinds=("pods", "nodes"), all=True),
            Severity.MEDIUM,
            Confidence.LIKELY,
            "all pods, nodes it can reach",
            id="nodes",
        ),
        pytest.param(
            Deletion(kinds=("persistentvolumeclaims",), all=True),
            Severity.MEDIUM,
            Confidence.LIKELY,
            "all persistentvolumeclaims it can reach",
            id="data",
        ),
    ],
)
def test_how_bad_it_is_depends_on_how_far_it_reaches(
    deletion: Deletion, severity: Severity, confidence: Confidence, says: str
):
    [finding] = CHECK.run(facts(job(deletion))).findings

    assert (finding.severity, finding.confidence) == (severity, confidence)
    assert finding.says.en == f"it deletes {says} without a selector, at 0 3 * * *"
    assert str(finding.subject) == "CronJob/ops/cleanup"
