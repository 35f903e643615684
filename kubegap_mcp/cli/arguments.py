"""The words that each command takes; importing it loads nothing that `serve` does not need."""

import argparse
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import kubegap_mcp

SEVERITIES = ("low", "medium", "high", "critical")


class Run(Protocol):
    def __call__(self, arguments: argparse.Namespace) -> int: ...


def parser() -> argparse.ArgumentParser:
    """`kubegap <command>`; each command keeps its own module, loaded when it runs."""
    top = argparse.ArgumentParser(
        prog="kubegap",
        description="Read-only: looks for the gaps that stop GPU training on Kubernetes, and cites whom they hurt.",
        epilog="Exit code: 0 done, 1 a gap at or above --fail-on, 2 an error, 3 too little could be seen.",
    )
    top.add_argument("--version", action="version", version=f"kubegap {kubegap_mcp.__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _serve(commands)
    _audit(commands)
    _nodes(commands)
    _incidents(commands)
    _checks(commands)
    _snapshot(commands)
    _doctor(commands)
    _rbac(commands)
    _register(commands)
    _docs(commands)
    return top


Commands = Any  # argparse keeps the type of its sub-parsers' holder to itself


def _command(commands: Commands, name: str, module: str, text: str) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")

    def run(arguments: argparse.Namespace) -> int:
        return int(import_module(f"kubegap_mcp.cli.{module}").run(arguments))

    made.set_defaults(run=run)
    return made


def _source(command: argparse.ArgumentParser, *, live_only: bool = False) -> None:
    group = command.add_argument_group("which cluster (default: the kubeconfig's current context, or in-cluster)")
    group.add_argument("--kubeconfig", type=Path, metavar="FILE", help="default: KUBECONFIG, then ~/.kube/config")
    group.add_argument("--context", metavar="NAME", help="a context of the kubeconfig; never falls back to another")
    if not live_only:
        group.add_argument("--snapshot", type=Path, metavar="PATH", help="a file, folder or .tar.gz of kubectl output")
        group.add_argument("--demo", action="store_true", help="the packaged demo cluster")
    group.add_argument("--namespace", metavar="NAME", help="only what concerns this namespace")
    default = "300" if live_only else "30, audit 60"
    group.add_argument("--deadline", type=_seconds, metavar="SECONDS", help=f"for the whole read (default {default})")
    _prometheus(command)
    if not live_only:
        group.add_argument("--show-names", action="store_true", help="show hosts, buckets and account ids, not a hash")
    _lang(command)


def _prometheus(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("where its metrics come from (default: nowhere)")
    group.add_argument(
        "--prometheus",
        metavar="URL",
        help="the base of a Prometheus API (Thanos, Mimir, VictoriaMetrics); default: KUBEGAP_PROMETHEUS",
    )
    _prometheus_service(group.add_argument)


def _prometheus_service(add: Callable[..., object]) -> None:
    add(
        "--prometheus-service",
        metavar="NAMESPACE/NAME:PORT",
        help="one in the cluster, asked through the API server; https: before it where its port speaks TLS",
    )


def _lang(command: argparse.ArgumentParser) -> None:
    command.add_argument("--config", type=Path, metavar="FILE", help="TOML; default: KUBEGAP_CONFIG, else none")
    command.add_argument(
        "--incidents",
        type=Path,
        action="append",
        metavar="DIR",
        help="a folder of your own records, more than once",
    )
    command.add_argument("--lang", choices=("en", "ko"), help="default: KUBEGAP_LANG, then the locale, then en")


def _trace(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--trace", type=Path, metavar="FILE", help="write each request that leaves here, as a line of JSON"
    )


def _seconds(word: str) -> float:
    with suppress(ValueError):
        if 0 < float(word) <= 3600:  # noqa: PLR2004 (an hour: longer is a mistake)
            return float(word)
    raise argparse.ArgumentTypeError("give seconds, more than 0 and at most 3600")


def _format(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default: text")


def _serve(commands: Commands) -> None:
    command = _command(commands, "serve", "serve", "serve MCP on stdin and stdout, for a coding agent")
    _source(command)
    _trace(command)


def _audit(commands: Commands) -> None:
    command = _command(commands, "audit", "audit", "run every check and print the gaps")
    command.add_argument("--topic", action="append", metavar="TOPIC", help="only this topic; may be given again")
    command.add_argument("--min-severity", choices=SEVERITIES, help="list only gaps at least this severe")
    command.add_argument(
        "--limit", type=int, default=15, metavar="N", help="gaps listed (default 15; critical and high ones always)"
    )
    command.add_argument("--fail-on", choices=SEVERITIES, help="exit 1 where a gap is at least this severe")
    command.add_argument(
        "--require-coverage",
        type=_percent,
        metavar="PERCENT",
        help="exit 3 where fewer checks could be judged (default: 100 with --fail-on, else more than 0)",
    )
    _format(command)
    _source(command)
    _trace(command)


def _percent(word: str) -> float:
    with suppress(ValueError):
        if 0 <= float(word.removesuffix("%")) <= 100:  # noqa: PLR2004
            return float(word.removesuffix("%"))
    raise argparse.ArgumentTypeError("give a percentage from 0 to 100")


def _nodes(commands: Commands) -> None:
    command = _command(commands, "nodes", "nodes", "list GPU nodes, those not ready for training first")
    command.add_argument("--verdict", choices=("ready", "not_ready", "unknown"), help="only nodes of this verdict")
    command.add_argument("--product", metavar="WORD", help="part of the GPU product's name")
    command.add_argument("--selector", "-l", metavar="LABELS", help="a label selector, as for kubectl")
    command.add_argument("--limit", type=int, default=50, metavar="N", help="nodes listed (default 50)")
    command.add_argument("--cursor", metavar="CURSOR", help="next_cursor of the page before")
    _format(command)
    _source(command)
    _trace(command)


def _incidents(commands: Commands) -> None:
    holder = commands.add_parser("incidents", help="search and show public incidents")
    inner = holder.add_subparsers(title="commands", metavar="COMMAND", required=True)
    search = _command(inner, "search", "incidents", "find incidents by words, English or Korean, and by what they hit")
    search.add_argument("words", nargs="*", metavar="WORD", help="none lists all, the newest first")
    for name in ("symptom", "component", "cause"):
        search.add_argument(f"--{name}", metavar="WORD", help=f"only with this {name}; another word lists them")
    search.add_argument("--organization", metavar="NAME", help="only of this organization")
    search.add_argument("--year", type=int, metavar="YEAR", help="only of this year")
    search.add_argument("--limit", type=int, default=5, metavar="N", help="incidents listed (default 5)")
    search.add_argument("--cursor", metavar="CURSOR", help="next_cursor of the page before")
    show = _command(inner, "show", "incidents", "show one incident whole")
    show.add_argument("id", metavar="ID", help="an id or an alias such as IL-0129")
    lint = _command(inner, "lint", "incident_files", "check files of records: file, line, problem and mend")
    lint.add_argument("files", type=Path, nargs="+", metavar="FILE")
    lint.set_defaults(work="lint")
    export = _command(inner, "export", "incident_files", "print all records as JSON Lines, both languages")
    export.set_defaults(work="export")
    schema = _command(inner, "schema", "incident_files", "print the JSON Schema of a record's file")
    schema.set_defaults(work="schema")
    template = _command(inner, "template", "incident_files", "print a record with every part, to start yours from")
    template.set_defaults(work="template")
    for command in (search, show):
        _format(command)
    for command in (search, show, lint, export):
        _lang(command)


def _checks(commands: Commands) -> None:
    holder = commands.add_parser("checks", help="list and show the checks")
    inner = holder.add_subparsers(title="commands", metavar="COMMAND", required=True)
    listing = _command(inner, "list", "checks", "list all checks")
    listing.add_argument("--topic", metavar="TOPIC", help="only of this topic")
    listing.set_defaults(id=None)
    show = _command(inner, "show", "checks", "show one check: why, fix, what it reads, what looks like it")
    show.add_argument("id", metavar="ID", help="as `kubegap checks list` prints it")
    for command in (listing, show):
        _lang(command)


def _snapshot(commands: Commands) -> None:
    command = _command(
        commands, "snapshot", "snapshot", "write what kubegap reads of a cluster to a folder, to audit later"
    )
    command.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="a new or empty folder")
    _source(command, live_only=True)
    _trace(command)


def _doctor(commands: Commands) -> None:
    command = _command(commands, "doctor", "doctor", "tell what can be reached and read, changing nothing")
    _source(command)
    _trace(command)


def _rbac(commands: Commands) -> None:
    command = _command(commands, "rbac", "rbac", "print the least ClusterRole that the checks need")
    command.add_argument("--topic", action="append", metavar="TOPIC", help="only for this topic; may be given again")
    command.add_argument("--namespace", metavar="NAME", help="a Role for this namespace instead")
    _prometheus_service(command.add_argument)


def _register(commands: Commands) -> None:
    command = _command(commands, "register", "register", "put kubegap into a coding agent's configuration")
    clients = ("claude-code", "codex", "gemini", "cursor", "vscode")
    command.add_argument("client", nargs="?", choices=clients, metavar="CLIENT", help=", ".join(clients))
    command.add_argument(
        "--scope",
        choices=("user", "local", "project"),
        help="user: everywhere (the default but for vscode); project: a file in this folder; local (claude-code): "
        "this folder, for you alone",
    )
    command.add_argument("--remove", action="store_true", help="take the entry out again")
    command.add_argument("--check", action="store_true", help="tell whether each client would start it; exit 1 if not")
    command.add_argument("--dry-run", action="store_true", help="print the change and make none")
    command.add_argument("--yes", action="store_true", help="do not ask")
    command.add_argument(
        "--required",
        action=argparse.BooleanOptionalAction,
        help="codex: wait for kubegap at each start, and fail without it (the default in the user's own scope)",
    )
    _source(command)


def _docs(commands: Commands) -> None:
    command = _command(commands, "docs", "docs", "write the pages that are made from checks, incidents and tools")
    command.add_argument("--output", type=Path, default=Path("docs"), metavar="DIR", help="default: docs")
    command.add_argument("--check", action="store_true", help="write nothing; exit 1 where a page is not current")
