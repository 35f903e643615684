"""Fixed phrases exist in both languages, and texts are cut without breaking."""

import json
from typing import get_args

import pytest

from kubegap_checks.facts.read import Reason
from kubegap_checks.model import Confidence, Severity, Status
from kubegap_checks.text import Text
from kubegap_incidents.record import Incident, Source, Verification
from kubegap_mcp.report import words
from kubegap_mcp.report.models import ClusterPart, ContextsAnswer, Fabric, Note


def test_every_word_of_the_model_has_a_phrase():
    assert set(words.STATUS) == set(get_args(Status))
    assert set(words.REASON) == set(get_args(Reason))
    assert set(words.SEVERITY) == set(Severity)
    assert set(words.CONFIDENCE) == set(Confidence)
    assert set(words.VERDICT) == {"ready", "not_ready", "unknown"}
    assert set(words.FABRIC) == set(get_args(Fabric.model_fields["kind"].annotation))
    assert set(words.NOTE) == set(get_args(Note.model_fields["kind"].annotation))
    sources = (ClusterPart, ContextsAnswer)
    assert set(words.SOURCE) == {word for one in sources for word in get_args(one.model_fields["source"].annotation)}
    assert set(words.RECORD_KIND) == set(get_args(Incident.model_fields["kind"].annotation))
    assert set(words.SOURCE_KIND) == set(get_args(Source.model_fields["kind"].annotation))
    assert set(words.LEVEL) == set(get_args(Verification.model_fields["level"].annotation))


@pytest.mark.parametrize(
    ("seconds", "en", "ko"),
    [
        (0, "0 s ago", "0초 전"),
        (119, "119 s ago", "119초 전"),
        (120, "2 min ago", "2분 전"),
        (7199, "119 min ago", "119분 전"),
        (34515, "9 h ago", "9시간 전"),
        (172800, "2 days ago", "2일 전"),
    ],
)
def test_an_age_is_told_in_a_unit_that_people_use(seconds, en, ko):
    assert words.age(seconds) == Text(en=en, ko=ko)


def test_a_gap_is_said_once_and_another_status_before_the_summary():
    assert words.headline("gap", "10 gaps (1 critical)", "en") == "10 gaps (1 critical)."
    assert words.headline("unknown", "찾은 틈 없음", "ko") == "확인 못 함. 찾은 틈 없음."


@pytest.mark.parametrize(
    ("kind", "count", "en", "ko"),
    [
        pytest.param("Node", 1, "1 node", "노드 1대", id="one node"),
        pytest.param("Node", 37, "37 nodes", "노드 37대", id="many nodes"),
        pytest.param("PyTorchJob", 2, "2 PyTorchJobs", "PyTorchJob 2개", id="a kind"),
        pytest.param("StorageClass", 2, "2 StorageClasses", "StorageClass 2개", id="a kind that ends in s"),
        pytest.param("NicClusterPolicy", 2, "2 NicClusterPolicies", "NicClusterPolicy 2개", id="a kind that ends in y"),
        pytest.param("Gateway", 2, "2 Gateways", "Gateway 2개", id="a kind that ends in ay"),
    ],
)
def test_objects_are_counted_as_people_say_it(kind, count, en, ko):
    assert words.objects(kind, count, "en") == en
    assert words.objects(kind, count, "ko") == ko


@pytest.mark.parametrize(
    ("text", "letters", "cut"),
    [
        pytest.param("abc", 3, "abc", id="just fits"),
        pytest.param("abcd", 3, "ab…", id="one too many"),
        pytest.param("a bcd", 3, "a…", id="no space before the ellipsis"),
        pytest.param("가나다라", 3, "가나…", id="letters, not bytes"),
        pytest.param("a\ud800", 3, "a?", id="half a letter"),
    ],
)
def test_a_cut_shows_and_can_be_encoded(text, letters, cut):
    assert words.cut(text, letters) == cut
    assert json.dumps(words.cut(text, letters), ensure_ascii=False).encode()
