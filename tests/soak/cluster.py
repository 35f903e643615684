"""A cluster that misbehaves at random, as a process: `python -m tests.soak.cluster TOKEN_FILE SEED`.

Prints its address, goes on until it reads a line, is well from then on, and ends with its input.
"""

import random
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from tests.fake_apiserver import (
    FakeApiServer,
    Fault,
    Rights,
    half,
    not_json,
    only_in,
    redirect,
    reset,
    status,
    throttled,
)
from tests.faults.demo_cluster import cluster

PAUSE_S = 0.15
FAULTS: tuple[Callable[[], Fault], ...] = (
    half,
    not_json,
    lambda: reset(times=2),
    lambda: Fault(delay_s=0.3),
    lambda: Fault(delay_s=3.0),
    lambda: Fault(drip_s=0.02),
    lambda: Fault(drip_head_s=0.02),
    lambda: throttled("0", times=3),
    lambda: throttled(None, times=3),
    lambda: throttled("60", times=1),
    lambda: status(403, "Forbidden"),
    lambda: status(404, "NotFound"),
    lambda: status(410, "Expired"),
    lambda: status(500, "InternalError"),
    lambda: Fault(status=503, body=b""),
    lambda: redirect("http://127.0.0.1:9/"),
)
PLACES = ("*", "nodes", "pods", "persistentvolumeclaims", "persistentvolumes", "/version", "/apis", "/api")


def misbehave(api: FakeApiServer, tokens: Path, chance: random.Random, well: threading.Event) -> None:
    number = 0
    while not well.wait(PAUSE_S):
        places = chance.sample(PLACES, k=chance.choice((0, 1, 1, 2, 3)))
        api.faults = {place: [chance.choice(FAULTS)()] for place in places}
        api.rights = chance.choice((Rights(), Rights(), only_in("train"), Rights(discovery=False)))
        api.gzipped = chance.random() < 0.5
        if chance.random() < 0.1:
            api.close_connections()
        if chance.random() < 0.1:
            number += 1
            tokens.write_text(f"token-{number}", encoding="utf-8")
            api.tokens = {f"Bearer token-{number}"}
    api.faults, api.rights = {}, Rights()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    tokens, chance = Path(sys.argv[1]), random.Random(sys.argv[2])  # noqa: S311 (a repeatable choice of faults)
    well = threading.Event()
    with FakeApiServer(cluster(), tokens={f"Bearer {tokens.read_text(encoding='utf-8')}"}) as api:
        say(api.url)
        thread = threading.Thread(target=misbehave, args=(api, tokens, chance, well))
        thread.start()
        sys.stdin.readline()
        well.set()
        thread.join()
        say("well")
        sys.stdin.read()


if __name__ == "__main__":
    main()
