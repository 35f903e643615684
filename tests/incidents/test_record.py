"""A record is taken whole or refused with file, line and mend."""

import datetime as dt
import re

import pytest
import yaml

from kubegap_incidents import document, library, record, vocabulary
from kubegap_incidents.record import RecordError, parse

TODAY = dt.date(2026, 11, 29)
NAME = "2024-example-full-filesystem.yaml"

FEW = """\
schema: 1
kind: event
title: {en: It stopped, ko: 멈췄다}
organization: Example
gist: {en: It stopped, ko: 멈췄다}
what_happened:
  - {en: It stopped, ko: 멈췄다}
symptom: {en: It stopped, ko: 멈췄다}
symptoms: [hang]
components: [gpu_driver]
sources:
  - key: report
    kind: postmortem
    url: https://example.org/report
    read: {en: All, ko: 전문}
verification:
  level: full
  note: {en: All, ko: 전문}
"""

GIST = "gist: {en: It stopped, ko: 멈췄다}"


def refusal(text: str, name: str = NAME) -> RecordError:
    with pytest.raises(RecordError) as refused:
        parse(name, text, TODAY)
    return refused.value


def test_the_template_is_a_valid_record():
    example = parse(NAME, library.template(), TODAY)
    assert example.id == "2024-example-full-filesystem"
    assert example.title.of("en").startswith("Example:")
    assert example.title.of("ko").startswith("예시")


def test_the_template_shows_every_field():
    shown = set(re.findall(r"^(?:# )?(\w+):", library.template(), re.MULTILINE))
    fields = {field.alias or name for name, field in record.Incident.model_fields.items()}
    assert shown == fields - {"id"}


def test_parts_that_no_source_tells_are_absent():
    few = parse(NAME, FEW, TODAY)
    assert (few.trigger, few.causes, few.lessons, few.scale) == (None, (), (), None)


def test_a_record_cannot_be_changed():
    few = parse(NAME, FEW, TODAY)
    with pytest.raises(ValueError, match="frozen"):
        few.organization = "Other"  # type: ignore[misc]


def test_dates_mean_what_was_typed_quoted_or_not():
    assert parse(NAME, FEW + "published: 2024-06\n", TODAY).published == "2024-06"
    assert parse(NAME, FEW + "published: 2024-06-28\n", TODAY).published == "2024-06-28"
    assert parse(NAME, FEW + 'published: "2024"\n', TODAY).published == "2024"


def test_today_is_not_in_the_future():
    assert parse(NAME, FEW + "published: 2026-11-29\n", TODAY).published == "2026-11-29"
    assert parse(NAME, FEW + "published: 2026-11\n", TODAY).published == "2026-11"


@pytest.mark.parametrize(
    ("text", "line", "problem", "mend"),
    [
        pytest.param(FEW.replace("[hang]", "[hung]"), 9, "`hung` is not in the symptoms", "`hang`", id="symptom"),
        pytest.param(FEW.replace("[gpu_driver]", "[flux]"), 10, "`flux` is not in the", "one of", id="component"),
        pytest.param(FEW + "trigger_class: scaleup\n", 19, "not in the triggers", "`scale_up`", id="trigger"),
        pytest.param(FEW + "same_cause: [link_flap]\n", 19, "not in the groups", "`link_flaps`", id="group"),
        pytest.param(
            FEW + "causes:\n  - text: {en: It broke, ko: 고장}\n    class: hardware\n    source: report\n",
            21,
            "`hardware` is not in the causes",
            "`hardware_fault`",
            id="cause class",
        ),
        pytest.param(FEW.replace("[hang]", "[hang, hang]"), 9, "`hang` stands twice", "keep one", id="term twice"),
    ],
)
def test_an_unknown_term_is_refused_with_the_nearest_one(text, line, problem, mend):
    refused = refusal(text)
    assert refused.line == line
    assert problem in refused.problem.en
    assert mend in refused.mend.en


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(
            FEW + "figures:\n  - value: 2 h\n    meaning: {en: To mend, ko: 복구}\n    source: post\n", 22, id="figure"
        ),
        pytest.param(
            FEW + "causes:\n  - text: {en: Broke, ko: 고장}\n    class: hardware_fault\n    source: post\n",
            22,
            id="cause",
        ),
    ],
)
def test_a_claim_whose_source_is_missing_is_refused(text, line):
    refused = refusal(text)
    assert (refused.line, refused.problem.en) == (line, "no source is called `post`")
    assert refused.mend.en == "use one of report"


