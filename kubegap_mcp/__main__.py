"""`python -m kubegap_mcp` is the kubegap command."""

from kubegap_mcp.cli import program

if __name__ == "__main__":
    program()
