"""`kubegap register --check`: each client of this machine, its kubegap entries, and whether they would start."""

import shutil
from dataclasses import dataclass
from typing import Literal

import anyio

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.registration import files, probe
from kubegap_mcp.registration.forms import Entry, UneditableError, split
from kubegap_mcp.registration.places import CLIENTS, Machine, Place

State = Literal["starts", "broken", "off", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """`place` is None where a client has no entry at all."""

    client: str
    place: Place | None
    state: State
    says: Text


async def look(machine: Machine, only: str | None = None) -> list[Line]:
    """Two entries at a time: each is a program that keeps a processor busy while it starts."""
    lines: dict[int, Line] = {}
    two = anyio.CapacityLimiter(2)

    async def examine(number: int, place: Place, entry: Entry | Text) -> None:
        async with two:
            lines[number] = await _examine(place, entry, machine)

    async with anyio.create_task_group() as tasks:
        number = 0
        for name in [only] if only else CLIENTS:
            found = [(place, entry) for place in _places(name, machine) if (entry := _entry(place)) is not None]
            if not found and (only or is_here(name, machine)):
                lines[number] = _absent(name)
            for place, entry in found:
                tasks.start_soon(examine, number := number + 1, place, entry)
            number += 1
    return [lines[number] for number in sorted(lines)]


def is_here(client: str, machine: Machine) -> bool:
    about = CLIENTS[client]
    on_path = shutil.which(about.program, path=machine.environment.get("PATH", ""))
    return on_path is not None or any(trace.exists() for trace in about.traces(machine))


def _places(client: str, machine: Machine) -> list[Place]:
    """Each file once: in the home itself a project's file is the user's."""
    places = [scope(machine) for scope in CLIENTS[client].scopes.values()]
    return [
        place
        for number, place in enumerate(places)
        if (place.path, place.form) not in [(other.path, other.form) for other in places[:number]]
    ]


def _entry(place: Place) -> Entry | Text | None:
    """The entry, or why the file has none that can be read."""
    try:
        content = files.read(place.path)
        return None if content is None else place.form.entry(split(place.form, content)[1])
    except UneditableError as error:
        why = error.why
        return Text(en=f"cannot be read: {why.en}; correct it", ko=f"읽을 수 없음: {why.ko}. 바로잡는다")
    except ConfigError as error:
        return error.text


async def _examine(place: Place, entry: Entry | Text, machine: Machine) -> Line:
    mend = f"kubegap register {place.client} --scope {place.scope}"
    if isinstance(entry, Text):
        return Line(client=place.client, place=place, state="broken", says=entry)
    if "command" not in entry:
        why = Text(en=f"starts no program: {mend}", ko=f"실행할 프로그램이 없음: {mend}")
        return Line(client=place.client, place=place, state="broken", says=why)
    if entry.get("enabled") is False or entry.get("disabled") is True:
        off = Text(en="switched off in its entry; switch it on there", ko="항목에서 꺼져 있음. 그 항목에서 켠다")
        return Line(client=place.client, place=place, state="off", says=off)
    try:
        count = await probe.tools(place.client, entry, machine)
    except probe.BrokenError as error:
        why = Text(en=f"broken, {error.why.en}; mend: {mend}", ko=f"고장. {error.why.ko}. 고치려면: {mend}")
        return Line(client=place.client, place=place, state="broken", says=why)
    return Line(client=place.client, place=place, state="starts", says=_starts(place, count))


def _starts(place: Place, count: int) -> Text:
    then = place.then or Text.same("")
    return Text(
        en=f"starts, {count} tools" + (f"; {then.en}" if then.en else ""),
        ko=f"시작함, 도구 {count}개" + (f". {then.ko}" if then.ko else ""),
    )


def _absent(client: str) -> Line:
    says = Text(en=f"no kubegap entry: kubegap register {client}", ko=f"kubegap 항목 없음: kubegap register {client}")
    return Line(client=client, place=None, state="absent", says=says)
