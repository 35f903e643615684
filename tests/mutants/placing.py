"""How a mutant comes to stand where its original stood, although others have imported that long ago."""

import gc
import sys
from collections.abc import Iterator
from functools import _lru_cache_wrapper  # pyright: ignore[reportPrivateUsage]
from types import CodeType, FunctionType, ModuleType

from kubegap_checks.facts.read import Facts, Record


def place_rule(name: str, code: CodeType, tests: ModuleType) -> None:
    """Run the code in the rule's module; what the tests had imported from it becomes the mutant's."""
    names = vars(sys.modules[name])
    before = dict(names)
    exec(code, names)  # noqa: S102 (the project's own module, changed in one place)
    _forget_conclusions()
    check = before["CHECK"]
    vars(check).update(vars(names["CHECK"]))
    names["CHECK"] = check
    for imported, value in vars(tests).items():
        if (own := before.get(imported)) is value and own is not None:
            setattr(tests, imported, names[imported])


def place_functions(code: CodeType) -> None:
    """Give each function of the file its code from the mutant. Classes stay, since others ask what is one of them."""
    mutated = {_place_of(inner): inner for inner in _within(code)}
    for found in gc.get_objects():
        if isinstance(found, FunctionType) and found.__code__.co_filename == code.co_filename:
            found.__code__ = mutated.get(_place_of(found.__code__), found.__code__)
        elif isinstance(found, _lru_cache_wrapper):
            found.cache_clear()
    _forget_conclusions()


def _forget_conclusions() -> None:
    """What is kept beside facts and rows was drawn by the original, or by the mutant before."""
    for found in gc.get_objects():
        if isinstance(found, Facts):
            found._derived.kept.clear()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        elif isinstance(found, Record) and hasattr(found, "remembered"):
            found.remembered.clear()


def _within(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _within(constant)


def _place_of(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno
