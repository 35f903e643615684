"""Which thresholds a check may compare with, read from the code that it runs: nobody has to list them."""

from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from kubegap_checks.model import Check
from kubegap_checks.signals.thresholds import Threshold, threshold, thresholds

_OURS = "kubegap_checks."


def compared(check: Check) -> tuple[Threshold, ...]:
    """The rows whose ids the rule, and what it calls, name; one run may ask for fewer (`Verdict.thresholds`)."""
    return named_by(check.find, check.applies)


def named_by(*functions: Callable[..., Any]) -> tuple[Threshold, ...]:
    """The rows that these functions, and what they call, name."""
    words: set[str] = set()
    beginnings: set[str] = set()
    for function in _reached(functions):
        for code in _codes(function.__code__):
            found = {constant for constant in code.co_consts if isinstance(constant, str)}
            words |= found
            if threshold.__name__ in code.co_names:  # f"weka_ssd_percent_{level}" leaves its beginning
                beginnings |= {word for word in found if word.endswith("_")}
        words |= {word for value in _globals(function) for word in _within(value) if isinstance(word, str)}
    return tuple(row for row in thresholds() if row.id in words or row.id.startswith(tuple(beginnings)))


def _reached(functions: tuple[Callable[..., Any], ...]) -> Iterator[FunctionType]:
    """Every function of this package that these may call, each once."""
    seen: set[FunctionType] = set()
    waiting: list[object] = list(functions)
    while waiting:
        for function in _functions(waiting.pop()):
            if function not in seen and function.__module__.startswith(_OURS):
                seen.add(function)
                waiting += [part for value in _globals(function) for part in _within(value)]
                yield function


def _functions(value: object) -> Iterator[FunctionType]:
    """The functions that a value is made of: itself, a cached or partial one within, the methods of a class."""
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, type):
        members = [vars(base) for base in value.__mro__ if base.__module__.startswith(_OURS)]
        for member in (member for named in members for member in named.values()):
            yield from () if isinstance(member, type) else _functions(member)
    else:
        for inner in ("__wrapped__", "__func__", "func", "fget"):
            if callable(part := getattr(value, inner, None)):
                yield from _functions(part)


def _globals(function: FunctionType) -> Iterator[object]:
    """What a function's code names in its module, and what it has closed over."""
    for code in _codes(function.__code__):
        yield from (function.__globals__[name] for name in code.co_names if name in function.__globals__)
    yield from (cell.cell_contents for cell in function.__closure__ or ())


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


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code and what is nested in it: lambdas, comprehensions, inner functions."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
