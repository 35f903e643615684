"""The very server of `kubegap serve --demo`, over HTTP on loopback: for the conformance suite, which knows no stdio.

    python -m tests.conformance.http_entry PORT

It is not installed, and kubegap has no HTTP of its own.
"""

import sys

from kubegap_mcp.server.build import build
from kubegap_mcp.server.lazy import LazyApp
from kubegap_mcp.settings import Settings

if __name__ == "__main__":
    build(LazyApp(Settings(demo=True))).run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