def test_a_figure_without_a_source_is_refused():
    refused = refusal(FEW + "figures:\n  - value: 2 h\n    meaning: {en: To mend, ko: 복구}\n")
    assert (refused.line, refused.problem.en) == (20, "`figures.0.source` is missing")


def figured(value: str) -> str:
    return FEW + f"figures:\n  - value: {value}\n    meaning: {{en: To mend, ko: 복구}}\n    source: report\n"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        pytest.param("24 TB", ("24 TB", "24 TB"), id="one line"),
        pytest.param("401", ("401", "401"), id="number"),
        pytest.param("{en: 2 h, ko: 2시간}", ("2 h", "2시간"), id="both languages"),
    ],
)
def test_the_value_of_a_figure_is_one_line_or_told_in_both_languages(value, told):
    (figure,) = parse(NAME, figured(value), TODAY).figures
    assert (figure.value.of("en"), figure.value.of("ko")) == told


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        pytest.param("{en: 2 h, ko: two hours}", "`figures.0.value.ko`: holds no Hangul", id="no Korean"),
        pytest.param("{en: 2 h}", "`figures.0.value.ko` is missing", id="one language"),
        pytest.param("{en: 2 h, ko: 2시간, ja: 2時間}", "`figures.0.value.ja` is not a field", id="third language"),
        pytest.param('""', "`figures.0.value.en` is empty", id="empty"),
    ],
)
def test_a_value_in_one_language_or_none_is_refused(value, problem):
    refused = refusal(figured(value))
    assert (refused.line, refused.problem.en) == (20, problem)


def test_two_sources_with_one_key_are_refused():
    twice = "  - {key: report, kind: code, url: https://example.org, read: {en: All, ko: 전문}}\n"
    refused = refusal(FEW.replace("verification:", twice + "verification:"))
    assert (refused.line, refused.problem.en) == (16, "two sources are called `report`")


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        pytest.param("published: 2026-11-30", 19, "2026-11-30 lies in the future", id="a day"),
        pytest.param("published: 2026-12", 19, "2026-12 lies in the future", id="a month"),
        pytest.param("published: 2027", 19, "2027 lies in the future", id="a year"),
        pytest.param("occurred:\n  from: 2024\n  to: 2027", 21, "2027 lies in the future", id="the end"),
        pytest.param("published: 2024-02-30", 19, "there is no day 2024-02-30", id="no such day"),
        pytest.param("published: 0000", 19, "there is no day 0000", id="no such year"),
        pytest.param("published: June 2024", 19, "`published` has the wrong form", id="words"),
        pytest.param("occurred: {from: 2024-05, to: 2024-04-30}", 19, "it ends before it begins", id="backwards"),
    ],
)
def test_an_impossible_date_is_refused(lines, line, problem):
    refused = refusal(f"{FEW}{lines}\n")
    assert (refused.line, refused.problem.en) == (line, problem)


