"""`kubegap nodes`: GPU nodes and whether training may start on them."""

import argparse

from kubegap_mcp.cli import start, terminal


def run(arguments: argparse.Namespace) -> int:
    app = start.app_from(arguments)
    answer = start.run(
        app,
        lambda: app.list_gpu_nodes(
            verdict=arguments.verdict,
            product=arguments.product,
            selector=arguments.selector,
            limit=max(1, arguments.limit),
            cursor=arguments.cursor,
        ),
    )
    terminal.show(answer, arguments.format, app.settings.lang)
    return 0
