"""What is kept of the objects of a kind, as marks that a later kubegap can hold against what it keeps itself.

A snapshot is pruned by the kubegap that took it: a field, a variable or an annotation that a later one reads is not in
it, and would seem not to be set. Nobody has to write a number down: the marks are the fields of the wire struct, those
that `reduce` names, and what it picks names by: constants, and the patterns of the tables that it asks.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from types import FunctionType
from typing import Any, Final, cast, get_args

import msgspec

from kubegap_checks.calls import codes, named_in, reached

_GATHER: Final = ("kubegap_mcp.kube.gather.",)
_SIGNALS: Final = "kubegap_checks.signals."
# Rows about what is kept whole, whatever its name.
_KEPT_WHOLE: Final = frozenset({"label", "taint", "device_taint", "resource", "mount_path", "volume_name"})


@cache
def marks(wire: type[msgspec.Struct], reduce: Callable[..., Any]) -> frozenset[str]:
    """One short mark for each thing that is kept."""
    return frozenset(sha256(kept.encode()).hexdigest()[:6] for kept in kept_of(wire, reduce))


def kept_of(wire: type[msgspec.Struct], reduce: Callable[..., Any]) -> frozenset[str]:
    """The same in words."""
    paths = frozenset(_paths(wire, "", ()))
    known = {word for struct in _structs(wire, set()) for word in struct.__struct_fields__}
    kept: set[str] = set()
    for function in reached((reduce,), (*_GATHER, _SIGNALS)):
        if function.__module__.startswith(_SIGNALS):
            kept |= _picked_by(function.__module__)
            continue
        named = {word for code in codes(function.__code__) for word in _words(code.co_names, code.co_consts)}
        kept |= {f"reduce {word}" for word in named & known}
        kept |= {f"picks {word}" for word in named_in(function) if isinstance(word, str)}
    return paths | kept


def _paths(of: object, path: str, above: tuple[object, ...]) -> Iterator[str]:
    for struct in _direct(of):
        if struct in above:
            continue
        for field in msgspec.structs.fields(struct):
            at = f"{path}.{field.encode_name}"
            yield at
            yield from _paths(field.type, at, (*above, struct))


def _structs(of: object, seen: set[type[msgspec.Struct]]) -> set[type[msgspec.Struct]]:
    for struct in _direct(of):
        if struct not in seen:
            seen.add(struct)
            for field in msgspec.structs.fields(struct):
                _structs(field.type, seen)
    return seen


def _direct(of: object) -> Iterator[type[msgspec.Struct]]:
    """The structs that a type expression is made of."""
    if isinstance(of, type) and issubclass(of, msgspec.Struct):
        yield of
    for part in get_args(of):
        yield from _direct(part)


def _words(names: tuple[str, ...], constants: tuple[object, ...]) -> Iterator[str]:
    """The attributes that code names; those of a call by keyword stand among its constants."""
    yield from names
    for constant in constants:
        if isinstance(constant, tuple):
            yield from (word for word in cast("tuple[object, ...]", constant) if isinstance(word, str))


@cache
def _picked_by(module: str) -> frozenset[str]:
    """The patterns and the lists of names in the tables of a module."""
    tables = (member for member in vars(import_module(module)).values() if _is_table_of(member, module))
    return frozenset(word for table in tables for row in table() for word in _patterns(row))


def _is_table_of(member: object, module: str) -> bool:
    function = getattr(member, "__wrapped__", None)
    return isinstance(function, FunctionType) and function.__module__ == module and not function.__code__.co_argcount


def _patterns(row: object) -> Iterator[str]:
    if isinstance(row, re.Pattern):
        yield f"picks {cast('re.Pattern[str]', row).pattern}"
    elif isinstance(row, tuple):
        for part in cast("tuple[object, ...]", row):
            yield from (f"picks {part}",) if isinstance(part, str) else _patterns(part)
    elif is_dataclass(row) and not {getattr(row, "where", ""), getattr(row, "sign", "")} & _KEPT_WHOLE:
        for field in fields(row):
            yield from _patterns(getattr(row, field.name))
