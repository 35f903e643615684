"""`kubegap snapshot`: what kubegap reads of a live cluster, written to a folder to be audited later or elsewhere."""

import argparse
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from kubegap_checks.facts.metrics import measured_records
from kubegap_checks.facts.read import Unread
from kubegap_checks.text import Text
from kubegap_mcp.cli import start, terminal
from kubegap_mcp.cli.settings import settings_from
from kubegap_mcp.kube.live import LiveClusters
from kubegap_mcp.kube.snapshots.reader import open_snapshot
from kubegap_mcp.kube.snapshots.write import MetricsRead, Written, write_snapshot
from kubegap_mcp.metrics.reader import Metrics, Told
from kubegap_mcp.metrics.recorded import Recording
from kubegap_mcp.readers import metrics_source_for
from kubegap_mcp.report.words import REASON
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.settings import Settings

DEADLINE_S = 300.0


def _asked(settings: Settings, folder: Path, log: RequestLog) -> Callable[[], Awaitable[MetricsRead]] | None:
    """Everything that checks ask of the metrics source, and curves of jobs; None where no source was named.

    Jobs are taken from what was written, so that who reads it asks for the same series.
    """
    source = metrics_source_for(settings, log)
    if source is None:
        return None
    recording = Recording(source)

    async def ask() -> MetricsRead:
        now = datetime.now(UTC)
        metrics, deadline_s = Metrics(recording, clock=lambda: now), settings.deadline_s or DEADLINE_S
        try:
            told = await metrics.ask(measured_records(), deadline_s=deadline_s)
            await metrics.curves(open_snapshot(folder, show_names=settings.show_names), deadline_s=deadline_s)
        finally:
            recording.close()
        return MetricsRead(content=recording.rendered(), unread=tuple(dict.fromkeys(_unanswered(told))))

    return ask


def _unanswered(told: Told) -> Iterator[Unread]:
    for answered in told.answers.values():
        yield from (answered,) if isinstance(answered, Unread) else answered.unread


def run(arguments: argparse.Namespace) -> int:
    settings = settings_from(arguments)
    log = RequestLog(settings.trace)
    clusters = LiveClusters(settings.kubeconfig, settings.context, settings.namespace, log=log)

    async def write() -> Written:
        source = await clusters.objects(deadline_s=settings.deadline_s or DEADLINE_S)
        return await write_snapshot(source, arguments.output, metrics=_asked(settings, arguments.output, log))

    written = start.run(clusters, write)
    done = Text(
        en=f"{written.objects} objects in {len(written.files)} files: kubegap audit --snapshot {written.folder}",
        ko=f"오브젝트 {written.objects}개, 파일 {len(written.files)}개: kubegap audit --snapshot {written.folder}",
    )
    terminal.plain(done.of(settings.lang) + "\n")
    for unread in written.unread:
        reason, remedy = REASON[unread.reason].of(settings.lang), unread.remedy.of(settings.lang)
        terminal.plain(f"  {unread.what.of(settings.lang)} ({reason}): {remedy}\n")
    return 0