def test_a_span_may_end_as_exactly_as_it_begins():
    assert parse(NAME, FEW + "occurred: {from: 2024-05-03, to: 2024-05}\n", TODAY).occurred


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        pytest.param(FEW.replace(GIST, "gist: {en: It stopped}"), 5,
                     "`gist.ko` is missing", id="no Korean"),
        pytest.param(FEW.replace(GIST, 'gist: {en: It stopped, ko: ""}'), 5,
                     "`gist.ko` is empty", id="empty Korean"),
        pytest.param(FEW.replace(GIST, "gist: {en: It stopped, ko: '  '}"), 5,
                     "`gist.ko` is empty", id="blank Korean"),
        pytest.param(FEW.replace(GIST, "gist: {en: It stopped, ko: Stopped}"), 5,
                     "`gist.ko`: holds no Hangul", id="Korean without Hangul"),
        pytest.param(FEW.replace("organization: Example", "organization:"), 4,
                     "`organization` is empty", id="nothing after the colon"),
        pytest.param(FEW + "lessons: []\n", 19, "`lessons` is empty", id="an empty list"),
        pytest.param(FEW.replace(GIST, 'gist: {en: "It \\u202e stopped", ko: 멈췄다}'), 5,
                     "`gist.en`: holds a control character", id="bidi override"),
        pytest.param(FEW.replace(GIST, "gist:\n  en: |\n    It\n    stopped\n  ko: 멈췄다"), 6,
                     "`gist.en`: holds a line break", id="line break"),
        pytest.param(FEW.replace("schema: 1", "schema: 2"), 1, "an unknown schema", id="newer schema"),
        pytest.param(FEW.replace("kind: event", "kind: rumour"), 2, "`kind` has an unknown value", id="kind"),
        pytest.param(FEW.replace("kind: postmortem", "kind: blog"), 13,
                     "`sources.0.kind` has an unknown value", id="source kind"),
        pytest.param(FEW.replace("https:", "http:"), 14, "`sources.0.url` has the wrong form", id="plain http"),
        pytest.param(FEW + "lesson: []\n", 19, "`lesson` is not a field", id="unknown field"),
        pytest.param(FEW + "id: 2024-other-name\n", 19, "`id` is not a field", id="id in the file"),
        pytest.param(FEW + "aliases: [il-129]\n", 19, "`aliases.0` has the wrong form", id="alias"),
        pytest.param(FEW + "scale: {gpus: many}\n", 19, "`scale.gpus`: ", id="no number"),
        pytest.param(FEW.replace("kind: event\n", ""), 1, "`kind` is missing", id="no kind"),
    ],
)  # fmt: skip
def test_a_part_of_the_wrong_form_is_refused_where_it_stands(text, line, problem):
    refused = refusal(text)
    assert refused.line == line
    assert refused.problem.en.startswith(problem)
    assert refused.mend.en
    assert re.search("[가-힣]", refused.problem.ko)
    assert re.search("[가-힣]", refused.mend.ko)


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        pytest.param(FEW.replace(GIST, 'gist: ""'), "fill it: every record has this part", id="required"),
        pytest.param(FEW.replace(GIST, 'gist: {en: "", ko: 멈췄다}'), "fill it: every", id="half of a required one"),
        pytest.param(FEW + 'detection: {en: "", ko: 봤다}\n', "leave the part out", id="optional"),
        pytest.param(FEW + "aliases: []\n", "leave the part out", id="optional list"),
        pytest.param(FEW + "lessons:\n", "leave the part out", id="nothing after the colon"),
        pytest.param(FEW.replace(GIST, "gist: It stopped"), "as `kubegap incidents template` shows", id="one language"),
    ],
)
def test_only_what_may_be_absent_is_to_be_left_out(text, mend):
    assert mend in refusal(text).mend.en


def test_an_alias_that_stands_twice_is_refused_at_its_line():
    refused = refusal(FEW + "aliases:\n  - IL-9999\n  - IL-9998\n  - IL-9999\n")
    assert (refused.line, refused.problem.en, refused.mend.en) == (22, "`IL-9999` stands twice", "keep one of them")


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        pytest.param(FEW.replace("[gpu_driver]", "[etcds]"), "write `etcd`", id="spelling"),
        pytest.param(FEW.replace("[gpu_driver]", "[인피니밴드]"), "write `infiniband_fabric`", id="common word"),
        pytest.param(FEW.replace("[gpu_driver]", "[pvc]"), "use one of ", id="word of two terms"),
        pytest.param(
            FEW + "same_cause: [qqq]\n", "the groups that `kubegap incidents schema` lists", id="nothing near"
        ),
    ],
)
def test_an_unknown_term_is_mended_with_what_everybody_has(text, mend):
    assert mend in refusal(text).mend.en


