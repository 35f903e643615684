"""The catalogue as pages: one for each topic and language, and an index of all checks."""

from collections.abc import Sequence
from itertools import groupby

from kubegap_checks.model import Check
from kubegap_checks.text import Lang, Text
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident
from kubegap_mcp.report.markdown import cell, linked_table, made_from, prose
from kubegap_mcp.report.pages import check_page
from kubegap_mcp.report.words import CONFIDENCE, SEVERITY

SOURCE = "checks/kubegap_checks/rules"
FOLDER = "checks"
_INDEX = "README"


def pages(library: Library, checks: Sequence[Check]) -> dict[str, str]:
    """By path under docs/; checks come sorted by id, so those of a topic stand together."""
    made: dict[str, str] = {}
    for lang in ("en", "ko"):
        made[f"{FOLDER}/{_named(_INDEX, lang)}"] = _index(checks, lang)
        for topic, members in groupby(checks, key=lambda check: check.topic):
            made[f"{FOLDER}/{_named(topic, lang)}"] = _page(topic, list(members), library, lang)
    return made


def address(check: Check, lang: Lang) -> str:
    """Where a check's section is, from a folder beside this one."""
    return f"../{FOLDER}/{_named(check.topic, lang)}#{check.id}"


def _index(checks: Sequence[Check], lang: Lang) -> str:
    intro = Text(
        en=f"{len(checks)} checks. Each one says what hurt someone's training or serving before, how it is found and "
        "what looks like it and is not reported.",
        ko=f"점검 {len(checks)}건. 점검마다 예전에 누군가의 학습이나 서빙을 멈추게 한 일이 무엇인지, 어떻게 찾는지, "
        "비슷해 보여도 보고하지 않는 것은 무엇인지 적어 둔다.",
    )
    head = (
        Text(en="check", ko="점검"),
        Text(en="severity", ko="심각도"),
        Text(en="sure", ko="확신도"),
        Text(en="gap", ko="틈"),
        Text(en="rests on", ko="근거 사례"),
    )
    lines = [made_from(SOURCE), "", f"# {Text(en='Checks', ko='점검').of(lang)}", "", intro.of(lang)]
    for topic, members in groupby(checks, key=lambda check: check.topic):
        rows = [
            [
                f"[`{check.id}`]({_named(topic, lang)}#{check.id})",
                SEVERITY[check.severity].of(lang),
                CONFIDENCE[check.confidence].of(lang),
                cell(check.title.of(lang)),
                ", ".join(f"[{cite.incident}]({_incident(cite.incident, lang)})" for cite in check.cites),
            ]
            for check in members
        ]
        lines += ["", f"## [{topic}]({_named(topic, lang)})", "", *linked_table([word.of(lang) for word in head], rows)]
    return "\n".join(lines) + "\n"


def _page(topic: str, checks: Sequence[Check], library: Library, lang: Lang) -> str:
    """A section for each check, each under an anchor that is the same in both languages, as headings are not."""

    def link(incident: Incident) -> str:
        return f"[{prose(incident.title.of(lang))}]({_incident(incident.id, lang)})"

    tool = Text(
        en=f"Tool: `check_{topic}`. [All checks]({_named(_INDEX, lang)})",
        ko=f"도구: `check_{topic}`. [전체 점검]({_named(_INDEX, lang)})",
    )
    lines = [made_from(SOURCE), "", f"# {topic}", "", tool.of(lang)]
    for check in checks:
        section = check_page(check, library, lang, level=2, link=link).rstrip()
        lines += ["", f'<a id="{check.id}"></a>', "", section]
    return "\n".join(lines) + "\n"


def _incident(id: str, lang: Lang) -> str:  # noqa: A002 (the word that the library uses)
    return f"../incidents/{_named(id, lang)}"


def _named(name: str, lang: Lang) -> str:
    return f"{name}.ko.md" if lang == "ko" else f"{name}.md"
