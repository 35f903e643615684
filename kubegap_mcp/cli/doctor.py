"""`kubegap doctor`: what can be reached and read, kind by kind and metric by metric, and what would help."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from kubegap_checks import catalog
from kubegap_checks.facts.read import Record, Unread
from kubegap_checks.text import Lang, Text
from kubegap_mcp.app import Kubegap
from kubegap_mcp.cli import doctor_metrics, start, terminal
from kubegap_mcp.cluster import Ask
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.live import LiveClusters
from kubegap_mcp.kube.live.access import Access, KindAccess
from kubegap_mcp.report.words import REASON, SOURCE, plural

DEADLINE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One kind: whether it is readable, what stands in the way, and the checks that would be unknown without it."""

    resource: str
    state: Text
    unread: tuple[Unread, ...]
    checks: tuple[str, ...]


_YES = Text(en="readable", ko="읽을 수 있음")
_PART = Text(en="readable in some namespaces", ko="일부 네임스페이스만 읽을 수 있음")
_NO = Text(en="not readable", ko="읽을 수 없음")
_METRICS = Text(en="metrics", ko="메트릭")
_ABSENT = Text(en="not installed", ko="설치되지 않음")


def run(arguments: argparse.Namespace) -> int:
    app = start.app_from(arguments)
    title, lines, measured = start.run(app, lambda: _examined(app))
    terminal.plain(title.of(app.settings.lang) + "\n")
    for line in lines:
        _tell(line, app.settings.lang)
    terminal.plain(_METRICS.of(app.settings.lang) + "\n")
    for metric in measured:
        _tell_measured(metric, app.settings.lang)
    return 0


async def _examined(app: Kubegap) -> tuple[Text, list[Line], list[doctor_metrics.Line]]:
    reader, deadline_s = app.reader, app.settings.deadline_s or DEADLINE_S
    if isinstance(reader, LiveClusters):
        access = await reader.access(namespace=app.settings.namespace, deadline_s=deadline_s)
        title, lines = _about(access), [_live(kind) for kind in access.kinds]
    else:
        title, lines = await _recorded(app)
    return title, lines, await doctor_metrics.told(app, deadline_s=deadline_s)


def _about(access: Access) -> Text:
    version = access.server_version or "?"
    return Text(
        en=f"{access.context}: reached, Kubernetes {version}; beside the whole cluster, namespace {access.namespace}",
        ko=f"{access.context}: 연결됨, Kubernetes {version}. 살핀 범위: 클러스터 전체, 네임스페이스 {access.namespace}",
    )


def _live(access: KindAccess) -> Line:
    resource = access.kind.resource
    checks = _wanting(resource)
    if access.installed == "no":
        return Line(resource=resource, state=_ABSENT, unread=(), checks=checks)
    unread = (access.unread,) if access.unread else ()
    state = _YES if access.everywhere == "yes" else _PART if access.in_namespace == "yes" else _NO
    return Line(resource=resource, state=state, unread=unread, checks=checks)


async def _recorded(app: Kubegap) -> tuple[Text, list[Line]]:
    """What a snapshot or the demo holds, found by reading it."""
    kinds = records()
    reading = await app.reader.read(Ask(kinds=frozenset(kinds), deadline_s=DEADLINE_S))
    cluster = reading.cluster
    source, version = SOURCE[cluster.source], cluster.server_version or "?"
    lines: list[Line] = []
    for record in kinds:
        unread = reading.facts.unread(record)
        state = _YES if not unread else _NO
        lines.append(
            Line(resource=record.KIND.resource, state=state, unread=unread, checks=_wanting(record.KIND.resource))
        )
    title = Text(
        en=f"{cluster.context} ({source.en}), Kubernetes {version}",
        ko=f"{cluster.context} ({source.ko}), Kubernetes {version}",
    )
    return title, lines


def _wanting(resource: str) -> tuple[str, ...]:
    def reads(check_reads: Sequence[type[Record]]) -> bool:
        return any(record.KIND.resource == resource for record in check_reads)

    return tuple(check.id for check in catalog.load() if reads(check.reads))


def _tell(line: Line, lang: Lang) -> None:
    count = len(line.checks)
    used = Text(en=plural(count, "check"), ko=f"점검 {count}건").of(lang)
    terminal.plain(f"  {line.resource:44} {line.state.of(lang)} ({used})\n")
    for unread in line.unread:
        terminal.plain(f"      {REASON[unread.reason].of(lang)}: {unread.remedy.of(lang)}\n")


def _tell_measured(line: doctor_metrics.Line, lang: Lang) -> None:
    terminal.plain(f"  {line.name:44} {line.state.of(lang)}\n")
    for text in line.below:
        terminal.plain(f"      {text.of(lang)}\n")
