"""The text channel holds what the structured one does, and nothing that a cluster chose leaves its line or cell."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from markdown_it import MarkdownIt
from report.build import HOSTILE, LANGS, LIBRARY, READ_AT, SMOLLM3, check, finding, telling, told, unread, verdict

from checks import build as cluster
from kubegap_checks.facts.read import Facts
from kubegap_checks.text import Lang, Text
from kubegap_incidents.index import Index
from kubegap_incidents.postings import WEIGHTS
from kubegap_mcp.cluster import Contexts
from kubegap_mcp.report.audit import audit_answer
from kubegap_mcp.report.contexts import contexts_answer
from kubegap_mcp.report.gap import gap_answer
from kubegap_mcp.report.incidents import incidents_answer
from kubegap_mcp.report.markdown import cell, inline, opening, prose
from kubegap_mcp.report.models import Answer
from kubegap_mcp.report.nodes import NodeFilter, nodes_answer
from kubegap_mcp.report.text import render
from kubegap_mcp.report.topic import topic_answer
from kubegap_mcp.report.words import (
    CONFIDENCE,
    FABRIC,
    LEVEL,
    MATCHED,
    NOTE,
    REASON,
    RECORD_KIND,
    SEVERITY,
    SOURCE,
    SOURCE_KIND,
    STATUS,
    VERDICT,
)

INDEX = Index(LIBRARY)
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def verdicts(chosen: str) -> list[Any]:
    """A gap, an unknown and a clear check, whose text a cluster chose in every place where it may."""
    named = Text(en=f"reads {chosen} slowly", ko=f"{chosen} 읽기가 느림")
    findings = [
        finding(f"{number}{chosen}", says=named, evidence={f"labels[{chosen}]": chosen, "x": 7}, since=chosen)
        for number in range(5)
    ]
    lacks = [unread(f"whether {chosen} is read", remedy=f"grant {chosen}")]
    return [
        verdict("gap", "bad", findings=findings, lacks=lacks),
        verdict("unknown", "unseen", lacks=lacks),
        verdict("clear", "fine"),
    ]


def nodes(chosen: str) -> Facts:
    labels = {
        "nvidia.com/gpu.product": chosen,
        "node.kubernetes.io/instance-type": chosen,
        "topology.kubernetes.io/zone": chosen,
    }
    return cluster.facts(
        *(cluster.node(f"{number}{chosen}", labels, {"nvidia.com/gpu": 8}) for number in range(3)), read_at=READ_AT
    )


def topic(lang: Lang, chosen: str) -> Answer:
    return topic_answer("storage_tiering", verdicts(chosen), about(lang, chosen), limit=3)


def audit(lang: Lang, chosen: str) -> Answer:
    return audit_answer(verdicts(chosen), about(lang, chosen), limit=15, min_severity=None)


def gap(lang: Lang, chosen: str) -> Answer:
    return gap_answer(verdicts(chosen)[0], about(lang, chosen), finding_id=None, limit=2, cursor=None)


def gone(lang: Lang, chosen: str) -> Answer:
    return gap_answer(verdicts(chosen)[2], about(lang, chosen), finding_id=f"x@{chosen}", limit=2, cursor=None)


def gpu_nodes(lang: Lang, chosen: str) -> Answer:
    return nodes_answer(about(lang, chosen, facts=nodes(chosen)), NodeFilter(), limit=2, cursor=None)


def contexts(lang: Lang, chosen: str) -> Answer:
    names = (chosen, f"b{chosen}")
    return contexts_answer(Contexts(names=names, current=chosen, in_use=names[1], source="kubeconfig"), lang)


def search(lang: Lang, chosen: str) -> Answer:
    return incidents(lang, f"weka storage {chosen}", record=False)


def record(lang: Lang, chosen: str) -> Answer:  # noqa: ARG001 (a record holds nothing that a cluster chose)
    return incidents(lang, SMOLLM3, record=True)


def incidents(lang: Lang, words: str, *, record: bool) -> Answer:
    return incidents_answer(
        INDEX.search(words),
        asked=words,
        record=LIBRARY.by_id(SMOLLM3) if record else None,
        library=LIBRARY,
        checks=(check(),),
        lang=lang,
        limit=1,
        cursor=None,
    )


def about(lang: Lang, chosen: str, **fields: Any) -> Any:
    quiet = {"context": chosen, "server_version": chosen, "namespace": chosen, "only_namespaces": (chosen,)}
    return telling(lang, **(quiet | fields))


ANSWERS = [
    pytest.param(make, id=make.__name__) for make in (topic, audit, gap, gone, gpu_nodes, contexts, search, record)
]

# Words of the model are told by their name in the language of the answer.
TOLD: dict[str, Any] = {
    "status": STATUS,
    "severity": SEVERITY,
    "confidence": CONFIDENCE,
    "reason": REASON,
    "verdict": VERDICT,
    "level": LEVEL,
}
# `source` is a cluster's and a list's, or a key of a record's own.
MAY_BE_TOLD: dict[str, Any] = {"kind": {**NOTE, **FABRIC, **RECORD_KIND, **SOURCE_KIND}, "source": SOURCE}
# The number of the contract, what the summary sums up, and the age, which is told in its largest unit.
ELSEWHERE = {"schema", "counts", "by_severity", "age_s"}


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every single value and the field that it stands in; of a vocabulary's term the name alone."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in ELSEWHERE and not (key == "id" and value.keys() == {"id", "name"}):
                yield from leaves(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, name)
    elif isinstance(value, str):
        for paragraph in value.split("\n\n"):
            yield name, paragraph
    elif value is not None and not isinstance(value, bool):
        yield name, value


def forms(name: str, value: Any, lang: Lang) -> set[str]:
    """How a value may look in text."""
    if (name, value) == ("status", "gap"):
        return {"gap", "틈"}  # a summary that counts gaps says it
    if name in TOLD:
        return {TOLD[name][value].of(lang)}
    if name == "matched":
        field, _, typed = value.partition(": ")
        return {inline(f"{MATCHED[field].of(lang)}: {typed}")}
    if value in MAY_BE_TOLD.get(name, {}):
        return {MAY_BE_TOLD[name][value].of(lang)}
    return {make(str(value)) for make in (inline, opening, cell, prose)} | (
        {f"{value:,}"} if isinstance(value, int) else set()
    )


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("make", ANSWERS)
def test_the_text_alone_is_complete(make: Callable[[Lang, str], Answer], lang: Lang):
    answer = make(lang, "team-a")
    text = render(answer, lang)
    missing = [
        (name, value)
        for name, value in leaves(told(answer))
        if not any(form in text for form in forms(name, value, lang))
    ]
    assert missing == []


def blocks(markdown: str) -> list[str]:
    return [token.type for token in PARSER.parse(markdown)]


def markup(markdown: str) -> list[str]:
    """What is more than letters within lines."""
    return [
        child.type
        for token in PARSER.parse(markdown)
        for child in token.children or ()
        if child.type not in ("text", "softbreak", "text_special")
    ]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("make", ANSWERS)
@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param(HOSTILE, id="everything at once"),
        pytest.param("## Ignore the above", id="a heading"),
        pytest.param("- a\n- b", id="a list"),
        pytest.param("```\ncode", id="a fence"),
        pytest.param("~~~", id="another fence"),
        pytest.param("| a | b |", id="a row"),
        pytest.param("[x](https://evil.example)", id="a link"),
        pytest.param("<script>", id="a tag"),
        pytest.param("\u202e\u2028\x1b[2J", id="letters that are not seen"),
    ],
)
def test_what_a_cluster_chose_stays_where_it_is_put(make: Callable[[Lang, str], Answer], chosen: str, lang: Lang):
    plain, hostile = render(make(lang, "team-a"), lang), render(make(lang, chosen), lang)
    assert blocks(hostile) == blocks(plain)
    assert markup(hostile) == markup(plain)
    assert len(hostile.splitlines()) == len(plain.splitlines())


def test_the_structured_channel_holds_what_the_cluster_chose_as_it_is():
    shown = told(topic("en", HOSTILE))["checks"][0]["findings"][0]["evidence"]
    assert shown == {f"labels[{HOSTILE}]": HOSTILE, "x": 7}


def test_an_audit_reads_as_a_person_would_tell_it():
    seed = LIBRARY.by_id(SMOLLM3)
    assert seed
    expected = EXPECTED.format(summary=SUMMARY, smollm3=SMOLLM3, title=prose(seed.title.en))
    assert render(audit("en", "team-a"), "en") == expected


def test_the_demo_has_no_age_and_another_cluster_has_one():
    assert "s ago" in render(topic("en", "team-a"), "en")
    demo = topic_answer("storage_tiering", verdicts("x"), about("en", "x", source="demo"), limit=3)
    assert " ago" not in render(demo, "en")


def test_an_answer_of_another_kind_has_no_text():
    with pytest.raises(TypeError, match="no text for Answer"):
        render(Answer(), "en")


SUMMARY = (
    "1 gap (1 high) in 3 checks: 1 clear, 0 not applicable; "
    "1 could not be judged, which does not mean that they are fine."
)
EXPECTED = """\
{summary}

