"""Fields that many kinds share: labels, annotations, times, taints, quantities."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Final

from kubegap_mcp.foreign.clean import HASH, KEY, NAME, VALUE, Texts, clean, short_hash
from kubegap_mcp.kube import quantity
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.quantity import Quantity

_ENTRIES: Final = 2000  # of a map; nodes with every discovery agent have about 200 labels
_LIST: Final = 500
_FEW: Final = 50  # resources of one node
_MOST_ASKED: Final = 8192  # keys of which it is remembered whether they are kept
_UNSET: Final = datetime(1971, 1, 1, tzinfo=UTC)  # Go writes year 1, some agents the epoch, for a time never set


def name(text: str | None) -> str:
    """Cleaned; where that leaves less than there was, a hash keeps it apart from the object whose name looks like it.

    The API allows no such name, and a file may hold one: `gpu-0` and a letter that is not seen must not stand for
    `gpu-0`.
    """
    # What `clean` does for nearly every text, without the call: a page has tens of thousands of them.
    if not text or (len(text) <= NAME and text.isascii() and text.isprintable()):
        return text or ""
    cleaned = clean(text, NAME)
    return cleaned if cleaned == text else clean(text, NAME - HASH) + short_hash(text)


value = Texts(VALUE)
key = Texts(KEY)


def texts(values: Sequence[str] | None, losses: Losses) -> tuple[str, ...]:
    return tuple(value(item) for item in first(_LIST, values, losses))


def strings(items: Mapping[str, str] | None, losses: Losses) -> Mapping[str, str]:
    """Labels or annotations, interned: a thousand nodes carry the same few hundred texts."""
    if not items:
        return {}
    if len(items) > _ENTRIES:
        losses.add()
        items = dict(list(items.items())[:_ENTRIES])
    known_key, known_value = key.known.get, value.known.get
    return {known_key(name) or key(name): known_value(text) or value(text) for name, text in items.items()}


def kept(items: dict[str, str] | None, keep: Callable[[str], bool]) -> dict[str, str] | None:
    """The entries with such a key, as `keep` always says of it; one longer than the API allows is none of them."""
    told = _told(keep)
    kept, dropped = told.kept, told.dropped
    return {
        name: text
        for name, text in (items or {}).items()
        if name in kept or (name not in dropped and told.is_kept(name))
    } or None


class _Told:
    """Keys of which it was asked whether they are kept: the same hundreds stand on every node."""

    def __init__(self, keep: Callable[[str], bool]) -> None:
        self._keep = keep
        self.kept: set[str] = set()
        self.dropped: set[str] = set()

    def is_kept(self, key: str) -> bool:
        is_kept = len(key) <= KEY and self._keep(key)
        answered = self.kept if is_kept else self.dropped
        if len(key) <= KEY and len(answered) < _MOST_ASKED:
            answered.add(key)
        return is_kept


@cache
def _told(keep: Callable[[str], bool]) -> _Told:
    return _Told(keep)


def when(time: datetime | None) -> datetime | None:
    """In UTC; None for a time that was never set, or that no calendar has there."""
    if time is None:
        return None
    try:
        moment = time if time.tzinfo is UTC else time.astimezone(UTC)
    except OverflowError:
        return None
    return moment if moment > _UNSET else None


def quantities(items: Mapping[str, Quantity] | None) -> Mapping[str, int] | None:
    """Memory, ephemeral storage and hugepages in bytes, extended resources in whole units; None if one is unreadable.

    Left out: `cpu`, `pods` and attachable volumes, which no rule counts. Nodes of one kind offer the same.
    """
    if items is None or len(items) > _ENTRIES:
        return None
    return _counted(tuple(items.items())) if len(items) <= _FEW else _counted.__wrapped__(tuple(items.items()))


@lru_cache(maxsize=1024)
def _counted(items: tuple[tuple[str, Quantity], ...]) -> Mapping[str, int] | None:
    counted: dict[str, int] = {}
    for resource, amount in items:
        if is_extended(resource):
            number = quantity.count(amount)
        elif resource in {"memory", "ephemeral-storage"} or resource.startswith("hugepages-"):
            number = quantity.size(amount)
        else:
            continue
        if number is None:
            return None
        counted[key(resource)] = number
    return counted


def extended(items: Iterable[tuple[str, Quantity | None]], losses: Losses) -> Mapping[str, int]:
    """The extended resources among these, in whole units; what is no number is lost, and none told is zero."""
    counted: dict[str, int] = {}
    for resource, amount in items:
        if is_extended(resource) and (number := count(0 if amount is None else amount, losses)) is not None:
            counted[key(resource)] = number
    return counted


def is_extended(resource: str) -> bool:
    """Whether a device plugin offers it: only such names have a domain."""
    return "/" in resource


def portion(told: int | str | None) -> str | None:
    """A number or a percentage as text; None where it is not set."""
    return None if told is None else value(str(told))


def size(amount: Quantity | None, losses: Losses) -> int | None:
    """Bytes; None where no limit is set, and what cannot be read is lost: it is not unlimited."""
    if amount is None:
        return None
    found = quantity.size(amount)
    if found is None:
        losses.add()
    return found


def count(amount: Quantity | None, losses: Losses) -> int | None:
    if amount is None:
        return None
    found = quantity.count(amount)
    if found is None:
        losses.add()
    return found
