"""`kubegap incidents lint|export|schema|template`: records as files, for those who write or take them."""

import argparse
import sys
from datetime import UTC, datetime

from kubegap_checks.text import Text
from kubegap_incidents import library
from kubegap_mcp.cli import start, terminal
from kubegap_mcp.cli.settings import settings_from
from kubegap_mcp.incident_folders import lint
from kubegap_mcp.report import record_schema

FAULTY = 1


def run(arguments: argparse.Namespace) -> int:
    if arguments.work == "schema":
        terminal.plain(record_schema.render())
        return 0
    if arguments.work == "template":
        terminal.plain(library.template())
        return 0
    return _lint(arguments) if arguments.work == "lint" else _export(arguments)


def _lint(arguments: argparse.Namespace) -> int:
    # Without the library: where one of the packaged records is the faulty one, it is told like any other.
    settings = settings_from(arguments)
    problems = lint(arguments.files, settings.incidents, datetime.now(UTC).date())
    for problem in problems:
        terminal.plain(problem.of(settings.lang) + "\n")
    return FAULTY if problems else 0


def _export(arguments: argparse.Namespace) -> int:
    app = start.app_from(arguments)
    for incident in app.knowledge.library:
        # Every default means that the part is absent.
        terminal.plain(incident.model_dump_json(by_alias=True, exclude_defaults=True) + "\n")
    for problem in app.knowledge.incidents.problems:
        left_out = Text(en=f"left out {problem.en}", ko=f"제외함: {problem.ko}")
        sys.stderr.write(f"kubegap: {left_out.of(app.settings.lang)}\n")
    return 0
