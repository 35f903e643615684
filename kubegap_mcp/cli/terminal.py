"""How answers look in a terminal: coloured where there is one, plain in a pipe, never markup from cluster text."""

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text as Styled

from kubegap_checks.model import Check
from kubegap_checks.text import Lang, Text
from kubegap_mcp.report.models import Answer, AuditAnswer, GapPart, NodesAnswer
from kubegap_mcp.report.text import render
from kubegap_mcp.report.text.nodes import summary as nodes_summary
from kubegap_mcp.report.words import CONFIDENCE, REASON, SEVERITY, STATUS, VERDICT

_STYLE = {"critical": "bold white on red", "high": "bold red", "medium": "yellow", "low": "cyan"}
_VERDICT_STYLE = {"ready": "green", "not_ready": "bold red", "unknown": "yellow"}
_PIPE_WIDTH = 120  # columns where there is no terminal to ask
_INDENT = "          "


def show(answer: Answer, form: str, lang: Lang) -> None:
    """One answer, as text for a person, as JSON for a program, or as Markdown for a page."""
    if form == "json":
        plain(answer.model_dump_json(by_alias=True, indent=2) + "\n")
    elif form == "markdown":
        plain(render(answer, lang))
    elif isinstance(answer, AuditAnswer):
        _audit(answer, lang)
    elif isinstance(answer, NodesAnswer):
        _nodes(answer, lang)
    else:
        page(render(answer, lang), form)


def plain(text: str) -> None:
    sys.stdout.write(text)


def page(markdown: str, form: str) -> None:
    """A page of Markdown: rendered for a terminal, as it is for a pipe."""
    if form == "text" and sys.stdout.isatty():
        _console().print(Markdown(markdown))
    else:
        plain(markdown)


def check_list(checks: Sequence[Check], lang: Lang) -> None:
    table = Table(box=None, pad_edge=False)
    for head in ("id", "severity", "title"):
        table.add_column(head, overflow="fold")
    for check in checks:
        severity = check.severity.value
        table.add_row(
            Styled(check.id), Styled(SEVERITY[severity].of(lang), _STYLE[severity]), Styled(check.title.of(lang))
        )
    _console().print(table)


def next_steps(answer: AuditAnswer, arguments: argparse.Namespace, lang: Lang) -> None:
    """Commands that go on from this audit, about the same cluster."""
    source = _same_source(arguments)
    steps: list[str] = []
    if answer.gaps:
        steps.append(f"kubegap checks show {answer.gaps[0].id}")
        steps.append(f"kubegap incidents show {answer.gaps[0].incidents[0]}")
    steps += [f"kubegap nodes{source}", f"kubegap doctor{source}"]
    steps += [f"claude mcp add kubegap -- kubegap-mcp{source}", f"codex mcp add kubegap -- kubegap-mcp{source}"]
    console = _console()
    console.print(Styled("\n" + Text(en="Try next", ko="다음에 해 볼 것").of(lang), "bold"))
    for step in steps:
        console.print(Styled(f"  {step}"), soft_wrap=True)


def _same_source(arguments: argparse.Namespace) -> str:
    if arguments.demo:
        return " --demo"
    if arguments.snapshot:
        return f" --snapshot {arguments.snapshot}"
    return f" --context {arguments.context}" if arguments.context else ""


def _audit(answer: AuditAnswer, lang: Lang) -> None:
    console = _console()
    cluster = answer.cluster
    version = cluster.server_version or "?"
    console.print(Styled(f"{cluster.context} ({cluster.source}) · Kubernetes {version} · {cluster.read_at}", "dim"))
    console.print(Styled(f"{STATUS[answer.status].of(lang)}. {answer.summary}.", "bold"))
    for gap in answer.gaps:
        _gap(console, gap, lang)
    if answer.omitted:
        more = Text(en=f"{answer.omitted.gaps} more gaps", ko=f"틈 {answer.omitted.gaps}건 더 있음").of(lang)
        console.print(Styled(f"\n{more}: {answer.omitted.how}"))
    if answer.closest_incidents:
        console.print(Styled("\n" + Text(en="Closest incidents", ko="가장 가까운 사고 사례").of(lang), "bold"))
        for near in answer.closest_incidents:
            share = Text(
                en=f"{near.holds} of the {near.of} checks that cite it are gaps here",
                ko=f"이 사례에 기댄 점검 {near.of}건 중 {near.holds}건이 여기서도 틈이다",
            )
            console.print(Styled(f"  {near.title}"))
            console.print(Styled(f"  {near.id} · {share.of(lang)}", "dim"))
    if answer.coverage.unread:
        console.print(Styled("\n" + Text(en="Not seen", ko="보지 못한 것").of(lang), "bold"))
        for unread in answer.coverage.unread:
            console.print(Styled(f"  {unread.what} ({REASON[unread.reason].of(lang)}): {unread.remedy}"))
    for note in answer.notes:
        console.print(Styled(f"({note.kind}) {note.text}", "dim"))


def _gap(console: Console, gap: GapPart, lang: Lang) -> None:
    head = Styled("\n")
    severity = SEVERITY[gap.severity].of(lang)
    head.append(severity, _STYLE[gap.severity])
    head.append(" " * max(1, len(_INDENT) - Styled(severity).cell_len))
    head.append(gap.title, "bold")
    console.print(head)
    console.print(Styled(f"{_INDENT}{gap.examples} · {CONFIDENCE[gap.confidence].of(lang)}"))
    console.print(Styled(f"{_INDENT}{gap.id} ← {', '.join(gap.incidents)}", "dim"))


def _nodes(answer: NodesAnswer, lang: Lang) -> None:
    console = _console()
    for line in nodes_summary(answer, lang):
        console.print(Styled(line))
    table = Table(box=None, pad_edge=False)
    for head in ("node", "verdict", "exp/cap/alloc/req", "product", "fabric"):
        table.add_column(head, overflow="fold")
    for node in answer.nodes:
        gpus = node.gpus
        counts = (gpus.expected, gpus.capacity, gpus.allocatable, gpus.requested)
        verdict = Styled(VERDICT[node.verdict].of(lang), _VERDICT_STYLE[node.verdict])
        for reason in node.reasons:
            verdict.append(f"\n{reason}", "default")
        table.add_row(
            Styled(node.name),
            verdict,
            "/".join("?" if count is None else str(count) for count in counts),
            Styled(node.product or node.instance_type or "-"),
            Styled(node.fabric.kind),
        )
    console.print(table)
    if answer.next_cursor:
        console.print(Styled(f"--cursor {answer.next_cursor}"), soft_wrap=True)
    for note in answer.notes:
        console.print(Styled(f"({note.kind}) {note.text}", "dim"))


def _console() -> Console:
    # Markup and highlighting off: square brackets and numbers of a cluster's own text stay as they are.
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(width=width, markup=False, highlight=False, emoji=False)
