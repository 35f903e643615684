"""How often Codex has kubegap's tools in its first request, though it waits one second only for a server like this.

    python -m tests.agents.codex_start [STARTS]

after `make agents`, on a machine that does nothing else: the load is printed, since a busy one tells nothing. The first
start warms the caches of the disk and is not counted.
"""

import os
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import monotonic

CHECKOUT = Path(__file__).parents[2]
sys.path[:0] = [str(CHECKOUT / "tests")]

from agents.clients import CODEX, Machine  # noqa: E402 (found by the line above)
from agents.stand_in import Model, World  # noqa: E402

STARTS = 20


def start() -> tuple[bool, float]:
    """Whether the tools were there, and how long the whole session took, in seconds."""
    client = replace(CODEX, registered=["--no-required"])
    with tempfile.TemporaryDirectory() as folder, World() as world, Model(client.form, []) as model:
        machine = Machine(Path(folder) / "home", world)
        machine.register(client, "--demo")
        began = monotonic()
        machine.run(client, model)
        return bool(client.form.tools(model.requests[0])), monotonic() - began


def main() -> int:
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else STARTS
    start()
    load = os.getloadavg()[0]
    seen = [start() for _ in range(starts)]
    had = sum(there for there, _ in seen)
    took = statistics.median(seconds for _, seconds in seen)
    sys.stdout.write(f"tools in the first request: {had} of {starts}; session {took:.2f} s (median), load {load:.1f}\n")
    return 0 if had == starts else 1


if __name__ == "__main__":
    raise SystemExit(main())
