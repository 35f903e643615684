"""How answers look in a terminal: coloured where there is one, plain in a pipe, never markup from cluster text."""

import argparse
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Never

from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text as Styled

from kubegap_checks.model import Check
from kubegap_checks.text import Lang, Text
from kubegap_mcp.cli import output
from kubegap_mcp.metrics.settings import read_address
from kubegap_mcp.report.models import Answer, AuditAnswer, GapPart, NodesAnswer, Note
from kubegap_mcp.report.text import render
from kubegap_mcp.report.text.audit import unnamed
from kubegap_mcp.report.text.nodes import summary as nodes_summary
from kubegap_mcp.report.words import CONFIDENCE, FABRIC, NOTE, REASON, SEVERITY, SOURCE, VERDICT, headline, plural

_STYLE = {"critical": "bold white on red", "high": "bold red", "medium": "yellow", "low": "cyan"}
_VERDICT_STYLE = {"ready": "green", "not_ready": "bold red", "unknown": "yellow"}
_CHECK_HEADS = (Text.same("id"), Text(en="severity", ko="심각도"), Text(en="title", ko="제목"))
_NODE_HEADS = (
    Text(en="node", ko="노드"),
    Text(en="verdict", ko="판정"),
    Text(en="GPUs exp/cap/alloc/req", ko="GPU 기대/보유/할당 가능/요청"),
    Text(en="product", ko="제품"),
    Text(en="fabric", ko="패브릭"),
    Text(en="why", ko="이유"),
)
_PIPE_WIDTH = 1000  # columns where there is no terminal: nothing wraps, so that grep finds a whole line
_INDENT = 10
_LEAST_LAST_COLUMN = 24

Row = tuple[Styled, ...]


def show(answer: Answer, form: str, lang: Lang) -> None:
    """One answer, as text for a person, as JSON for a program, or as Markdown for a page."""
    if form == "json":
        # Escaped where the output lacks letters: JSON stays the same JSON in any encoding.
        plain(answer.model_dump_json(by_alias=True, indent=2, ensure_ascii=not output.writes_unicode()) + "\n")
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
    rows: list[Row] = []
    for check in checks:
        severity = check.severity.value
        shown = Styled(SEVERITY[severity].of(lang), _STYLE[severity])
        rows.append((Styled(check.id), shown, Styled(check.title.of(lang))))
    _show_rows(_console(), [head.of(lang) for head in _CHECK_HEADS], rows)


def next_steps(answer: AuditAnswer, arguments: argparse.Namespace, lang: Lang) -> None:
    """Commands that go on from this audit, about the same cluster, with the same numbers, silences and records."""
    kubegap, source = _program(), _same_source(arguments)
    steps: list[str] = []
    if answer.gaps:
        steps.append(f"{kubegap} checks show {answer.gaps[0].id}")
        steps.append(f"{kubegap} incidents show {answer.gaps[0].incidents[0]}")
    steps += [f"{kubegap} nodes{source}", f"{kubegap} doctor{source}"]
    steps += [f"{kubegap} register {client}{source}" for client in ("claude-code", "codex")]
    console = _console()
    console.print(Styled("\n" + Text(en="Try next", ko="다음에 해 볼 것").of(lang), "bold"))
    for step in steps:
        console.print(Styled(f"  {step}"), soft_wrap=True)


def _program() -> str:
    """How this very kubegap is called from here: by name where PATH has it, else by path (a .venv not activated)."""
    path = Path(sys.executable).with_name("kubegap")
    if shutil.which("kubegap") or not path.exists():
        return "kubegap"
    below = path.is_relative_to(Path.cwd())
    return shlex.quote(str(path.relative_to(Path.cwd()) if below else path))


def _same_source(arguments: argparse.Namespace) -> str:
    words: list[str] = ["--demo"] if arguments.demo else []
    for name in ("snapshot", "kubeconfig", "context", "namespace", "prometheus", "prometheus_service", "config"):
        value = getattr(arguments, name)
        if value and not (name == "prometheus" and _has_credentials(value)):
            words += [f"--{name.replace('_', '-')}", str(value)]
    for folder in arguments.incidents or ():
        words += ["--incidents", str(folder)]
    return "".join(f" {shlex.quote(word)}" for word in words)


def _has_credentials(url: str) -> bool:
    """What is printed is copied into tickets and logs."""
    address = read_address(url)
    return bool(address.username or address.password)


