"""What several answers have in common as text: the cluster, findings, what was unread, notes."""

from collections.abc import Sequence

from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.markdown import inline, opening, table
from kubegap_mcp.report.models import ClusterPart, FindingPart, Note, UnreadOf, UnreadPart
from kubegap_mcp.report.words import NOTE, REASON, SOURCE, age


def cluster(part: ClusterPart, lang: Lang) -> str:
    """The demo has no age: when it was made says nothing."""
    version, source, ago = inline(part.server_version or "?"), SOURCE[part.source], age(part.age_s)
    en_ago, ko_ago = ("", "") if part.source == "demo" else (f", {ago.en}", f"({ago.ko})")
    text = Text(
        en=f"Cluster {inline(part.context)} ({source.en}), Kubernetes {version}, read {part.read_at}{en_ago}.",
        ko=f"클러스터 {inline(part.context)} ({source.ko}), Kubernetes {version}, 읽은 시각 {part.read_at}{ko_ago}.",
    )
    return text.of(lang)


def findings(shown: Sequence[FindingPart], total: int, lang: Lang) -> list[str]:
    """The findings of one check; their number is told even where none is shown."""
    if not total:
        return []
    text = Text(en=f"Findings ({len(shown)} of {total}):", ko=f"결과({total}건 중 {len(shown)}건):")
    return ["", text.of(lang), "", *(_finding(part, lang) for part in shown)]


def _finding(part: FindingPart, lang: Lang) -> str:
    evidence = "; ".join(f"{inline(path)} = {inline(value)}" for path, value in part.evidence.items())
    since = ""
    if part.since:
        since = Text(en=f" (since {inline(part.since)})", ko=f" ({inline(part.since)}부터)").of(lang)
    return f"- {opening(part.subject)}: {inline(part.says)}{since} [{evidence}] {part.id}"


def unread_lines(unread: Sequence[UnreadPart], lang: Lang) -> list[str]:
    """What one check lacked."""
    if not unread:
        return []
    return [
        "",
        *(f"- {REASON[item.reason].of(lang)}: {inline(item.what)} → {inline(item.remedy)}" for item in unread),
    ]


def unread_table(unread: Sequence[UnreadOf], lang: Lang) -> list[str]:
    """What several checks lacked, each thing once."""
    if not unread:
        return []
    head = [
        Text(en="not seen", ko="보지 못한 것").of(lang),
        Text(en="why", ko="이유").of(lang),
        Text(en="what would make it known", ko="알 수 있게 하려면").of(lang),
        Text(en="checks", ko="점검").of(lang),
    ]
    rows = [(item.what, REASON[item.reason].of(lang), item.remedy, ", ".join(item.checks)) for item in unread]
    return ["", *table(head, rows)]


def notes(given: Sequence[Note], lang: Lang) -> list[str]:
    if not given:
        return []
    return ["", *(_note(note, lang) for note in given)]


def _note(note: Note, lang: Lang) -> str:
    return f"- ({NOTE[note.kind].of(lang)}{f' {inline(note.id)}' if note.id else ''}) {inline(note.text)}"


def next_page(cursor: str | None, lang: Lang) -> list[str]:
    if cursor is None:
        return []
    return ["", Text(en=f"Next page: cursor={cursor}", ko=f"다음 쪽: cursor={cursor}").of(lang)]


def count(number: int | None) -> str:
    return "?" if number is None else str(number)
