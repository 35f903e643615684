"""A table with a bad row is refused by name, and every packaged row is typed, sourced and bilingual."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable

import pytest
import yaml

from kubegap_checks.signals.conditions import ConditionSignal, conditions
from kubegap_checks.signals.labels import LabelSignal
from kubegap_checks.signals.quantities import quantities, units
from kubegap_checks.signals.storage_drivers import StorageDriver
from kubegap_checks.signals.tables import Part, Row, SignalTableError, parse, read
from kubegap_checks.signals.thresholds import Threshold
from kubegap_checks.signals.xids import XidClass
from kubegap_checks.text import Text

GOOD = "- {id: a, value: 1, unit: percent, text: {en: one, ko: 하나}, source: somewhere}"
CONDITION = (
    "- {agent: NPD, topic: node, type: Deadlock, bad_when: 'True', title: {en: it hangs, ko: 멈춤}, "
    "severity: high, confidence: likely, source: somewhere}"
)
LABEL = (
    "- {agent: NPD, topic: node, where: label, key: bad, value: 'yes', title: {en: bad, ko: 나쁨}, "
    "severity: high, confidence: likely, source: somewhere}"
)
DRIVER = "- {name: fs, product: FS, medium: block, tier: no_tier, source: somewhere}"


def test_a_good_table_is_read_in_order():
    rows = parse("t.yaml", f"{GOOD}\n{GOOD.replace('id: a', 'id: b')}", Threshold)

    assert [row.id for row in rows] == ["a", "b"]
    assert rows[0].text == Text(en="one", ko="하나")


@pytest.mark.parametrize(
    ("row", "text", "where", "problem"),
    [
        pytest.param(Threshold, GOOD.replace("unit", "units"), "row 1 (a)", "unit", id="a key that no row has"),
        pytest.param(
            Threshold, GOOD.replace("ko: 하나", "ko: 하나, fr: un"), "row 1 (a)", "text.fr", id="a third language"
        ),
        pytest.param(Threshold, GOOD.replace(", source: somewhere", ""), "row 1 (a)", "source", id="no source"),
        pytest.param(Threshold, GOOD.replace("somewhere", "' '"), "row 1 (a)", "source", id="a blank source"),
        pytest.param(Threshold, GOOD.replace("하나", "' '"), "row 1 (a)", "both en and ko", id="no Korean"),
        pytest.param(Threshold, GOOD.replace("ko: 하나", ""), "row 1 (a)", "text.ko", id="Korean left out"),
        pytest.param(
            Threshold, GOOD.replace("value: 1", "value: many"), "row 1 (a)", "value", id="a word for a number"
        ),
        pytest.param(Threshold, f"{GOOD}\n- 5", "row 2", "dictionary", id="a number for a row"),
        pytest.param(Threshold, GOOD.replace("value: 1", "id: b"), "line 1", "id stands twice", id="a key given twice"),
        pytest.param(Threshold, "", "document", "list of rows", id="an empty file"),
        pytest.param(Threshold, "[]", "document", "list of rows", id="no rows"),
        pytest.param(Threshold, "a: [", "document", "is not YAML", id="broken YAML"),
        pytest.param(
            ConditionSignal, CONDITION.replace("Deadlock", "'Dead(lock'"), "row 1 (NPD)", "type", id="a bad regex"
        ),
        pytest.param(
            ConditionSignal, CONDITION.replace("'True'", "true"), "row 1 (NPD)", "bad_when", id="a YAML boolean"
        ),
        pytest.param(ConditionSignal, CONDITION.replace("node,", "disk,"), "row 1 (NPD)", "topic", id="no such topic"),
        pytest.param(
            ConditionSignal, CONDITION.replace("high", "bad"), "row 1 (NPD)", "severity", id="no such severity"
        ),
        pytest.param(LabelSignal, LABEL.replace(" value: 'yes',", ""), "row 1 (NPD)", "exactly one", id="never bad"),
        pytest.param(
            LabelSignal,
            LABEL.replace("source", "device_group: gpu, source"),
            "row 1 (NPD)",
            "no group",
            id="no such group",
        ),
        pytest.param(
            StorageDriver, DRIVER.replace("no_tier", "may_tier"), "row 1 (fs)", "prove", id="no way to prove it"
        ),
        pytest.param(
            StorageDriver, DRIVER.replace("source", "filesystem: .+, source"), "row 1 (fs)", "fs", id="no fs group"
        ),
        pytest.param(
            StorageDriver, DRIVER.replace("source", "identity: .+, source"), "row 1 (fs)", "id", id="no id group"
        ),
        pytest.param(
            StorageDriver,
            DRIVER.replace("source", "visible: [{where: volume_attribute, value: x, shows: tiered}], source"),
            "row 1 (fs)",
            "needs a key",
            id="evidence without a key",
        ),
    ],
)
def test_a_bad_table_is_refused_with_the_row_and_the_reason(row: type[Row], text: str, where: str, problem: str):
    with pytest.raises(SignalTableError, match=r"^t\.yaml, ") as error:
        parse("t.yaml", text, row)

    assert error.value.row == where
    assert problem in error.value.problem


def test_a_section_that_is_missing_is_refused():
    with pytest.raises(SignalTableError, match="owners: must be a list of rows"):
        parse("t.yaml", "roles: []", Threshold, "owners")
    with pytest.raises(SignalTableError, match="must be a mapping of lists"):
        parse("t.yaml", GOOD, Threshold, "owners")


def test_the_row_of_a_section_is_named_with_it():
    with pytest.raises(SignalTableError, match=r"t.yaml, limits row 1 \(a\): source"):
        parse("t.yaml", "limits:\n  " + GOOD.replace(", source: somewhere", ""), Threshold, "limits")


# What the functions are called where a file holds several lists.
SECTIONS = {
    "workloads": ("role_hints", "env_settings", "owner_kinds", "run_labels", "regroups", "ranges"),
    "collectives": ("blinders", "tellers"),
    "quantities": ("metric_exporters", "units", "groups", "quantities"),
    "throughput": ("trainer_metrics", "proxies", "moving", "moments"),
}


def _packaged() -> Iterator[tuple[str, Part]]:
    """Every row of every table, found by walking the folder: a module reads the file of its own name."""
    for file in sorted(
        entry.name for entry in files("kubegap_checks.signals").iterdir() if entry.name.endswith(".yaml")
    ):
        name = file.removesuffix(".yaml")
        for section in SECTIONS.get(name, (name,)):
            table = getattr(import_module(f"kubegap_checks.signals.{name}"), section)()
            for number, row in enumerate(table, start=1):
                yield f"{file} row {number}", row


ROWS = dict(_packaged())


def _parts(value: object) -> Iterator[object]:
    yield value
    if isinstance(value, tuple):
        for item in value:
            yield from _parts(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _parts(getattr(value, field.name))


def test_there_are_tables_to_look_at():
    assert len(ROWS) > 300


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(path, id=path.name)
        for path in files("kubegap_checks.signals").iterdir()
        if path.name.endswith(".yaml")
    ],
)
def test_a_table_reads_the_same_without_the_c_loader(file: Traversable):
    text = file.read_text(encoding="utf-8")

    assert yaml.safe_load(text) == yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 (both are safe)


def test_every_text_is_written_in_english_and_in_korean():
    wrong = [
        (where, text)
        for where, row in ROWS.items()
        for text in _parts(row)
        if isinstance(text, Text)
        and (re.search("[가-힣]", text.en) or not re.search("[가-힣]", text.ko) or not re.search("[a-z]", text.en))
    ]
    assert wrong == []


def test_every_text_is_a_fragment_without_a_full_stop():
    wrong = [
        (where, text)
        for where, row in ROWS.items()
        for text in _parts(row)
        if isinstance(text, Text) and (text.en.endswith(".") or text.ko.endswith("."))
    ]
    assert wrong == []


def test_every_source_names_a_file_a_page_a_thread_or_says_that_it_is_our_own_choice():
    known = re.compile(
        r"[\w.-]+/[\w.-]+|https://|our own choice|habit of naming|POSIX|NVIDIA Xid catalogue|docs\.hitachivantara\.com"
    )
    sources = [(where, part.source) for where, row in ROWS.items() for part in _parts(row) if hasattr(part, "source")]
    assert [(where, source) for where, source in sources if not known.match(source)] == []


def test_a_dot_in_a_pattern_that_means_a_dot_is_escaped():
    wrong = [
        (where, pattern.pattern)
        for where, row in ROWS.items()
        for pattern in _parts(row)
        if isinstance(pattern, re.Pattern)
        and re.search(r"(?<!\\)\.(?![*+?{])", re.sub(r"(?<!\\)\[[^]]*\]", "", pattern.pattern))
    ]
    assert wrong == []


def test_tables_are_read_once():
    assert conditions() is conditions()
    assert read("thresholds.yaml", Threshold) == read("thresholds.yaml", Threshold)


def test_no_number_stands_in_two_rows_of_a_table():
    with pytest.raises(SignalTableError, match="row"):
        parse("xids.yaml", "- {xids: [one], action: undecided, source: s}", XidClass)


def test_every_unit_of_a_quantity_has_its_korean_words():
    assert {one.unit for one in quantities()} == {one.en for one in units()}