def _audit(answer: AuditAnswer, lang: Lang) -> None:
    console = _console()
    cluster = answer.cluster
    version = cluster.server_version or "?"
    source = SOURCE[cluster.source].of(lang)
    _line(console, f"{cluster.context} ({source}) · Kubernetes {version} · {cluster.read_at}", "dim")
    _line(console, headline(answer.status, answer.summary, lang), "bold")
    for gap in answer.gaps:
        _gap(console, gap, lang)
    for severity, also in answer.also.items():
        console.print()
        _line(console, f"{SEVERITY[severity].of(lang)}: {', '.join(also)}")
    if answer.omitted:
        count = unnamed(answer)
        more = Text(en=plural(count, "more gap"), ko=f"틈 {count}건 더 있음").of(lang)
        console.print()
        _line(console, f"{more}: {answer.omitted.how}")
    if answer.closest_incidents:
        console.print(Styled("\n" + Text(en="Closest incidents", ko="가장 가까운 사고 사례").of(lang), "bold"))
        for near in answer.closest_incidents:
            share = Text(
                en=f"{near.holds} of the {near.of} checks that cite it are gaps here",
                ko=f"이 사례를 근거로 한 점검 {near.of}건 중 {near.holds}건이 이 클러스터에서도 틈",
            )
            _line(console, near.title, indent=2)
            _line(console, f"{near.id} · {share.of(lang)}", "dim", indent=2)
    if answer.coverage.unread:
        console.print(Styled("\n" + Text(en="Not seen", ko="보지 못한 것").of(lang), "bold"))
        for unread in answer.coverage.unread:
            _line(console, f"{unread.what} ({REASON[unread.reason].of(lang)}): {unread.remedy}", indent=2)
    for note in answer.notes:
        _note(console, note, lang)


def _gap(console: Console, gap: GapPart, lang: Lang) -> None:
    head = Styled("\n")
    severity = SEVERITY[gap.severity].of(lang)
    head.append(severity, _STYLE[gap.severity])
    head.append(" " * max(1, _INDENT - Styled(severity).cell_len))
    head.append(gap.title, "bold")
    console.print(head)
    _line(console, f"{gap.examples} · {CONFIDENCE[gap.confidence].of(lang)}", indent=_INDENT)
    _line(console, f"{gap.id} ← {', '.join(gap.incidents)}", "dim", indent=_INDENT)


def _nodes(answer: NodesAnswer, lang: Lang) -> None:
    console = _console()
    for line in nodes_summary(answer, lang):
        _line(console, line)
    console.print()
    rows: list[Row] = []
    for node in answer.nodes:
        gpus = node.gpus
        counts = (gpus.expected, gpus.capacity, gpus.allocatable, gpus.requested)
        rows.append(
            (
                Styled(node.name),
                Styled(VERDICT[node.verdict].of(lang), _VERDICT_STYLE[node.verdict]),
                Styled("/".join("?" if count is None else str(count) for count in counts)),
                Styled(node.product or node.instance_type or "-"),
                Styled(FABRIC[node.fabric.kind].of(lang)),
                Styled("\n".join(node.reasons)),
            )
        )
    _show_rows(console, [head.of(lang) for head in _NODE_HEADS], rows)
    if answer.next_cursor:
        console.print(Styled(f"--cursor {answer.next_cursor}"), soft_wrap=True)
    for note in answer.notes:
        _note(console, note, lang)


def _note(console: Console, note: Note, lang: Lang) -> None:
    about = f" {note.id}" if note.id else ""
    _line(console, f"({NOTE[note.kind].of(lang)}{about}) {note.text}", "dim")


def _line(console: Console, text: str, style: str = "", *, indent: int = 0) -> None:
    """A line that wraps under its own indent."""
    console.print(Padding(Styled(text, style), (0, 0, 0, indent), expand=False))


def _show_rows(console: Console, heads: Sequence[str], rows: Sequence[Row]) -> None:
    """A table whose last column may wrap; where that leaves it too little room, a few lines for each row.

    Names and ids are never cut or folded: people copy them.
    """
    table = Table(box=None, pad_edge=False)
    for head in heads[:-1]:
        table.add_column(head, no_wrap=True)
    table.add_column(heads[-1], overflow="fold")
    for row in rows:
        table.add_row(*row)
    columns = zip(*([Styled(head) for head in heads], *rows), strict=True)
    *fixed, _ = [max(cell.cell_len for cell in column) + 2 for column in columns]
    if not console.is_terminal:
        with console.capture() as captured:
            console.print(table)
        plain("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))
    elif sum(fixed) + _LEAST_LAST_COLUMN <= console.width:
        console.print(table)
    else:
        for name, state, *facts, last in rows:
            console.print(Styled("  ").join([name, state]), soft_wrap=True)
            for text in (Styled(" · ").join(facts), last):
                if text:
                    console.print(Padding(text, (0, 0, 0, _INDENT), expand=False))


class _Console(Console):
    def on_broken_pipe(self) -> Never:
        """Tells `main`; rich would end the process with exit code 1, which means a gap here."""
        raise BrokenPipeError


def _console() -> Console:
    # Markup and highlighting off: square brackets and numbers of a cluster's own text stay as they are.
    console = _Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    return console
