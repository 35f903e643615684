"""Parts that many objects have in the same words, built once: the pods of a run differ in little but their names."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

import msgspec

from kubegap_mcp.kube.gather.lenient import Losses

T = TypeVar("T")

_MOST: Final = 2048  # parts, each of at most so many bytes: a few megabytes
_LARGEST: Final = 4096
_ENCODER: Final = msgspec.json.Encoder()


class Alike(Generic[T]):
    """What was built of a part, by all that the part says; one of which something was lost is built again."""

    def __init__(self) -> None:
        self._built: dict[bytes, T] = {}

    def of(self, told: object, build: Callable[[], T], losses: Losses) -> T:
        """`told` is all that `build` looks at."""
        key = _ENCODER.encode(told)
        found = self._built.get(key)
        if found is not None:
            return found
        before = losses.count
        made = build()
        if losses.count == before and len(key) <= _LARGEST:
            if len(self._built) >= _MOST:
                self._built = {}
            self._built[key] = made
        return made
