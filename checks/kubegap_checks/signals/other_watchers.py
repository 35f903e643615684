"""Software that watches clusters by a configuration that kubegap cannot read."""

from dataclasses import dataclass
from functools import cache

from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherWatcher(Row):
    """`image` matches in full, of any controller or of the kind `only`."""

    product: Filled
    image: Regex
    only: Filled | None = None


@cache
def other_watchers() -> tuple[OtherWatcher, ...]:
    return read("other_watchers.yaml", OtherWatcher)


def other_watcher(repository: str, kind: str) -> OtherWatcher | None:
    return next((row for row in other_watchers() if row.image.fullmatch(repository) and row.only in {None, kind}), None)
