"""`python -m kubegap_mcp` is the kubegap command."""

import sys

from kubegap_mcp.cli import main

if __name__ == "__main__":
    sys.exit(main())
