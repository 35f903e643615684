"""Promises about every check in the catalogue."""

import datetime as dt
import re
from importlib import import_module
from pathlib import Path

import pytest

from kubegap_checks import catalog
from kubegap_checks.facts.metrics import measured_records
from kubegap_checks.model import Check
from kubegap_checks.text import Text
from kubegap_incidents import library
from kubegap_mcp.kube.gather import registry

TESTS = Path(__file__).parents[1]
LIBRARY = library.load(dt.date(2026, 11, 29))
MOST_LINES = 120

HANGUL = re.compile("[가-힣]")
# A title names what is wrong, not what should be done about it.
COMMAND = re.compile(r"(ensure|check|verify|make sure|avoid|use|enable|set|do not|don't|must)\b", re.IGNORECASE)
# Tools that a person looks with, and those that pick from what they print.
LOOKING = {
    *("kubectl", "weka", "lfs", "lctl", "mmlspool", "mmlsfileset"),
    *("nvidia-smi", "dcgmi", "rocm-smi", "amd-smi"),
    *("ibstat", "ibstatus", "ibv_devinfo", "rdma", "ethtool"),
    *("ls", "cat", "df", "lsblk", "lspci", "findmnt", "dmesg", "journalctl"),
}
PICKING = {"grep", "sed", "awk", "jq", "sort", "cut", "head", "wc"}
# What changes a cluster, or runs something in it: `kubectl debug` makes a pod.
CHANGING = re.compile(
    r"(?<![\w./-])(apply|delete|edit|patch|create|replace|scale|autoscale|drain|cordon|uncordon|taint|label|annotate|"
    r"exec|debug|run|attach|cp|rollout|set|expose|port-forward|proxy|reset|sudo|rm|mv|tee)(?![\w.=:/-])"
)

CHECKS = [pytest.param(check, id=check.id) for check in catalog.load()]


def source(check: Check) -> Path:
    file = import_module(check.module).__file__
    assert file
    return Path(file)


def texts(check: Check) -> list[Text]:
    return [check.title, check.why, check.fix, *check.looks_like, *(cite.because for cite in check.cites)]


def test_there_are_checks_and_no_two_share_an_id():
    ids = [check.id for check in catalog.load()]
    assert ids
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("check", CHECKS)
def test_its_id_is_its_topic_and_its_file(check: Check):
    path = source(check)
    assert check.id == f"{path.parent.name}.{path.stem}"
    assert check.topic == path.parent.name


@pytest.mark.parametrize("check", CHECKS)
def test_it_has_a_test_of_its_name(check: Check):
    path = source(check)
    assert (TESTS / "checks" / path.parent.name / f"test_{path.stem}.py").is_file()


@pytest.mark.parametrize("check", CHECKS)
def test_its_file_is_short_enough_to_read_at_once(check: Check):
    assert len(source(check).read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("check", CHECKS)
def test_its_file_begins_with_the_rule(check: Check):
    rule = import_module(check.module).__doc__
    assert rule
    assert re.search(r"\b(must|may|never)\b", rule)


@pytest.mark.parametrize("check", CHECKS)
def test_it_rests_on_incidents_of_the_library(check: Check):
    cited = [cite.incident for cite in check.cites]
    assert cited
    assert len(cited) == len(set(cited))
    for name in cited:
        incident = LIBRARY.by_id(name)
        assert incident, name
        assert incident.id == name, "cite the id, not an alias"
        assert not incident.withdrawn, name


@pytest.mark.parametrize("check", CHECKS)
def test_every_text_is_written_in_both_languages(check: Check):
    for text in texts(check):
        assert text.en == text.en.strip() != ""
        assert text.ko == text.ko.strip() != ""
        assert HANGUL.search(text.ko), text.ko
        assert not HANGUL.search(text.en), text.en
        assert "\n" not in text.en + text.ko
        assert not re.search(r"\.\.$|[ ,;:]$", text.en), text.en
        assert not re.search(r"\.\.$|[ ,;:]$", text.ko), text.ko


@pytest.mark.parametrize("check", CHECKS)
def test_its_code_spans_are_closed(check: Check):
    for text in texts(check):
        assert text.en.count("`") % 2 == 0, text.en
        assert text.ko.count("`") % 2 == 0, text.ko


@pytest.mark.parametrize("check", CHECKS)
def test_its_title_names_a_state(check: Check):
    assert not COMMAND.match(check.title.en), check.title.en
    assert not check.title.en.endswith(".")
    assert not check.title.ko.endswith((".", "하라", "하세요"))


@pytest.mark.parametrize("check", CHECKS)
def test_it_says_what_looks_like_it_and_is_not(check: Check):
    assert check.looks_like


@pytest.mark.parametrize("check", CHECKS)
def test_its_commands_only_look(check: Check):
    assert check.verify
    for command in check.verify:
        assert only_looks(command), command


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("kubectl apply -f x.yaml", id="a write"),
        pytest.param("kubectl -n ml delete pod x", id="a write after an option"),
        pytest.param("kubectl exec -n ml x -- df", id="a command in a pod"),
        pytest.param("kubectl debug node/x --image=busybox", id="a new pod"),
        pytest.param("kubectl get pods; kubectl drain x", id="a second command"),
        pytest.param("kubectl get pods $(rm -rf x)", id="a command within"),
        pytest.param("kubectl get pods > x", id="a file"),
        pytest.param("kubectl get pods | xargs kubectl delete", id="a tool that runs others"),
        pytest.param("sed -i s/a/b/ x", id="a tool that only picks, alone"),
        pytest.param("helm list", id="a tool that is not known"),
    ],
)
def test_a_command_that_could_change_something_would_be_seen(command):
    assert not only_looks(command)


def only_looks(command: str) -> bool:
    quoted = re.sub(r"'[^']*'|\"[^\"]*\"", "''", command.partition("  # ")[0])
    first, *rest = (part.split()[0] for part in quoted.split("|"))
    return (
        not re.search(r"[;&>`\n]|\$\(", quoted)
        and not CHANGING.search(quoted)
        and (first in LOOKING or (first == "grep" and not rest))
        and set(rest) <= PICKING
    )


@pytest.mark.parametrize("check", CHECKS)
def test_it_reads_what_a_cluster_can_be_read_for(check: Check):
    assert check.reads
    assert len(check.reads) == len(set(check.reads))
    assert set(check.reads) <= {*registry.records(), *measured_records()}
