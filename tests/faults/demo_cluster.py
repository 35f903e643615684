"""The demo cluster for a live server."""

import json
import re
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from kubegap_mcp import demo

Json = dict[str, Any]

MANIFEST = demo.FOLDER / "kubegap-snapshot.json"
TAKEN_AT = datetime.fromisoformat(json.loads(MANIFEST.read_text(encoding="utf-8"))["taken_at"])
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def cluster(ahead: timedelta = timedelta()) -> list[Json]:
    """The demo cluster as if it had been read now, since a live cluster's times are held against the clock.

    `ahead`: by a clock that is so far before ours.
    """
    shift = datetime.now(UTC) - TAKEN_AT + ahead

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: moved(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [moved(inner) for inner in value]
        if isinstance(value, str) and TIME.fullmatch(value):
            return (datetime.fromisoformat(value) + shift).strftime("%Y-%m-%dT%H:%M:%SZ")
        return value

    return [moved(item) for item in _recorded()]


@cache
def _recorded() -> list[Json]:
    files = [path for path in sorted(demo.FOLDER.glob("*.json")) if path != MANIFEST]
    return [item for path in files for item in json.loads(path.read_text(encoding="utf-8"))["items"]]