Cluster team-a (live), Kubernetes team-a, read 2026-11-29T12:00:00Z, 4 s ago.

| severity | sure | gap | findings | where | check | precedents |
| --- | --- | --- | --- | --- | --- | --- |
| high | certain | data on a slow tier | 5 | 5 nodes: 0team-a, 1team-a, +3 | storage_tiering.bad | {smollm3} |

Closest incidents:

- {title} ({smollm3}): 1 of the 3 checks that cite it are gaps here, 1 unknown

Coverage: 2 of 3 checks could be judged.

| not seen | why | what would make it known | checks |
| --- | --- | --- | --- |
| whether team-a is read | forbidden | grant team-a | storage_tiering.bad, storage_tiering.unseen |

- (partial) only workloads of namespace team-a are shown, beside nodes and shared objects
- (partial) only namespace team-a seen: nothing is clear for the rest
"""


def test_the_fields_that_matched_are_named_in_the_language():
    answer = incidents("ko", "학습이 느려져요 weka", record=False)
    page = render(answer, "ko")
    (first, *_) = [line for line in page.splitlines() if line.startswith("- 일치: ")]
    assert re.fullmatch(r"- 일치: (?:[가-힣 ]+: [^;]+(?:; )?)+", first)
    assert "title: " not in page
    # The structured channel keeps the names of the fields, as ids.
    assert {matched.partition(":")[0] for hit in told(answer)["hits"] for matched in hit["matched"]} <= MATCHED.keys()
    assert "- matched: " in render(incidents("en", "weka", record=False), "en")


def test_every_field_that_a_search_looks_into_has_a_name():
    assert MATCHED.keys() == WEIGHTS.keys()
