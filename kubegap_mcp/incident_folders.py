"""Folders of a company's own incident records, beside the packaged ones and validated the same way."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kubegap_checks.text import Text
from kubegap_incidents import library
from kubegap_incidents.document import Document, Said
from kubegap_incidents.library import Library
from kubegap_incidents.record import Incident, RecordError, read_with_lines


@dataclass(frozen=True, slots=True)
class Incidents:
    """The packaged records with those of the folders, and a sentence for each that had to be left out."""

    library: Library
    problems: tuple[Text, ...]


class _Holder(NamedTuple):
    """Who has an id or an alias."""

    file: Path | None  # None: packaged
    id: str

    @property
    def text(self) -> Said:
        if self.file is None:
            return Said(f"the packaged record {self.id}", f"함께 들어 있는 사례 {self.id}")
        return Said(str(self.file), str(self.file))


def open_library(folders: Sequence[Path], today: date) -> Incidents:
    """A bad private record or folder is left out and told; a bad packaged one is a fault and raises RecordError."""
    packaged = _packaged(today)
    kept: list[Incident] = []
    left_out: list[Text] = []
    holders = {name: _Holder(None, incident.id) for incident in packaged for name in _names(incident)}
    for file in _files(folders, left_out):
        try:
            incident, lines = read_with_lines(file, today)
            for clash in _clashes(incident, lines, holders):
                raise clash
        except RecordError as error:
            left_out.append(_text(error))
        else:
            kept.append(incident)
            holders |= {name: _Holder(file, incident.id) for name in _names(incident)}
    return Incidents(Library([*packaged, *kept]), tuple(left_out))


@cache
def _packaged(today: date) -> Library:
    return library.load(today)


def lint(files: Sequence[Path], folders: Sequence[Path], today: date) -> list[Text]:
    """What keeps the files out of the library: file, line, problem and mend.

    Names are compared with the packaged records, those of the folders and the other files; a file that is itself
    packaged or in a folder is compared with the rest.
    """
    told: list[Text] = []
    packaged = {_place(file) for file in library.files()}
    given = {_place(file): file for file in files}
    known = {_place(file): file for file in (*library.files(), *_files(folders, told))} | given
    read: dict[str, tuple[Incident, Document]] = {}
    for place, file in known.items():
        try:
            read[place] = read_with_lines(file, today)
        except RecordError as error:
            if place in given:
                told.append(_text(error, file))
    for place, file in given.items():
        if place in read:
            others = {
                name: _Holder(None if other in packaged else known[other], incident.id)
                for other, (incident, _) in read.items()
                if other != place
                for name in _names(incident)
            }
            told += [_text(clash, file) for clash in _clashes(*read[place], others)]
    return told


def _files(folders: Sequence[Path], left_out: list[Text]) -> Iterator[Path]:
    for folder in {_place(folder): folder for folder in folders}.values():
        try:
            yield from sorted(path for path in folder.iterdir() if path.suffix in {".yaml", ".yml"})
        except OSError as error:
            why = error.strerror or error
            left_out.append(
                Text(
                    en=f"{folder} cannot be read ({why}); name a folder of records",
                    ko=f"{folder}: 읽을 수 없음({why}). 사례를 둔 폴더를 지정한다",
                )
            )


def _place(path: Path) -> str:
    """One for all ways to name a file; unlike Path.resolve, even for links that lead round in a circle."""
    return os.path.realpath(path)


def _names(incident: Incident) -> Iterator[str]:
    yield incident.id.casefold()
    yield from (alias.casefold() for alias in incident.aliases)


def _clashes(incident: Incident, lines: Document, holders: Mapping[str, _Holder]) -> Iterator[RecordError]:
    if holder := holders.get(incident.id.casefold()):
        problem = Said(f"its id is that of {holder.text.en}", f"id가 {holder.text.ko}와 같음")
        yield RecordError(lines.name, None, problem, Said("rename the file", "파일 이름을 바꾼다"))
    for n, alias in enumerate(incident.aliases):
        if holder := holders.get(alias.casefold()):
            problem = Said(f"{alias} is an alias of {holder.text.en}", f"{alias}: {holder.text.ko}의 별칭과 같음")
            yield lines.error(
                ("aliases", n), problem, Said("choose another, or remove it", "다른 것으로 바꾸거나 지운다")
            )


def _text(error: RecordError, file: Path | None = None) -> Text:
    name = str(file) if file else None
    return Text(en=error.of("en", name), ko=error.of("ko", name))
