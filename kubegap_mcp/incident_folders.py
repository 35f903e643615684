"""Folders of a company's own incident records, beside the packaged ones and validated the same way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from kubegap_incidents.library import Library, load
from kubegap_incidents.record import Incident, RecordError, read


@dataclass(frozen=True, slots=True)
class Incidents:
    """The packaged records with those of the folders, and a sentence for each that had to be left out."""

    library: Library
    left_out: tuple[str, ...]


def open_library(folders: Sequence[Path], today: date) -> Incidents:
    """A bad private record or folder is left out and told; a bad packaged one is a fault and raises RecordError."""
    packaged = _packaged(today)
    kept: list[Incident] = []
    left_out: list[str] = []
    taken = {name.casefold() for incident in packaged for name in (incident.id, *incident.aliases)}
    for file in _files(folders, left_out):
        try:
            incident = read(file, today)
            _claim(incident, taken)
        except RecordError as error:
            left_out.append(str(error))
        else:
            kept.append(incident)
    return Incidents(Library([*packaged, *kept]), tuple(left_out))


@cache
def _packaged(today: date) -> Library:
    return load(today)


def problem_in(file: Path, library: Library, today: date) -> str | None:
    """What a linter says of one file: file, line, problem and mend; None where it could join the library."""
    try:
        incident = read(file, today)
        others = [other for other in library if other.id != incident.id]
        _claim(incident, {name.casefold() for other in others for name in (other.id, *other.aliases)})
    except RecordError as error:
        return str(error)
    return None


def _files(folders: Sequence[Path], left_out: list[str]) -> Iterator[Path]:
    for folder in folders:
        try:
            yield from sorted(path for path in folder.iterdir() if path.suffix in {".yaml", ".yml"})
        except OSError as error:
            left_out.append(f"{folder} cannot be read ({error.strerror or error}); name a folder of records")


def _claim(incident: Incident, taken: set[str]) -> None:
    names = [incident.id, *incident.aliases]
    for name in names:
        if name.casefold() in taken:
            raise RecordError(f"{incident.id}.yaml", None, f"{name} is taken by another record", "choose another")
    taken.update(name.casefold() for name in names)
