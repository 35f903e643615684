"""`kubegap audit`: every check, printed for a person or a pipeline, with an exit code that a pipeline can trust."""

import argparse

from kubegap_checks.model import Severity
from kubegap_mcp.cli import start, terminal
from kubegap_mcp.report.models import AuditAnswer

TOO_SEVERE = 1
TOO_LITTLE_SEEN = 3
_ALL = 100.0


def run(arguments: argparse.Namespace) -> int:
    app = start.app_from(arguments)
    answer = start.run(
        app,
        lambda: app.audit(topics=arguments.topic, min_severity=arguments.min_severity, limit=max(0, arguments.limit)),
    )
    terminal.show(answer, arguments.format, app.settings.lang)
    if arguments.format == "text":
        terminal.next_steps(answer, arguments, app.settings.lang)
    return exit_code(answer, fail_on=arguments.fail_on, require_coverage=arguments.require_coverage)


def exit_code(answer: AuditAnswer, *, fail_on: str | None, require_coverage: float | None) -> int:
    """A gap too severe before too little seen; what could not be read never counts as success.

    Without any source of metrics, the checks that need one are no part of what was to be seen, nor of the status.
    """
    if fail_on is not None:
        least = Severity(fail_on).rank
        severities = answer.by_severity.model_dump()
        if any(count and Severity(name).rank >= least for name, count in severities.items()):
            return TOO_SEVERE
    coverage = answer.coverage
    wanted = coverage.total - coverage.lacking_metrics
    seen = _ALL * coverage.evaluated / wanted if wanted else 0.0
    required = require_coverage if require_coverage is not None else (_ALL if fail_on else None)
    if (required is not None and seen < required) or not coverage.evaluated:
        return TOO_LITTLE_SEEN
    return 0
