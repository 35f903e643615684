"""The index of the library's pages: every record once under each thing that it has in common with others."""

import re

import pytest
from report.build import LANGS, LIBRARY, SMOLLM3

from kubegap_incidents.library import Library
from kubegap_incidents.record import Span
from kubegap_incidents.vocabulary import vocabulary
from kubegap_mcp.report import incident_docs
from kubegap_mcp.report.markdown import prose
from kubegap_mcp.report.record import name_of

SEED = LIBRARY.by_id(SMOLLM3)
assert SEED
PAGES = incident_docs.pages(LIBRARY, ())
INDEX = {"en": PAGES["incidents.md"], "ko": PAGES["incidents.ko.md"]}


def section(index: str, heading: str) -> str:
    return index.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize(("lang", "heading"), [("en", "By same cause"), ("ko", "같은 원인별")])
def test_each_group_is_listed_with_its_sentence_and_its_records(lang, heading):
    told = section(INDEX[lang], heading)
    paragraphs = dict(zip(*[iter(told.strip().split("\n\n"))] * 2, strict=True))
    groups = {term: [one.id for one in LIBRARY if term.id in one.same_cause] for term in vocabulary().groups.values()}
    assert len(paragraphs) == len([members for members in groups.values() if members])
    for term, members in groups.items():
        if members:
            listed = paragraphs[f"**{name_of(term, lang)}** ({len(members)}): {prose(term.meaning.of(lang))}"]
            assert sorted(re.findall(r"\[([^]]+)]", listed)) == sorted(members)


@pytest.mark.parametrize(("lang", "heading"), [("en", "By year"), ("ko", "연도별")])
def test_what_spans_three_years_stands_once_with_its_span(lang, heading):
    def at(n: int, start: str, end: str):
        span = Span.model_validate({"from": start, "to": end})
        return SEED.model_copy(update={"id": f"2020-lab-{n}-x", "aliases": (), "occurred": span})

    library = Library([at(1, "2019", "2021-02"), at(2, "2020-12", "2021-01")])
    name = "incidents.md" if lang == "en" else "incidents.ko.md"
    told = section(incident_docs.pages(library, ())[name], heading)
    assert [re.sub(r"]\([^)]*\)", "]", line) for line in told.splitlines() if line.startswith("- ")] == [
        "- 2021: [2020-lab-2-x]",
        "- 2020: [2020-lab-2-x]",
        "- 2019: [2020-lab-1-x] (2019~2021)",
    ]


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in PAGES])
def test_no_heading_stands_twice_on_a_page(name):
    headings = re.findall("^#.*", PAGES[name], re.MULTILINE)
    assert len(headings) == len(set(headings))


@pytest.mark.parametrize("lang", LANGS)
def test_related_records_are_linked(lang):
    name = f"{SMOLLM3}.md" if lang == "en" else f"{SMOLLM3}.ko.md"
    linked = re.findall(r"^- \[.*]\(([\w.-]+\.md)\)", PAGES[f"incidents/{name}"], re.MULTILINE)
    assert linked
    assert all(f"incidents/{other}" in PAGES for other in linked)
