"""Records are facts in our own words: no run of eleven words stands in a research summary too.

`summary_runs.bin` holds a hash of five bytes for each run of eleven words of each summary, sorted; the summaries
themselves are not in the repository.
"""

import hashlib
import re
from itertools import pairwise
from pathlib import Path

RUN = 11
BYTES = 5
HERE = Path(__file__).parent
RECORDS = HERE.parent.parent / "incident_library" / "kubegap_incidents" / "records"


def runs(text: str) -> set[bytes]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {
        hashlib.sha256(" ".join(words[place : place + RUN]).encode()).digest()[:BYTES]
        for place in range(len(words) - RUN + 1)
    }


def known() -> list[bytes]:
    data = (HERE / "summary_runs.bin").read_bytes()
    return [data[place : place + BYTES] for place in range(0, len(data), BYTES)]


def test_no_record_shares_a_run_of_words_with_a_summary() -> None:
    taken = set(known())
    shared = [path.name for path in sorted(RECORDS.glob("*.yaml")) if runs(path.read_text(encoding="utf-8")) & taken]

    assert shared == []


def test_the_runs_are_there_and_a_copied_one_would_be_seen() -> None:
    hashes = known()
    summary = "one two three four five six seven eight nine ten eleven twelve"

    assert len(hashes) > 10_000
    assert all(before < after for before, after in pairwise(hashes))
    assert runs(f"it was said: {summary.upper()}, in other words") & runs(summary)
    assert not runs("one two three four five six seven eight nine ten, but not eleven") & runs(summary)
