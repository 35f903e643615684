"""`kubegap incidents lint|export|schema`: records as files, for those who write or take them."""

import argparse
import sys
from datetime import UTC, datetime

from kubegap_checks.text import Text
from kubegap_incidents.library import Library
from kubegap_mcp.cli import start, terminal
from kubegap_mcp.incident_folders import problem_in
from kubegap_mcp.report import record_schema

FAULTY = 1


def run(arguments: argparse.Namespace) -> int:
    if arguments.work == "schema":
        terminal.plain(record_schema.render())
        return 0
    app = start.app_from(arguments)
    if arguments.work == "lint":
        return _lint(arguments, app.library)
    for incident in app.library:
        terminal.plain(incident.model_dump_json(by_alias=True, exclude_none=True) + "\n")
    for problem in app.incidents.left_out:
        left_out = Text(en=f"left out {problem}", ko=f"제외함: {problem}")
        sys.stderr.write(f"kubegap: {left_out.of(app.settings.lang)}\n")
    return 0


def _lint(arguments: argparse.Namespace, library: Library) -> int:
    today = datetime.now(UTC).date()
    problems = [problem for file in arguments.files if (problem := problem_in(file, library, today))]
    for problem in problems:
        terminal.plain(problem + "\n")
    return FAULTY if problems else 0
