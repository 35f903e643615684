import json

import pytest

from kubegap_checks.facts.cron_jobs import CronJob, Deletion
from kubegap_mcp.kube.gather.deletions import deletions
from kubegap_mcp.kube.gather.lenient import Losses
from kubegap_mcp.kube.gather.registry import gatherers

PODS = Deletion(kinds=("pods",))


def cron_job(*args, **spec):
    pod = {"initContainers": [{"args": ["true"]}], "containers": [{"command": ["sh", "-c"], "args": list(args)}]}
    template = {"spec": {"template": {"spec": pod}}}
    return {"metadata": {"name": "x", "namespace": "ns"}, "spec": {"jobTemplate": template, **spec}}


def test_a_cron_job_is_taken_whole():
    item = cron_job("kubectl delete pods --all -A", schedule="0 3 * * *", suspend=True)
    [row] = gatherers()[CronJob].objects([json.dumps(item).encode()]).rows

    assert (row.namespace, row.name, row.schedule, row.suspended) == ("ns", "x", "0 3 * * *", True)
    assert row.deletions == (Deletion(kinds=("pods",), all=True, everywhere=True),)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        pytest.param("kubectl delete pods --all", Deletion(kinds=("pods",), all=True), id="all"),
        pytest.param("kubectl -n ml delete po --all=true", Deletion(kinds=("pods",), all=True), id="flags before"),
        pytest.param(
            "kubectl delete NS,pvc --all -A",
            Deletion(kinds=("namespaces", "persistentvolumeclaims"), all=True, everywhere=True),
            id="short names",
        ),
        pytest.param(
            "kubectl delete pods --all-namespaces", Deletion(kinds=("pods",), everywhere=True), id="everywhere"
        ),
        pytest.param("kubectl delete pod -l app=x", Deletion(kinds=("pods",), selected=True), id="by label"),
        pytest.param("kubectl delete pod --selector app=x", Deletion(kinds=("pods",), selected=True), id="spelled out"),
        pytest.param(
            "kubectl delete pods --field-selector=status.phase==Succeeded -A",
            Deletion(kinds=("pods",), everywhere=True, selected=True),
            id="by field",
        ),
        pytest.param(
            "set -e; (kubectl delete pods \\\n  --all)", Deletion(kinds=("pods",), all=True), id="a script over lines"
        ),
        pytest.param(
            "kubectl delete pods --all 2>/dev/null || true", Deletion(kinds=("pods",), all=True), id="quietly"
        ),
        pytest.param("kubectl get pods -o name | xargs kubectl delete pod", PODS, id="names from elsewhere"),
        pytest.param("kubectl delete pod trainer-0", None, id="one by name"),
        pytest.param("kubectl delete widgets --all", None, id="a kind that is not known"),
        pytest.param("kubectl delete pods,widgets --all", None, id="one of them not known"),
        pytest.param("kubectl delete pods --all --dry-run=server", None, id="a dry run"),
        pytest.param(
            "kubectl delete pods --all --dry-run=none",
            Deletion(kinds=("pods",), all=True),
            id="no dry run in spite of it",
        ),
        pytest.param("kubectl delete -f all.yaml", None, id="from a file"),
        pytest.param("kubectl delete", None, id="nothing"),
        pytest.param("kubectl get pods --all-namespaces; echo delete pods --all", None, id="another command"),
        pytest.param("mykubectl delete pods --all", None, id="another program"),
    ],
)
def test_what_a_command_deletes(command, found):
    assert deletions(["sh", "-c"], [command], Losses()) == ((found,) if found else ())


def test_a_command_in_single_words_is_understood_too():
    found = deletions(["kubectl", "delete", "jobs"], ["--all", "-n", "ci"], Losses())

    assert found == (Deletion(kinds=("jobs",), all=True),)


def test_each_command_of_a_container_is_taken_also_from_a_snapshot():
    item = cron_job("kubectl delete jobs --all\nkubectl delete pods --all -A && kubectl delete pvc -l app=x")
    gatherer = gatherers()[CronJob]
    [pruned] = gatherer.prune(json.dumps({"items": [item]}).encode()).objects

    for told in (json.dumps(item).encode(), pruned):
        assert gatherer.objects([told]).rows[0].deletions == (
            Deletion(kinds=("jobs",), all=True),
            Deletion(kinds=("pods",), all=True, everywhere=True),
            Deletion(kinds=("persistentvolumeclaims",), selected=True),
        )


@pytest.mark.parametrize(
    ("command", "lost"),
    [
        pytest.param("#" * 99_900 + "\nkubectl delete pods --all", 0, id="a long script"),
        pytest.param("#" * 100_000 + "\nkubectl delete pods --all", 1, id="one that is longer than any"),
    ],
)
def test_a_script_that_is_not_read_to_its_end_is_not_understood(command: str, lost: int):
    page = gatherers()[CronJob].objects([json.dumps(cron_job(command)).encode()])

    assert (page.invalid, len(page.rows)) == (lost, 1 - lost)


def test_no_word_of_a_command_but_known_ones_reaches_a_snapshot():
    item = cron_job("TOKEN=top-secret; kubectl delete pods -l top=secret -n top-secret --all; curl top-secret")
    [pruned] = gatherers()[CronJob].prune(json.dumps({"items": [item]}).encode()).objects

    assert b"secret" not in pruned
    assert gatherers()[CronJob].objects([pruned]).rows[0].deletions == (
        Deletion(kinds=("pods",), all=True, selected=True),
    )
