"""How long a client waits for the list of tools: spawn to tools/list answered, beside a bare server of one tool.

Run `python benchmarks/startup.py [RUNS]` in an environment where kubegap is installed, or with PYTHONPATH set. Runs
are paired, ours and the bare one in turn, so that a busy machine slows both; the ratio is the median of the pairs'.
Exits 1 when the ratio is over 1.3.
"""

import json
import statistics
import subprocess
import sys
import time

MOST = 1.3
RUNS = 15

BARE = """
from mcp.server import MCPServer
server = MCPServer("bare")
@server.tool()
def ping(word: str) -> str:
    return word
server.run()
"""
COMMANDS = {
    "bare": [sys.executable, "-c", BARE],
    "kubegap": [sys.executable, "-m", "kubegap_mcp", "serve", "--demo"],
}
REQUESTS = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "0"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)


def spawn_to_tools(command: list[str]) -> float:
    """Seconds from the start of the process to the whole answer of tools/list."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdin  # noqa: S101
        assert process.stdout  # noqa: S101
        for request in REQUESTS:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        took = time.perf_counter() - start
        if not answers[1]["result"]["tools"]:
            raise RuntimeError("the server listed no tools")
        process.stdin.close()
    return took


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for command in COMMANDS.values():
        spawn_to_tools(command)  # writes the bytecode and warms the disk's cache
    pairs = [{name: spawn_to_tools(command) for name, command in COMMANDS.items()} for _ in range(runs)]
    for name in COMMANDS:
        milliseconds = statistics.median(pair[name] for pair in pairs) * 1000
        sys.stdout.write(f"{name:8} {milliseconds:6.0f} ms  median of {runs}\n")
    ratio = statistics.median(pair["kubegap"] / pair["bare"] for pair in pairs)
    sys.stdout.write(f"ratio    {ratio:6.2f}     at most {MOST}\n")
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main())
