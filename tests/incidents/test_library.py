"""The library is valid as a whole, finds by id and alias, and relates by cause."""

import datetime as dt
from pathlib import Path

import pytest

from kubegap_incidents import library, vocabulary
from kubegap_incidents.library import Library
from kubegap_incidents.record import Cause, Incident, RecordError, Withdrawal, parse
from kubegap_incidents.text import Text

TODAY = dt.date(2026, 11, 29)
RECORDS = Path(library.__file__).parent / "records"
PACKAGED = library.load(TODAY)
SMOLLM3 = PACKAGED.by_id("IL-0129")
IMBUE = PACKAGED.by_id("IL-0025")
assert SMOLLM3
assert IMBUE


def like(incident: Incident, id_: str, **changes: object) -> Incident:
    return incident.model_copy(update={"id": id_, "aliases": (), **changes})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("2025-huggingface-smollm3-throughput", id="id"),
        pytest.param("IL-0129", id="alias"),
        pytest.param(" il-0129 ", id="alias in small letters with spaces"),
        pytest.param("2025-HuggingFace-SmolLM3-Throughput", id="id in other case"),
    ],
)
def test_a_record_answers_to_its_id_and_its_aliases(name):
    assert PACKAGED.by_id(name) is SMOLLM3


@pytest.mark.parametrize("name", ["IL-9999", "", "smollm3"])
def test_an_unknown_name_finds_nothing(name):
    assert PACKAGED.by_id(name) is None


def test_ids_are_sorted_and_iteration_follows_them():
    assert PACKAGED.ids() == tuple(sorted(PACKAGED.ids()))
    assert [incident.id for incident in PACKAGED] == list(PACKAGED.ids())
    assert len(PACKAGED) == len(PACKAGED.ids())


def test_every_packaged_record_serialises_and_validates_again():
    for incident in PACKAGED:
        assert Incident.model_validate(incident.model_dump(by_alias=True, exclude_defaults=True)) == incident


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(like(IMBUE, "2024-other-record", aliases=("IL-0129",)), id="alias of another"),
        pytest.param(like(IMBUE, SMOLLM3.id), id="id of another"),
    ],
)
def test_a_name_that_two_records_claim_is_refused(second):
    with pytest.raises(RecordError, match="is already 2025-huggingface-smollm3-throughput; choose another"):
        Library([SMOLLM3, second])


def test_records_of_one_group_are_related_by_it():
    other = like(SMOLLM3, "2023-other-storage", causes=())
    (related,) = Library([SMOLLM3, other, IMBUE]).related(SMOLLM3)
    assert related.incident is other
    assert related.cause.id == "shared_storage_under_training_load"
    assert "shared_network_filesystem" in [term.id for term in related.components]


def test_without_a_group_a_cause_relates_only_where_it_hit_the_same_component():
    cause = Cause.model_validate(
        {"text": Text(en="Full", ko="가득 참"), "class": "storage_saturation", "source": "playbook"}
    )
    same = like(SMOLLM3, "2023-same-component", same_cause=(), causes=(cause,), components=("object_storage",))
    elsewhere = like(same, "2023-other-component", components=("etcd",))
    (related,) = Library([SMOLLM3, same, elsewhere]).related(SMOLLM3)
    assert related.incident is same
    assert (related.cause.id, [term.id for term in related.components]) == ("storage_saturation", ["object_storage"])


def test_a_group_relates_before_a_class_and_the_closer_before_the_farther():
    by_class = like(SMOLLM3, "2023-by-class", same_cause=())
    farther = like(SMOLLM3, "2023-farther-away", components=("object_storage",))
    closer = like(SMOLLM3, "2023-very-close")
    found = Library([by_class, farther, closer, SMOLLM3]).related(SMOLLM3)
    assert [related.incident.id for related in found] == ["2023-very-close", "2023-farther-away", "2023-by-class"]


def test_a_withdrawn_record_is_kept_but_relates_to_nothing():
    withdrawn = like(SMOLLM3, "2023-was-wrong", withdrawn=Withdrawal(on="2025", reason=Text(en="Wrong", ko="틀림")))
    held = Library([SMOLLM3, withdrawn])
    assert held.by_id("2023-was-wrong") is withdrawn
    assert held.related(SMOLLM3) == []


@pytest.mark.parametrize("listing", ["symptoms", "components", "causes", "triggers", "groups"])
def test_no_two_terms_of_a_list_share_an_id_or_a_name(listing):
    words = vocabulary.vocabulary()
    for term in words.terms(listing).values():
        assert term.words
        for name in term.names:
            assert words.resolve(listing, name) is term


@pytest.mark.parametrize(
    "given",
    [
        "infiniband_fabric",
        "InfiniBand fabric",
        "infiniband FABRIC",
        "InfiniBand 패브릭",
        "인피니밴드",
        "IB",
        "InfiniBand",
    ],
)
def test_a_term_is_known_by_id_name_and_common_word(given):
    assert vocabulary.vocabulary().resolve("components", given).id == "infiniband_fabric"


def test_a_word_that_several_terms_share_names_them():
    with pytest.raises(vocabulary.UnknownTermError) as unknown:
        vocabulary.vocabulary().resolve("components", "PVC")
    assert set(unknown.value.near) == {"shared_network_filesystem", "csi_driver"}


def test_an_unknown_term_names_the_nearest():
    with pytest.raises(vocabulary.UnknownTermError, match=r"`gpu drivr` is not one of the components; .*gpu_driver"):
        vocabulary.vocabulary().resolve("components", "gpu drivr")


def test_a_private_record_stands_beside_the_packaged_ones():
    text = (RECORDS / f"{IMBUE.id}.yaml").read_text(encoding="utf-8")
    own = parse("2026-own-cluster-notes.yaml", text.replace("aliases: [IL-0025]\n", ""), TODAY)
    assert Library([*PACKAGED, own]).by_id("2026-own-cluster-notes") is own
