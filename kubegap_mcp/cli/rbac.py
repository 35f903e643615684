"""`kubegap rbac`: the least rights, as a manifest to apply."""

import argparse

from kubegap_mcp.cli import start, terminal


def run(arguments: argparse.Namespace) -> int:
    terminal.plain(start.app_from(arguments).rbac(topics=arguments.topic, namespace=arguments.namespace))
    return 0
