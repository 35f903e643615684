"""The pages that are made from checks, incidents and tools say what these say now."""

import posixpath
import re
from pathlib import Path

import pytest

from kubegap_checks import catalog
from kubegap_checks.comparisons import compared
from kubegap_mcp import docs
from kubegap_mcp.report.markdown import MADE
from kubegap_mcp.server.topics import TOPICS

DOCS = Path(__file__).parents[2] / "docs"
PAGES = docs.render()
NAMES = [pytest.param(name, id=name) for name in PAGES]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_current(name):
    assert docs.is_current(DOCS / name, PAGES[name]), "run `make docs`"


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in PAGES if not name.endswith(".json")])
def test_a_page_says_first_what_it_is_made_from(name):
    first = PAGES[name].splitlines()[0]
    made = re.fullmatch(r"(?:<!-- |# )made by kubegap docs from (?P<source>\S+)(?: -->)?", first)
    assert made
    assert (DOCS.parent / made["source"]).exists()


def test_no_page_outlives_its_maker():
    made = {
        path.relative_to(DOCS).as_posix()
        for path in DOCS.rglob("*")
        if path.is_file() and MADE in path.read_text(encoding="utf-8").partition("\n")[0]
    }
    assert made == {name for name in PAGES if not name.endswith(".json")}


def test_pages_are_the_same_each_time():
    assert docs.render() == PAGES


@pytest.mark.parametrize("ending", [".md", ".ko.md"])
@pytest.mark.parametrize("check", catalog.load(), ids=lambda check: check.id)
def test_every_check_has_a_section_and_a_line_in_the_index(check, ending):
    page = PAGES[f"checks/{check.topic}{ending}"]
    assert f'<a id="{check.id}"></a>' in page
    assert f"({check.topic}{ending}#{check.id})" in PAGES[f"checks/README{ending}"]
    for cite in check.cites:
        assert f"(../incidents/{cite.incident}{ending})" in page
    for row in compared(check):
        assert row.id in page


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in PAGES if name.endswith(".md")])
def test_every_link_leads_somewhere(name):
    for page, anchor in re.findall(r"\]\(((?:\.\./)?[\w./-]*)#([^)]+)\)", PAGES[name]):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), page)) if page else name
        assert f'<a id="{anchor}"></a>' in PAGES[target]


def test_every_tool_is_described():
    for topic in TOPICS:
        assert f"## {topic.tool}" in PAGES["tools.md"]
    assert "1 to 50" in PAGES["tools.md"]


@pytest.mark.parametrize(
    ("written", "current"),
    [
        pytest.param("a\nb\n", True, id="the same"),
        pytest.param("a\r\nb\r\n", True, id="with the line ends of another system"),
        pytest.param("a\n", False, id="another text"),
    ],
)
def test_a_page_is_compared_by_its_text(written, current, tmp_path):
    path = tmp_path / "page.md"
    path.write_bytes(written.encode())
    assert docs.is_current(path, "a\nb\n") is current


def test_a_page_that_is_not_there_is_not_current(tmp_path):
    assert not docs.is_current(tmp_path / "page.md", "")
    (tmp_path / "page.md").write_bytes(b"\xff")
    assert not docs.is_current(tmp_path / "page.md", "")
