"""A snapshot as a cluster: the files of `kubectl get`, through the same gatherers as live answers."""

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import anyio
from anyio import to_thread
from msgspec.structs import replace

from kubegap_checks.facts.read import Facts, Partial, Record, Rows
from kubegap_checks.text import Text
from kubegap_mcp.cluster import Ask, ClusterInfo, Contexts, Reading
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.foreign.clean import NAME, clean
from kubegap_mcp.kube.local import at_home
from kubegap_mcp.kube.snapshots.contents import Contents, load

_CONTEXTS_S = 30.0


def open_snapshot(
    path: Path, *, source: Literal["snapshot", "demo"] = "snapshot", show_names: bool = False
) -> "SnapshotReader":
    """A reader of the snapshot; its files are looked at by the first question."""
    return SnapshotReader(at_home(path), source=source, show_names=show_names)


class SnapshotReader:
    """A ClusterReader over files, which are read once, and again where a question asks to refresh."""

    def __init__(self, path: Path, *, source: Literal["snapshot", "demo"], show_names: bool) -> None:
        self._path = path
        self._source: Literal["snapshot", "demo"] = source
        self._show_names = show_names
        self._loading = threading.Lock()
        self._contents: Contents | None = None

    async def read(self, ask: Ask) -> Reading:
        contents = await self._load(ask.deadline_s, refresh=ask.refresh)
        context = self._context(contents)
        if ask.context is not None and ask.context != context:
            asked = clean(ask.context, NAME)
            raise ConfigError(
                Text(
                    en=f"the snapshot is of context {context}, not of {asked}: leave the context out, or open that "
                    "cluster's snapshot",
                    ko=f"이 스냅샷의 컨텍스트가 아님: {asked}(스냅샷은 {context}). 컨텍스트를 빼고 묻거나 "
                    "그 클러스터의 스냅샷을 연다",
                )
            )
        rows = {record: _of_kind(contents, record, ask.namespace) for record in ask.kinds}
        if ask.progress is not None:
            ask.progress(len(rows), len(rows))
        age = datetime.now(UTC) - contents.taken_at
        return Reading(
            facts=Facts(rows, read_at=contents.taken_at, derived=contents.derived),
            cluster=ClusterInfo(
                context=context,
                server_version=contents.server_version,
                source=self._source,
                read_at=contents.taken_at,
                age_s=max(0, int(age.total_seconds())),
            ),
            only_namespaces=_only(contents, ask),
        )

    async def metrics(self) -> bytes | None:
        """What a metrics source said when the snapshot was taken; None where it holds nothing of the kind."""
        return (await self._load(_CONTEXTS_S, refresh=False)).metrics

    async def contexts(self) -> Contexts:
        context = self._context(await self._load(_CONTEXTS_S, refresh=False))
        return Contexts(names=(context,), current=context, in_use=context, source=self._source)

    def close(self) -> None:
        """Nothing to end: no process, no connection, no file that stays open."""

    def _context(self, contents: Contents) -> str:
        if contents.context:
            return contents.context
        return "demo" if self._source == "demo" else clean(self._path.resolve().name, NAME)

    async def _load(self, deadline_s: float, *, refresh: bool) -> Contents:
        if self._contents is not None and not refresh:
            return self._contents
        try:
            with anyio.fail_after(deadline_s):
                return await to_thread.run_sync(self._once, self._contents, abandon_on_cancel=True)
        except TimeoutError:
            raise ConfigError(
                Text(
                    en=f"the snapshot {self._path} was not read within {deadline_s:g} s: ask again in a moment, since "
                    "the reading goes on, or get it again with `kubectl get ... -o json`, which is read far faster "
                    "than YAML",
                    ko=f"스냅샷 {self._path}: {deadline_s:g}초 안에 다 읽지 못함. 읽기는 계속되니 잠시 뒤 다시 "
                    "묻거나, YAML보다 훨씬 빨리 읽히도록 `kubectl get ... -o json`으로 다시 받는다",
                )
            ) from None

    def _once(self, before: Contents | None) -> Contents:
        """Who comes while another thread reads waits for that one's result."""
        with self._loading:
            if self._contents is before or self._contents is None:
                self._contents = load(self._path, show_names=self._show_names)
            return self._contents


def _of_kind(contents: Contents, record: type[Record], namespace: str | None) -> Rows:
    rows = contents.rows[record]
    if (
        isinstance(rows, Partial)
        and record not in contents.doubtful
        and namespace in contents.namespaces.get(record, ())
    ):
        return replace(rows, asked_for=True)
    return rows


def _only(contents: Contents, ask: Ask) -> tuple[str, ...] | None:
    """As a live cluster tells it: the namespaces that were looked at, where of a kind asked for that was not all."""
    partial = [contents.namespaces[record] for record in ask.kinds if record in contents.namespaces]
    seen = {name for names in partial for name in names if ask.namespace in (None, name)}
    return tuple(sorted(seen)) if seen else None
