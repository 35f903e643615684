"""`kubegap register`: kubegap into the configuration of a coding agent, shown first, and out of it again."""

import argparse
import os
import shutil
import sys
from pathlib import Path

import anyio

from kubegap_checks.text import Lang, Text
from kubegap_mcp.cli import terminal
from kubegap_mcp.cli.settings import settings_from
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.settings import read_address
from kubegap_mcp.readers import metrics_source_for, reader_for
from kubegap_mcp.registration import files, places, survey
from kubegap_mcp.registration.change import Change, LeftAloneError, to_register, to_remove
from kubegap_mcp.registration.diff import shown
from kubegap_mcp.registration.entry import wanted
from kubegap_mcp.registration.places import CLIENTS, Machine, Place

BROKEN = 1
_PATHS = ("kubeconfig", "snapshot", "config")
_WORDS = ("context", "namespace", "lang", "prometheus", "prometheus_service")
# Folders of programs that are gone when their cache is emptied: uvx (whose cache may be anywhere), pipx run.
_PASSING = ({"archive-v0"}, {"builds-v0"}, {"pipx", ".cache"})


def run(arguments: argparse.Namespace) -> int:
    lang = settings_from(arguments).lang
    machine = Machine(home=Path.home(), project=Path.cwd(), environment=os.environ)
    if arguments.check:
        return _check(machine, arguments.client, lang)
    if arguments.client is None:
        names = ", ".join(CLIENTS)
        raise ConfigError(
            Text(en=f"say for which client: {names}, or --check", ko=f"클라이언트를 지정한다: {names}. 또는 --check")
        )
    if arguments.required is not None and arguments.client != "codex":
        raise ConfigError(Text(en="only Codex knows --required: leave it out", ko="--required는 Codex에만 있음. 뺀다"))
    place = places.place(arguments.client, arguments.scope, machine)
    try:
        change = to_remove(place) if arguments.remove else _registering(place, arguments, machine)
    except LeftAloneError as error:
        if error.snippet:
            terminal.plain(error.snippet)
        raise
    if change.is_empty:
        _say(lang, f"{place.path}: nothing to change", f"{place.path}: 바꿀 것 없음")
        return 0
    terminal.plain(shown(place.form, str(place.path), change.before, change.after))
    if not arguments.dry_run and (arguments.yes or _agreed(lang)):
        _write(change, lang)
    return 0


def _registering(place: Place, arguments: argparse.Namespace, machine: Machine) -> Change:
    # Refused now, while someone looks, rather than by the server later.
    settings = settings_from(arguments)
    reader_for(settings)
    metrics_source_for(settings)
    if arguments.prometheus and read_address(arguments.prometheus).username:
        raise ConfigError(
            Text(
                en="the Prometheus URL holds a user or password, which must not stand in a client's configuration: "
                "name username and password_file in the file of --config",
                ko="Prometheus URL에 사용자나 비밀번호가 들어 있어 클라이언트 설정에 적을 수 없음. --config 파일에 "
                "username과 password_file을 적는다",
            )
        )
    if arguments.snapshot and not arguments.snapshot.expanduser().exists():
        raise ConfigError(
            Text(
                en=f"there is no snapshot {arguments.snapshot}: give the path of one",
                ko=f"{arguments.snapshot}: 그런 스냅샷이 없음. 있는 것의 경로를 준다",
            )
        )
    want = wanted(
        place.client,
        _program(),
        _passed_on(arguments),
        machine.environment,
        deadline_s=arguments.deadline,
        required=arguments.required,
        shared=place.scope == "project",
    )
    return to_register(place, want)


def _write(change: Change, lang: Lang) -> None:
    place = change.place
    if change.backup and change.before is not None:
        files.back_up(place.path, change.backup, change.before)
    files.replace(place.path, change.before, change.after, private=place.private)
    if change.spent_backup:
        change.spent_backup.unlink(missing_ok=True)
    title = CLIENTS[place.client].title
    if change.after is None:
        _say(lang, f"{place.path} is gone again", f"{place.path}: 다시 없앰")
    else:
        kept = f" ({change.backup.name})" if change.backup else ""
        _say(lang, f"{place.path} is written{kept}", f"{place.path}: 저장함{kept}")
    _say(lang, f"{title} takes it up in its next session.", f"{title}의 다음 세션부터 적용됨.")
    if place.then and change.after is not None:
        _say(lang, place.then.en + ".", place.then.ko + ".")


def _agreed(lang: Lang) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        raise ConfigError(
            Text(
                en="nothing was changed, since nobody can be asked here: add --yes to write it",
                ko="물어볼 사람이 없어 아무것도 바꾸지 않음. 저장하려면 --yes를 붙인다",
            )
        )
    terminal.plain(Text(en="Write this? [y/N] ", ko="이대로 저장할까요? [y/N] ").of(lang))
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() in {"y", "yes", "예", "네", "ㅛ"}:
        return True
    _say(lang, "Nothing was changed.", "아무것도 바꾸지 않음.")
    return False


def _check(machine: Machine, client: str | None, lang: Lang) -> int:
    lines = anyio.run(survey.look, machine, client)
    for line in lines:
        where = f" {line.place.scope}, {line.place.path}" if line.place else ""
        terminal.plain(f"{line.client}{where}: {line.says.of(lang)}\n")
    if not lines:
        _say(lang, f"No client was found: {', '.join(CLIENTS)}.", f"클라이언트가 없음: {', '.join(CLIENTS)}.")
    return BROKEN if any(line.state == "broken" for line in lines) else 0


def _program() -> str:
    """The installed kubegap-mcp as a whole path, its link unresolved, so that it stays right after an upgrade."""
    beside = (Path(sys.argv[0]).absolute().parent, Path(sys.executable).parent)
    for folder in (*map(str, beside), None):
        if found := shutil.which("kubegap-mcp", path=folder):
            break
    else:
        raise ConfigError(
            Text(
                en="the program kubegap-mcp was not found: install it by `uv tool install kubegap-mcp` or pipx",
                ko="kubegap-mcp 프로그램이 없음. `uv tool install kubegap-mcp`나 pipx로 설치한다",
            )
        )
    program = Path(found).absolute()
    if any(passing <= {*program.resolve().parts} for passing in _PASSING):
        raise ConfigError(
            Text(
                en=f"{program} goes when its cache is emptied: `uv tool install kubegap-mcp`, then register that",
                ko=f"{program}: 캐시를 비우면 없어짐. `uv tool install kubegap-mcp`로 설치한 뒤 등록한다",
            )
        )
    return str(program)


def _passed_on(arguments: argparse.Namespace) -> list[str]:
    """The words for the server: paths whole, since an agent starts it in a folder of its own."""
    given = vars(arguments)
    words = ["--demo"] if given["demo"] else []
    words += ["--show-names"] if given["show_names"] else []
    for name in _PATHS:
        if given[name]:
            words += [f"--{name}", str(given[name].expanduser().absolute())]
    for folder in given["incidents"] or ():
        words += ["--incidents", str(folder.expanduser().absolute())]
    for name in _WORDS:
        if given[name]:
            words += [f"--{name.replace('_', '-')}", given[name]]
    if given["deadline"]:
        words += ["--deadline", f"{given['deadline']:g}"]
    return words


def _say(lang: Lang, en: str, ko: str) -> None:
    terminal.plain(Text(en=en, ko=ko).of(lang) + "\n")
