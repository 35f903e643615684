"""JSON of others -> structs, with one kind of failure for all that is not what it should be."""

from typing import TypeVar

import msgspec

T = TypeVar("T")


def decode(text: bytes | str, as_: type[T]) -> T:
    """Raises msgspec.DecodeError: ValidationError is one, and so is what is nested too deep or is not UTF-8."""
    try:
        return msgspec.json.decode(text, type=as_)
    except (RecursionError, UnicodeError) as error:
        raise msgspec.DecodeError(f"not JSON of an API: {type(error).__name__}") from None