def test_a_misspelt_field_is_told_the_right_one():
    assert refusal(FEW + "lesson: []\n").mend.en == "write `lessons`"


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        pytest.param("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", 1, "a YAML anchor", id="bomb"),
        pytest.param("a: x\nb: *a\n", 2, "a YAML alias", id="alias"),
        pytest.param("a: !!python/name:os.system x\n", 1, "a YAML tag", id="tag"),
        pytest.param("a: x\nb: y\na: z\n", 3, "`a` stands twice", id="key twice"),
        pytest.param("? [a]\n: x\n", 1, "a key that is a list or mapping", id="list as key"),
        pytest.param("a: x\n---\nb: y\n", 2, "a second YAML document", id="two documents"),
        pytest.param("a: " + "[" * 50, 1, "nested more than 8 deep", id="deep nesting"),
        pytest.param("a: [x\nb: y\n", 2, "not YAML: ", id="broken YAML"),
        pytest.param("a: \x07\n", None, "holds a character that YAML does not allow", id="control character"),
        pytest.param("just words\n", 1, "not a mapping", id="no mapping"),
        pytest.param("", 1, "not a mapping", id="empty file"),
        pytest.param("a: " + "x" * document.LONGEST, None, "longer than 200,000 characters", id="huge"),
    ],
)
def test_yaml_that_is_broken_or_could_expand_is_refused(text, line, problem):
    refused = refusal(text)
    assert refused.line == line
    assert refused.problem.en.startswith(problem)


@pytest.mark.parametrize("name", ["example.yaml", "2024-example.yaml", "2024-Example-It-Broke.yaml", "24-a-b.yaml"])
def test_a_file_name_that_is_no_id_is_refused(name):
    assert refusal(FEW, name).mend.en == "call it <year>-<organization>-<what>.yaml"


def test_a_refusal_reads_as_file_line_problem_and_mend():
    assert str(refusal(FEW.replace("[hang]", "[hung]"))) == (
        f"{NAME}:9: `hung` is not in the symptoms of the vocabulary; write `hang`"
    )


def test_the_first_of_several_faults_is_named():
    assert refusal(FEW.replace("kind: event", "kind: rumour") + "lesson: []\n").line == 2


def test_a_file_that_is_not_utf8_is_refused_at_its_line(tmp_path):
    file = tmp_path / NAME
    file.write_bytes(FEW.replace("Example", "예시").encode("euc-kr"))
    with pytest.raises(RecordError) as refused:
        record.read(file, TODAY)
    assert (refused.value.line, refused.value.problem.en) == (3, "not UTF-8")


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(RecordError, match="cannot be read"):
        record.read(tmp_path / NAME, TODAY)


def test_decomposed_hangul_is_stored_composed():
    decomposed = "\u1106\u1165\u11b7\u110e\u1171"  # 멈취
    assert parse(NAME, FEW.replace(GIST, f"gist: {{en: It, ko: {decomposed}}}"), TODAY)


def test_both_yaml_parsers_give_the_same_document(monkeypatch):
    fast = document.read(NAME, library.template())
    monkeypatch.setattr(document, "Loader", yaml.SafeLoader)
    assert document.read(NAME, library.template()) == fast


def test_a_vocabulary_term_without_korean_is_refused():
    text = "symptoms:\n  hang:\n    en: hang\n    ko: 멈춤\n    meaning: {en: It hangs, ko: Hangs}\n    words: []\n"
    with pytest.raises(RecordError, match=r"vocabulary\.yaml:5: .*no Hangul"):
        vocabulary.parse("vocabulary.yaml", text)
