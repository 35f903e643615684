"""`kubegap checks`: the catalogue without a cluster."""

import argparse

from kubegap_checks import catalog
from kubegap_mcp.cli import start, terminal
from kubegap_mcp.knowledge import no_topic


def run(arguments: argparse.Namespace) -> int:
    app = start.app_from(arguments)
    if arguments.id:
        terminal.page(app.check_page(arguments.id), "text")
        return 0
    checks = catalog.load()
    topics = sorted({check.topic for check in checks})
    if arguments.topic is not None:
        if arguments.topic not in topics:
            raise no_topic(arguments.topic, topics)
        checks = tuple(check for check in checks if check.topic == arguments.topic)
    terminal.check_list(checks, app.settings.lang)
    return 0
