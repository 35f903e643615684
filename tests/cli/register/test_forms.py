"""Any JSON in any layout: the entry comes and goes, and whatever else the document says stays as it was."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubegap_mcp.registration.json_form import JsonForm
from kubegap_mcp.registration.json_places import NotJsonError, parse

FORM = JsonForm(keys=("a", "b"))
ENTRY = {"command": "/x", "args": [], "env": {"K": "${K:-}"}}

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
# Few keys, so that the way to the entry is there often, wholly or in part.
keys = st.sampled_from(["a", "b", "c", "ㄱ"])
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3))
tables = st.dictionaries(keys, scalars, max_size=2)
documents = st.dictionaries(keys.filter(lambda key: key != "a"), values, max_size=3).flatmap(
    lambda rest: st.sampled_from([rest, {**rest, "a": {}}, {"a": {"c": 1}, **rest}]) | st.just(rest)
) | st.builds(lambda before, inner, after: {"c": before, "a": {"b": inner}, "d": after}, values, tables, values)


def without(document: Any) -> Any:
    return {**document, "a": {**document["a"], "b": {k: v for k, v in document["a"]["b"].items() if k != "kubegap"}}}


@given(documents, st.sampled_from([None, 0, 1, 2, 4, "\t"]), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_entry_comes_and_goes(document: Any, indent: int | str | None, newline: str, ascii_only: bool) -> None:  # noqa: FBT001 (drawn)
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only).replace("\n", newline)
    after = FORM.put(text, ENTRY)

    assert FORM.entry(after) == ENTRY
    assert next(iter(json.loads(after)["a"]["b"])) == "kubegap"
    assert FORM.put(after, ENTRY) == after
    assert json.loads(FORM.drop(after, keep=FORM.depth(text))) == document
    kept = json.loads(FORM.drop(after, keep=2))
    assert kept == without(json.loads(after))
    if "\r\n" in text:
        assert after.count("\n") == after.count("\r\n")


@given(documents, st.sampled_from([None, 2]))
def test_the_reader_with_places_reads_what_json_reads(document: Any, indent: int | None) -> None:
    text = json.dumps(document, indent=indent)

    assert parse(text).data == json.loads(text)
    assert parse(text, comments=True, trailing_commas=True).data == json.loads(text)


@given(st.text(alphabet='{}[]:,"\\/*ae1.-+ \n', max_size=12))
def test_the_reader_refuses_what_json_refuses(text: str) -> None:
    try:
        told = json.loads(text)
    except ValueError:
        told = None
    try:
        read = parse(text).data
    except NotJsonError:
        read = None
    assert read == told
