"""What `benchmarks.scale` measured as text: on the terminal, in docs/benchmarks.md and in the READMEs."""

from __future__ import annotations

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks import scale_words as words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.scale import Measured
    from kubegap_checks.text import Lang, Text

ROOT: Final = Path(__file__).parent.parent
_MARKED: Final = re.compile(r"(<!-- benchmarks -->\n).*?(<!-- /benchmarks -->)", re.DOTALL)
_MB: Final = 1_000_000


class Row(NamedTuple):
    """One line of a table: its label, the cell of a size, and whether the figure is met (None: there is none)."""

    label: Text
    cell: Callable[[Measured], str]
    met: Callable[[Measured], bool | None] = lambda _: None


def _largest(measured: Measured, lang: Lang, tool: str) -> int:
    return max(asked.size for name, asked in measured.answers[lang].items() if name.startswith(tool))


def _sizes(tool: str, most: int, label: Text) -> Row:
    return Row(
        label,
        lambda it: f"{_largest(it, 'en', tool):,} / {_largest(it, 'ko', tool):,}",
        lambda it: _largest(it, "en", tool) < most,
    )


TIMES: Final = (
    Row(words.LISTS, lambda it: f"{it.floor.bytes / _MB:,.0f} MB"),
    Row(words.FLOOR, lambda it: f"{it.floor.wall:.2f} s"),
    Row(
        words.COLD,
        lambda it: f"{it.cold.wall:.2f} s ({it.cold.wall / it.floor.wall:.2f}×)",
        lambda it: it.cold.wall <= 1.5 * it.floor.wall if it.nodes > 100 else None,  # noqa: PLR2004
    ),
    Row(words.FIRST, lambda it: f"{it.first.wall:.2f} s"),
    Row(
        words.CACHED,
        lambda it: f"{it.cached.wall * 1000:.0f} ms",
        lambda it: it.cached.wall < 0.15 if it.nodes <= 1000 else None,  # noqa: PLR2004
    ),
    Row(
        words.EIGHT,
        lambda it: f"{it.eight.wall:.2f} s ({it.eight.wall / it.cold.wall:.2f}×)",
        lambda it: it.eight.wall <= 1.5 * it.cold.wall,
    ),
    Row(words.EIGHT_CACHED, lambda it: f"{it.eight_cached.wall * 1000:.0f} ms"),
    Row(
        words.CPU,
        lambda it: f"{it.cold.cpu:.2f} s ({it.cold.cpu / it.floor.decode:.1f}×)",
        lambda it: it.cold.cpu <= 3 * it.floor.decode if it.nodes > 100 else None,  # noqa: PLR2004
    ),
    Row(words.PEAK, lambda it: f"{it.peak / _MB:.0f} MB", lambda it: it.peak < 400 * _MB),
)
PARTS: Final = (
    Row(words.HTTP, lambda it: f"{it.floor.cpu:.2f} s"),
    Row(words.READING, lambda it: f"{it.floor.reading:.2f} s"),
    Row(words.RULES, lambda it: f"{it.floor.rules:.2f} s"),
    Row(words.CPU, lambda it: f"{it.cold.cpu:.2f} s"),
    Row(words.DECODE, lambda it: f"{it.floor.decode:.2f} s"),
)
SIZES: Final = (
    _sizes("audit_cluster", 12_000, words.AUDIT_SIZE),
    _sizes("check_", 14_000, words.TOPIC_SIZE),
    _sizes("list_gpu_nodes", 10_000, words.NODES_SIZE),
)


def lines(measured: Measured) -> str:
    """One size, for the terminal."""
    told = [f"{measured.nodes:,} nodes, {measured.pods:,} pods"]
    rows = (*TIMES, *PARTS, *SIZES)
    told += [f"  {row.label.en:62} {row.cell(measured)}{_MARKS[row.met(measured)]}" for row in rows]
    told += [f"  {name:62} {asked.wall:.2f} s, {asked.size:,} bytes" for name, asked in measured.other.items()]
    return "\n".join(told)


_MARKS: Final = {True: " ✓", False: " ✗", None: ""}


def write(measured: Sequence[Measured], *, runs: int, load: float) -> None:
    """docs/benchmarks.md and the tables between the marks in the READMEs, in both languages."""
    for lang, suffix in (("en", ""), ("ko", ".ko")):
        page = _page(measured, lang, runs=runs, load=load)
        (ROOT / "docs" / f"benchmarks{suffix}.md").write_text(page, encoding="utf-8")
        readme = ROOT / f"README{suffix}.md"
        short = [row for row in TIMES if row.label in words.SHORT]
        table = "\n".join(_table([*short, SIZES[0]], measured, lang))
        text = _MARKED.sub(lambda found, table=table: f"{found[1]}{table}\n{found[2]}", readme.read_text("utf-8"))
        readme.write_text(text, encoding="utf-8")


def _page(measured: Sequence[Measured], lang: Lang, *, runs: int, load: float) -> str:
    machine = words.machine(
        _processor(), os.cpu_count() or 0, platform.python_version(), load, runs, first=os.nice(0) < 0
    )
    told = [f"# {words.TITLE.of(lang)}", "", words.INTRODUCTION.of(lang), ""]
    told += [f"{datetime.now(UTC):%Y-%m-%d}. {machine.of(lang)}", ""]
    told += [f"## {words.TIMES.of(lang)}", "", *_table(TIMES, measured, lang), "", words.ABOUT_TIMES.of(lang), ""]
    told += [f"## {words.PARTS.of(lang)}", "", *_table(PARTS, measured, lang), "", words.ABOUT_PARTS.of(lang), ""]
    told += [f"## {words.SIZES.of(lang)}", "", *_table(SIZES, measured, lang), "", *_answers(measured[-1], lang), ""]
    if any(one.other for one in measured):
        names = list(measured[0].other)
        rows = [Row(words.same(name), _other(name)) for name in names]
        rows.append(Row(words.PEAK, lambda it: f"{it.other_peak / _MB:.0f} MB"))
        told += [f"## {words.OTHER.of(lang)}", "", *_table(rows, measured, lang), "", words.ABOUT_OTHER.of(lang), ""]
    return "\n".join(told).rstrip() + "\n"


def _other(name: str) -> Callable[[Measured], str]:
    return lambda it: f"{it.other[name].wall:.2f} s, {it.other[name].size:,}"


def _answers(measured: Measured, lang: Lang) -> list[str]:
    """Every answer of the largest cluster: bytes in both languages, and milliseconds from the cache."""
    told = [words.EACH.of(lang).format(nodes=f"{measured.nodes:,}"), ""]
    told += [f"| {words.TOOL.of(lang)} | English | 한국어 | ms |", "| --- | ---: | ---: | ---: |"]
    for tool, asked in measured.answers["en"].items():
        korean = measured.answers["ko"][tool].size
        told.append(f"| `{tool}` | {asked.size:,} | {korean:,} | {asked.wall * 1000:.0f} |")
    return told


def _table(rows: Sequence[Row], measured: Sequence[Measured], lang: Lang) -> list[str]:
    nodes = [f"{it.nodes:,} {words.NODES.of(lang)}" for it in measured]
    told = [f"| | {' | '.join(nodes)} |", f"| --- |{' ---: |' * len(measured)}"]
    return told + [
        f"| {row.label.of(lang)} | {' | '.join(row.cell(it) + _MARKS[row.met(it)] for it in measured)} |"
        for row in rows
    ]


def _processor() -> str:
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return found[1] if found else platform.machine()
