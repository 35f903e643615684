"""Everything in a snapshot that kubegap reads, by kind, and what its manifest says was not read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Derived, Partial, Record, Rows, Unread
from kubegap_checks.facts.storage import WekaCluster
from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.foreign.clean import NAME, clean
from kubegap_mcp.kube.gather.gatherer import Gatherer, Page
from kubegap_mcp.kube.gather.registry import gatherers, not_understood
from kubegap_mcp.kube.snapshots.files import files
from kubegap_mcp.kube.snapshots.manifest import MANIFEST, METRICS, KindState, Manifest, parse_manifest, unread_of
from kubegap_mcp.kube.snapshots.objects import Seen, objects
from kubegap_mcp.kube.snapshots.unread import cut_short, not_in_snapshot, taken_by_another

# A node whose clock runs ahead must not make all others look stale.
_CLOCK_SKEW: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """`namespaces` says which ones, for a kind that was read in some only; `doubtful` kinds were not read whole."""

    rows: Mapping[type[Record], Rows]
    namespaces: Mapping[type[Record], frozenset[str]]
    doubtful: frozenset[type[Record]]
    taken_at: datetime
    context: str = ""
    server_version: str | None = None
    derived: Derived = field(default_factory=Derived, compare=False)
    metrics: bytes | None = None  # what a metrics source said, as `metrics.recorded` wrote it


@dataclass(slots=True)
class _Kind:
    """One kind while files are read; the last of two objects with one name wins."""

    gatherer: Gatherer
    pages: dict[tuple[str, str], Page] = field(default_factory=dict)
    nameless: int = 0
    listed: bool = False
    cut: bool = False

    def add(self, seen: Seen) -> None:
        self.listed = True
        self.cut |= seen.cut
        if not seen.json:
            return
        page = self.gatherer.objects((seen.json,))
        if seen.name:
            self.pages[seen.namespace, seen.name] = page
        else:
            self.nameless += page.invalid

    def all_rows(self) -> tuple[Record, ...]:
        return tuple(row for page in self.pages.values() for row in page.rows)

    def doubts(self) -> Iterator[Unread]:
        invalid = self.nameless + sum(page.invalid for page in self.pages.values())
        if invalid:
            yield not_understood(self.gatherer.record, invalid)
        if self.cut:
            yield cut_short(self.gatherer.record.KIND)


def load(path: Path, *, show_names: bool) -> Contents:
    """Reads all files. Raises ConfigError that names the file which cannot be read, or says that there is nothing."""
    kinds = {record: _Kind(gatherer) for record, gatherer in gatherers(show_names=show_names).items()}
    by_name = {(record.KIND.group, record.KIND.name): kind for record, kind in kinds.items()}
    manifests: dict[str, Manifest] = {}
    created: list[datetime] = []
    changed: list[datetime] = []
    any_object = False
    metrics: bytes | None = None
    for file in files(path):
        if file.path.name == METRICS:
            metrics = file.text
            continue
        if file.path.name == MANIFEST:
            manifests[str(file.path)] = parse_manifest(file.text, file.path)
            continue
        if not file.text.strip():
            continue  # what a shell's `>` leaves where kubectl failed, as for a kind that is not installed
        changed.append(file.changed)
        for seen in objects(file.text, file.path):
            any_object = True
            if seen.created is not None:
                created.append(seen.created)
            kind = by_name.get((seen.group, seen.kind))
            if kind is not None:
                kind.add(seen)
    manifest = _the_one(manifests, path)
    if manifest is None and not any_object:
        raise ConfigError(
            Text(
                en=f"{path} holds no Kubernetes object: add some, such as `kubectl get nodes -o json > nodes.json`",
                ko=f"{path}: Kubernetes 객체가 없음. `kubectl get nodes -o json > nodes.json`처럼 받아서 넣는다",
            )
        )
    if manifest is None:
        rows = {record: _rows(kind, None) for record, kind in kinds.items()}
        taken_at = _newest((*created, *_times(kinds.values())), changed)
        return Contents(rows=rows, namespaces={}, doubtful=_doubtful(kinds), taken_at=taken_at, metrics=metrics)
    return replace(_with_manifest(kinds, manifest), metrics=metrics)


def _with_manifest(kinds: Mapping[type[Record], _Kind], manifest: Manifest) -> Contents:
    states = {record: manifest.kinds.get(record.KIND.resource) for record in kinds}
    return Contents(
        rows={record: _rows(kind, states[record]) for record, kind in kinds.items()},
        namespaces={
            record: frozenset(clean(name, NAME) for name in state.namespaces)
            for record, state in states.items()
            if state is not None and state.namespaces
        },
        doubtful=_doubtful(kinds),
        taken_at=manifest.taken_at,
        context=clean(manifest.context, NAME),
        server_version=None if manifest.server_version is None else clean(manifest.server_version, NAME),
    )


def _doubtful(kinds: Mapping[type[Record], _Kind]) -> frozenset[type[Record]]:
    return frozenset(record for record, kind in kinds.items() if any(kind.doubts()))


def _the_one(manifests: Mapping[str, Manifest], path: Path) -> Manifest | None:
    if len(manifests) > 1:
        listed = ", ".join(sorted(manifests))
        raise ConfigError(
            Text(
                en=f"{path} holds {len(manifests)} snapshots ({listed}): give one of them",
                ko=f"{path}: 스냅샷이 {len(manifests)}개 들어 있음({listed}). 그중 하나를 준다",
            )
        )
    return next(iter(manifests.values()), None)


def _rows(kind: _Kind, state: KindState | None) -> Rows:
    """A kind without an object is empty only where the manifest, or an empty list of the kind, says so."""
    missing = not_in_snapshot(kind.gatherer.record.KIND)
    if state is None:
        unread: tuple[Unread, ...] = ()
    else:
        unread = tuple(unread_of(gap) for gap in state.unread)
    if not kind.listed:
        if state is None or (state.objects and not unread):
            return missing
        if unread and not state.some:
            return unread[0]
    if state is not None and state.marks and not kind.gatherer.marks <= set(state.marks.split()):
        return taken_by_another(kind.gatherer.record.KIND)
    unread = (*unread, *kind.doubts())
    return Partial(kind.all_rows(), unread) if unread else kind.all_rows()


def _times(kinds: Iterable[_Kind]) -> Iterator[datetime]:
    for kind in kinds:
        for row in kind.all_rows():
            if isinstance(row, Node):
                times = [time for condition in row.conditions for time in (condition.heartbeat, condition.since)]
                yield from (time for time in times if time is not None)
            elif isinstance(row, WekaCluster) and row.stats_updated is not None:
                yield row.stats_updated


def _newest(times: Iterable[datetime], changed: Iterable[datetime]) -> datetime:
    """The newest time in the objects; where they carry none, that of the files."""
    now = datetime.now(UTC)
    believed = [time for time in times if time <= now + _CLOCK_SKEW]
    return max(believed, default=max(changed, default=now)).astimezone(UTC)
