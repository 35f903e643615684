"""Writes a snapshot: one list a kind, only what kubegap reads, readable by the one who took it and nobody else."""

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

from anyio import to_thread

from kubegap_checks.facts.read import Record, Unread
from kubegap_checks.text import Text
from kubegap_mcp import __version__
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube.gather.registry import gatherers
from kubegap_mcp.kube.snapshots.manifest import MANIFEST, METRICS, SCHEMA, KindState, Manifest, gap_of, render_manifest

_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRead:
    """What was read of a kind: pruned objects, and beside them what could not be read.

    `namespaces` says which ones were seen where rights did not reach further.
    """

    objects: tuple[bytes, ...]
    unread: tuple[Unread, ...] = ()
    namespaces: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsRead:
    """What a metrics source said, as a file, and beside it what it did not answer."""

    content: bytes
    unread: tuple[Unread, ...] = ()


class ObjectSource(Protocol):
    """A cluster whose objects are to be written."""

    @property
    def context(self) -> str: ...

    @property
    def server_version(self) -> str | None: ...

    @property
    def ahead(self) -> timedelta:
        """How far the cluster's clock is before ours: its times are written by it, and so is that of the snapshot."""
        ...

    async def objects(self, record: type[Record]) -> KindRead | Unread:
        """A whole kind, each object as `Gatherer.prune` made it; Unread where nothing of it could be read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    folder: Path
    files: tuple[str, ...]
    objects: int
    unread: tuple[Unread, ...]


async def write_snapshot(
    source: ObjectSource,
    folder: Path,
    *,
    metrics: Callable[[], Awaitable[MetricsRead]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Raises ConfigError where the folder is not new or empty, or cannot be written; then nothing stays behind.

    `metrics` asks a metrics source once the objects can be read from the folder, and gives what it said.
    """
    writer = _Writer(folder)
    kinds = gatherers()
    states: dict[str, KindState] = {}
    unread: list[Unread] = []
    try:
        await to_thread.run_sync(writer.prepare)
        taken_at = datetime.now(UTC) + source.ahead
        for number, record in enumerate(kinds):
            if progress is not None:
                progress(number, len(kinds))
            read = await source.objects(record)
            states[record.KIND.resource] = _state(read, kinds[record].marks)
            if isinstance(read, Unread):
                unread.append(read)
            else:
                unread += read.unread
                await to_thread.run_sync(writer.write, f"{record.KIND.resource}.json", _listed(read.objects))
        manifest = Manifest(
            schema=SCHEMA,
            taken_at=taken_at,
            context=source.context,
            server_version=source.server_version,
            kinds=states,
            only_namespaces=_only(states),
            written_by=f"kubegap {__version__}",
        )
        await to_thread.run_sync(writer.write, MANIFEST, render_manifest(manifest))
        if metrics is not None:
            said = await metrics()
            unread += said.unread
            await to_thread.run_sync(writer.write, METRICS, said.content)
    except BaseException:
        writer.undo()
        raise
    if progress is not None:
        progress(len(kinds), len(kinds))
    total = sum(state.objects for state in states.values())
    return Written(folder=folder, files=tuple(writer.written), objects=total, unread=tuple(unread))


def _state(read: KindRead | Unread, marks: frozenset[str]) -> KindState:
    if isinstance(read, Unread):
        return KindState(unread=[gap_of(read)])
    return KindState(
        objects=len(read.objects),
        some=bool(read.unread),
        namespaces=list(read.namespaces or ()),
        unread=[gap_of(unread) for unread in read.unread],
        marks=" ".join(sorted(marks)),
    )


def _only(states: dict[str, KindState]) -> list[str] | None:
    """The namespaces that were seen where it was not all of them."""
    return sorted({name for state in states.values() for name in state.namespaces}) or None


def _listed(objects: Sequence[bytes]) -> bytes:
    return b'{"apiVersion":"v1","kind":"List","items":[\n' + b",\n".join(objects) + b"\n]}\n"


class _Writer:
    """Writes into one folder and knows what it made, so that it can take it back."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: list[Path] = []
        self.written: list[str] = []

    def prepare(self) -> None:
        try:
            missing = [path for path in (self._folder, *self._folder.parents) if not path.exists()]
            for path in reversed(missing):
                path.mkdir(mode=_FOLDER_MODE)
                self._made.append(path)
            if any(self._folder.iterdir()):
                raise ConfigError(
                    Text(
                        en=f"{self._folder} is not empty: name a new folder, or empty this one",
                        ko=f"{self._folder}: 비어 있지 않음. 새 폴더를 지정하거나 이 폴더를 비운다",
                    )
                )
        except OSError as error:
            raise self._failed(error) from error

    def write(self, name: str, text: bytes) -> None:
        path = self._folder / name
        try:
            # O_EXCL: a file or link that someone else puts there in between is not written through.
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE), "wb") as opened:
                self.written.append(name)
                opened.write(text)
        except OSError as error:
            raise self._failed(error) from error

    def undo(self) -> None:
        with suppress(OSError):  # the reason why is already under way; what someone else put there stays
            for name in self.written:
                (self._folder / name).unlink(missing_ok=True)
            for path in reversed(self._made):
                path.rmdir()

    def _failed(self, error: OSError) -> ConfigError:
        why = error.strerror or error
        return ConfigError(
            Text(
                en=f"{self._folder} cannot be written ({why}): name another folder",
                ko=f"{self._folder}: 쓸 수 없음({why}). 다른 폴더를 지정한다",
            )
        )
