"""The two incidents that the library began with are whole, in both languages, and found as their page shows."""

import datetime as dt

import pytest

from kubegap_incidents import library
from kubegap_incidents.index import Index
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import vocabulary

PACKAGED = library.load(dt.date(2026, 11, 29))
INDEX = Index(Library(incident for incident in PACKAGED if incident.aliases))


def seed(alias: str) -> Incident:
    incident = PACKAGED.by_id(alias)
    assert incident
    return incident


SMOLLM3, IMBUE = seed("IL-0129"), seed("IL-0025")
BOTH = [pytest.param(SMOLLM3, id="IL-0129"), pytest.param(IMBUE, id="IL-0025")]


@pytest.mark.parametrize("incident", BOTH)
@pytest.mark.parametrize(
    "part",
    [
        "title", "gist", "what_happened", "symptom", "symptoms", "trigger", "trigger_class", "causes", "components",
        "contributing_factors", "detection", "actions", "lessons", "same_cause", "tags", "organization", "occurred",
        "published", "figures", "scale", "sources",
    ],
)  # fmt: skip
def test_every_part_of_the_page_is_there(incident, part):
    assert getattr(incident, part)


def test_follow_ups_are_there_where_the_page_has_them():
    assert len(IMBUE.follow_ups) == 7
    assert SMOLLM3.follow_ups == ()


def test_as_many_actions_as_on_the_page():
    assert (len(SMOLLM3.actions), len(IMBUE.actions)) == (6, 8)


def test_the_symptom_is_explained_as_on_the_page():
    (symptom,) = SMOLLM3.symptoms
    assert vocabulary().symptoms[symptom].ko == "처리량 저하"


def test_dates_and_tags_are_those_of_the_page():
    assert (SMOLLM3.organization, SMOLLM3.published, SMOLLM3.tags) == (
        "Hugging Face",
        "2025-10-30",
        ("ai-infra", "aws"),
    )
    assert IMBUE.organization == "Imbue"
    assert IMBUE.years == range(2024, 2025)


def test_the_common_cause_is_shared_storage():
    assert SMOLLM3.same_cause == ("shared_storage_under_training_load",)
    assert vocabulary().components[SMOLLM3.components[0]].ko == "공유 네트워크 파일 시스템"


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(
    ("incident", "facts"),
    [
        pytest.param(
            SMOLLM3, ["384", "48", "24 TB", "11T", "Slurm", "13,500", "14,000", "1.5", "32k", "/fsx"], id="IL-0129"
        ),
        pytest.param(
            IMBUE, ["511", "4,088", "10%", "320", "10-20%", "ACS", "UFM", "DCGM", "iDRAC", "12,000"], id="IL-0025"
        ),
    ],
)
def test_the_figures_of_the_page_are_told_in_both_languages(incident, facts, lang):
    texts = [
        incident.gist, *incident.what_happened, incident.symptom, incident.detection, *incident.actions,
        *incident.follow_ups, *incident.lessons, *incident.contributing_factors, incident.title,
        *(cause.text for cause in incident.causes),
    ]  # fmt: skip
    told = " ".join(text.of(lang) for text in texts)
    assert [fact for fact in facts if fact not in told] == []


def test_it_is_said_that_the_smollm3_run_was_not_on_kubernetes():
    assert "Slurm cluster, not Kubernetes" in SMOLLM3.what_happened[0].en
    assert "쿠버네티스가 아니라 Slurm" in SMOLLM3.what_happened[0].ko


def test_sources_that_disagree_stay_visible():
    note = SMOLLM3.verification.note
    assert "3.2M" in note.en
    assert "3.2M" in note.ko


def test_what_was_not_read_is_not_called_read():
    assert IMBUE.verification.level == "secondary"


def test_the_page_of_both_names_gpu_driver_and_infiniband_fabric_among_the_most_frequent():
    components = INDEX.search().components
    assert [term.ko for term, _ in components[:2]] == ["GPU 드라이버", "InfiniBand 패브릭"]
    assert components[0][1] == components[1][1] == max(count for _, count in components)


def test_each_is_found_by_every_component_symptom_and_cause_it_has():
    for incident in (SMOLLM3, IMBUE):
        for component in incident.components:
            assert incident in [hit.incident for hit in INDEX.search(component=component).hits]
        for symptom in incident.symptoms:
            assert incident in [hit.incident for hit in INDEX.search(symptom=symptom).hits]
        for cause in incident.cause_classes:
            assert incident in [hit.incident for hit in INDEX.search(cause=cause).hits]
