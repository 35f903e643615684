"""Understands what can be understood of an object that is not what the API says, and says that something was lost."""

import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Final, TypeVar, Union, cast, get_args, get_origin

import msgspec

T = TypeVar("T")


class _Lost:
    """Stands for a value that could not be understood, since None is a value."""


_LOST: Final = _Lost()


class Losses:
    """How much of the objects that go by could not be understood."""

    def __init__(self) -> None:
        self.count = 0

    def add(self) -> None:
        self.count += 1


def first(most: int, items: Sequence[T] | None, losses: Losses) -> Sequence[T]:
    """The items, or as many as any real object has; what is cut is lost, so that it does not look like absence."""
    if items is None:
        return ()
    if len(items) <= most:
        return items
    losses.add()
    return items[:most]


def whole(most: int, items: Sequence[T] | None, fields: tuple[str, ...], losses: Losses) -> Sequence[T]:
    """The same, of items that the API never lets be without these fields: one that is says nothing, and is lost."""
    given = first(most, items, losses)
    told = _told(fields)
    kept = [item for item in given if told(item)]
    if len(kept) < len(given):
        losses.add()
    return kept


@cache
def _told(fields: tuple[str, ...]) -> Callable[[object], object]:
    """Whether an item has all of these; this is asked of each condition of each node."""
    if len(fields) == 1:
        return attrgetter(*fields)
    values = attrgetter(*fields)
    return lambda item: all(values(item))


def understand(value: object, as_: type[T], losses: Losses) -> T | None:
    """The value as a struct, with a field left out where it has another type than it should; None if hopeless."""
    understood = _understand(value, as_, losses)
    return understood if isinstance(understood, as_) else None


def _understand(value: object, as_: object, losses: Losses) -> object:
    try:
        return msgspec.convert(value, cast("type[object]", as_))
    except msgspec.ValidationError:
        pass
    for member in _members(as_):
        found = _as_member(value, member, losses)
        if not isinstance(found, _Lost):
            return found
    losses.add()
    return _LOST


def _as_member(value: object, member: object, losses: Losses) -> object:
    origin = get_origin(member)
    if isinstance(member, type) and issubclass(member, msgspec.Struct) and isinstance(value, Mapping):
        return _struct(cast("Mapping[object, object]", value), member, losses)
    if origin is dict and isinstance(value, Mapping):
        return _entries(cast("Mapping[object, object]", value), get_args(member)[1], losses)
    if origin is list and isinstance(value, Sequence) and not isinstance(value, str | bytes):
        of = get_args(member)[0]
        understood = [_understand(item, of, losses) for item in cast("Sequence[object]", value)]
        return [item for item in understood if not isinstance(item, _Lost)]
    if member is str and isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # `gpu.count: 8` in a file written by hand; nothing is lost
    if member is str and value is None:
        return ""
    return _LOST


def _entries(value: Mapping[object, object], of: object, losses: Losses) -> object:
    understood = {str(key): _understand(item, of, losses) for key, item in value.items()}
    return {key: item for key, item in understood.items() if not isinstance(item, _Lost)}


def _struct(value: Mapping[object, object], as_: type[msgspec.Struct], losses: Losses) -> object:
    found: dict[str, object] = {}
    for name, key, of in _fields(as_):
        if key not in value:
            continue
        item = _understand(value[key], of, losses)
        if not isinstance(item, _Lost):
            found[name] = item
    return as_(**found)


@cache
def _fields(as_: type[msgspec.Struct]) -> tuple[tuple[str, str, object], ...]:
    return tuple((field.name, field.encode_name, field.type) for field in msgspec.structs.fields(as_))


@cache
def _members(as_: Any) -> tuple[object, ...]:  # noqa: ANN401 (a type expression has no type)
    """The types of a union, without None; an annotation is what it annotates."""
    if get_origin(as_) in {Union, types.UnionType}:
        return tuple(inner for member in get_args(as_) if member is not type(None) for inner in _members(member))
    return _members(get_args(as_)[0]) if get_origin(as_) is Annotated else (as_,)
