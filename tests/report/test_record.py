"""A record is told in one language, whole."""

import json
import re
from typing import Any

import pytest
from report.build import IMBUE, LANGS, LIBRARY, SMOLLM3

from kubegap_incidents.record import Incident
from kubegap_mcp.report.markdown import prose
from kubegap_mcp.report.pages import incident_page
from kubegap_mcp.report.record import record_in, shortened

SEED = LIBRARY.by_id(SMOLLM3)
assert SEED

# What the values of figures hold in Latin letters in Korean too: units, time zones, and names of things.
UNITS = {"B", "GB", "GiB", "Gi", "Gbps", "k", "M", "Mi", "MB", "ms", "s", "T", "TB", "TFLOPs", "TiB", "°C", "µs"}
ZONES = {"KST", "PDT", "PST", "PT", "UTC"}
NAMES = {"cgroup", "CVSS", "DeepSpeed", "EFA", "GPU", "Xid"}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("incident", [pytest.param(one, id=one.id) for one in LIBRARY])
def test_no_pair_of_languages_is_left_and_every_part_is_there(incident: Incident, lang):
    told = record_in(incident, lang)
    assert '"en":' not in json.dumps(told)
    filled = {
        name for name, value in incident.model_dump(by_alias=True, exclude_none=True).items() if value not in ((), [])
    }
    assert set(told) == filled


def test_terms_carry_their_id_and_their_name():
    assert record_in(SEED, "ko")["symptoms"][0]["id"] == SEED.symptoms[0]
    assert record_in(SEED, "ko")["symptoms"][0]["name"] != record_in(SEED, "en")["symptoms"][0]["name"]
    cause = record_in(SEED, "en")["causes"][0]
    assert set(cause) == {"text", "class", "source"}
    assert set(cause["class"]) == {"id", "name"}


def test_the_story_is_in_the_language_asked_for():
    told = record_in(SEED, "ko")
    assert told["what_happened"] == [text.ko for text in SEED.what_happened]
    assert told["title"] == SEED.title.ko


def test_a_record_that_is_too_long_keeps_its_shape():
    whole: Any = record_in(LIBRARY.by_id(IMBUE) or SEED, "en")
    short: Any = shortened(whole, 20, 2)
    assert list(short) == list(whole)
    assert len(short["actions"]) == 2
    assert all(len(text) <= 20 for text in short["actions"])
    assert short["schema"] == 1


@pytest.mark.parametrize("incident", [pytest.param(one, id=one.id) for one in LIBRARY])
def test_a_figure_says_nothing_in_english_to_a_korean(incident: Incident):
    told = record_in(incident, "ko").get("figures", [])
    page = incident_page(incident, LIBRARY, "ko")
    for figure in told:
        words = re.findall(r"(?:°|µ)?[A-Za-z]+", re.sub(r"\bv\d+|\b\d+e-\d+", "", figure["value"]))
        assert set(words) <= UNITS | ZONES | NAMES
        assert f"- {prose(figure['value'])} · {prose(figure['meaning'])}" in page
