"""`kubegap incidents`: the library without a cluster."""

import argparse

from kubegap_mcp.cli import start, terminal


def run(arguments: argparse.Namespace) -> int:
    app = start.app_from(arguments)
    if "id" in arguments:
        if arguments.format == "json":
            answer = start.run(app, lambda: app.lookup_incident(id=arguments.id))
            terminal.show(answer, "json", app.settings.lang)
        else:
            terminal.page(app.incident_page(arguments.id), arguments.format)
        return 0
    answer = start.run(
        app,
        lambda: app.lookup_incident(
            query=" ".join(arguments.words) or None,
            symptom=arguments.symptom,
            component=arguments.component,
            cause=arguments.cause,
            organization=arguments.organization,
            year=arguments.year,
            limit=max(1, arguments.limit),
            cursor=arguments.cursor,
        ),
    )
    terminal.show(answer, arguments.format, app.settings.lang)
    return 0
