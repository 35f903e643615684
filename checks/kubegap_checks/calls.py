"""What a function may call and names, read from its code: so that nobody has to list it."""

from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any


def reached(functions: tuple[Callable[..., Any], ...], ours: tuple[str, ...]) -> Iterator[FunctionType]:
    """Every function that these may call, each once, of the modules whose names begin so."""
    seen: set[FunctionType] = set()
    waiting: list[object] = list(functions)
    while waiting:
        for function in _functions(waiting.pop(), ours):
            if function not in seen and function.__module__.startswith(ours):
                seen.add(function)
                waiting += named_in(function)
                yield function


def _functions(value: object, ours: tuple[str, ...]) -> Iterator[FunctionType]:
    """The functions that a value is made of: itself, a cached or partial one within, the methods of a class."""
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, type):
        members = [vars(base) for base in value.__mro__ if base.__module__.startswith(ours)]
        for member in (member for named in members for member in named.values()):
            yield from () if isinstance(member, type) else _functions(member, ours)
    else:
        for inner in ("__wrapped__", "__func__", "func", "fget"):
            if callable(part := getattr(value, inner, None)):
                yield from _functions(part, ours)


def named_in(function: FunctionType) -> Iterator[object]:
    """What a function's code names in its module, and what it has closed over; of a table, its members."""
    for code in codes(function.__code__):
        for name in code.co_names:
            named = function.__globals__.get(name)
            if isinstance(named, ModuleType):  # `fill.worst(...)` names both; which of the module's is not told
                yield from (vars(named)[member] for member in code.co_names if member in vars(named))
            elif name in function.__globals__:
                yield from _within(named)
    for cell in function.__closure__ or ():
        yield from _within(cell.cell_contents)


def _within(value: object) -> Iterator[object]:
    """A value, or the members of a table."""
    if isinstance(value, Mapping):
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from (*_within(key), *_within(item))  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, tuple | list | set | frozenset):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _within(item)  # pyright: ignore[reportUnknownArgumentType]
    else:
        yield value


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code and what is nested in it: lambdas, comprehensions, inner functions."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)
