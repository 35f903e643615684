"""The mutants of a rule: its module with one guard taken away each.

A guard is what keeps a finding or a doubt from being told, from being sure, or from saying more: a condition, one
operand of `and` or `or`, a `not`, a boundary, the filter of a comprehension, an `except`, one of those of which the
least is taken, a statement that yields or leaves.
Numbers, names and texts stay as they are: the tests of the tables and of all checks look after those.
So does everything under `ko=`, which says under the same conditions what `en=` says.
"""

import ast
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from textwrap import shorten
from types import CodeType

_BOUNDARY: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)

Variants = Iterator[tuple[str, ast.AST]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """`what` names the guard in words that stay when lines move: a mark in EQUIVALENT repeats them.

    `goes_on` says that it goes on where the original leaves, so that a name without its value is what a test notices.
    """

    line: int
    what: str
    code: CodeType
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """A node, what it is of its parent, and how to put another one there."""

    parent: ast.AST
    field: str
    node: ast.AST
    put: Callable[[ast.AST], None]
    is_condition: bool


def mutants(source: str, file: str) -> Iterator[Mutant]:
    tree = ast.parse(source, file)
    for place in _places(tree):
        for what, instead in _variants(place):
            place.put(ast.fix_missing_locations(ast.copy_location(instead, place.node)))
            code = compile(tree, file, "exec")
            place.put(place.node)
            yield Mutant(getattr(place.node, "lineno", 0), what, code, isinstance(place.node, _LEAVING))


def _places(parent: ast.AST, *, in_predicate: bool = False) -> Iterator[_Place]:
    """All nodes; `in_predicate` is a function that returns bool, so that what it returns is a condition."""
    if isinstance(parent, ast.FunctionDef):
        in_predicate = isinstance(parent.returns, ast.Name) and parent.returns.id == "bool"
    for field, value in ast.iter_fields(parent):
        is_condition = field == "test" or (in_predicate and isinstance(parent, ast.Return))
        several = value if isinstance(value, list) else [value]
        for at, node in enumerate(several):
            if not isinstance(node, ast.AST) or (isinstance(node, ast.keyword) and node.arg == "ko"):
                continue
            put = _putter(parent, field, at if isinstance(value, list) else None)
            yield _Place(parent, field, node, put, is_condition)
            yield from _places(node, in_predicate=in_predicate)


def _putter(parent: ast.AST, field: str, at: int | None) -> Callable[[ast.AST], None]:
    if at is None:
        return lambda node: setattr(parent, field, node)
    siblings: list[ast.AST] = getattr(parent, field)
    return lambda node: siblings.__setitem__(at, node)


def _variants(place: _Place) -> Variants:
    node = place.node
    if (
        isinstance(node, ast.expr)
        and not isinstance(node, ast.Constant)
        and (place.is_condition or place.field in {"ifs", "guard"})
    ):
        yield from _conditions(node, may_be_false=place.is_condition)
    if isinstance(node, ast.BoolOp):
        yield from _operands(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"`{_told(node)}` without its not", node.operand
    elif isinstance(node, ast.Compare):
        yield from _boundaries(node)
    elif isinstance(node, ast.Try) and node.handlers:
        yield (
            f"`except {_told(node.handlers[0].type)}` left out",
            ast.If(ast.Constant(value=True), [*node.body, *node.orelse], []),
        )
    elif isinstance(node, (ast.Expr, *_LEAVING)) and not (isinstance(node, ast.Return) and node.value):
        if not _is_docstring(node) and not _is_whole_if(place):
            yield f"`{_told(node)}` left out", ast.Pass()
    elif isinstance(node, ast.keyword) and isinstance(place.parent, ast.Call):
        yield from _entries(place.parent, node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"min", "max"}:
        yield from _candidates(node)


def _conditions(test: ast.expr, *, may_be_false: bool) -> Variants:
    yield f"`{_told(test)}` always true", _neutral(test, value=True)
    if may_be_false:
        yield f"`{_told(test)}` always false", _neutral(test, value=False)


def _operands(whole: ast.BoolOp) -> Variants:
    is_and = isinstance(whole.op, ast.And)
    for at, operand in enumerate(whole.values):
        rest = [*whole.values[:at], *whole.values[at + 1 :]]
        if any(isinstance(part, ast.NamedExpr) for part in ast.walk(operand)):
            rest.insert(at, _neutral(operand, value=is_and))
        yield f"`{_told(whole)}` without `{_told(operand)}`", rest[0] if len(rest) == 1 else ast.BoolOp(whole.op, rest)


def _boundaries(compare: ast.Compare) -> Variants:
    for at, op in enumerate(compare.ops):
        if other := _BOUNDARY.get(type(op)):
            moved = copy(compare)
            moved.ops = [*compare.ops[:at], other(), *compare.ops[at + 1 :]]
            yield f"`{_told(compare)}` as `{_told(moved)}`", moved


def _candidates(call: ast.Call) -> Variants:
    """Of what the least or most of several is taken."""
    for at, candidate in enumerate(call.args if len(call.args) > 1 else ()):
        rest = [*call.args[:at], *call.args[at + 1 :]]
        told = f"`{_told(call)}` without `{_told(candidate)}`"
        yield told, rest[0] if len(rest) == 1 else ast.Call(call.func, rest, call.keywords)


def _entries(call: ast.Call, keyword: ast.keyword) -> Variants:
    """What a check is made of: where it applies, and what it finds."""
    if isinstance(call.func, ast.Name) and call.func.id == "Check":
        if keyword.arg == "applies":
            yield "applies always", _keyword(keyword, "lambda facts: True")
        elif keyword.arg == "find":
            yield "finds nothing", _keyword(keyword, "lambda facts: iter(())")


def _keyword(keyword: ast.keyword, value: str) -> ast.keyword:
    return ast.keyword(keyword.arg, ast.parse(value, mode="eval").body)


def _neutral(test: ast.expr, *, value: bool) -> ast.expr:
    """The constant; a test that also gives a name its value is still evaluated, or the mutant could not run."""
    constant = ast.Constant(value)
    if any(isinstance(part, ast.NamedExpr) for part in ast.walk(test)):
        return ast.BoolOp(ast.Or() if value else ast.And(), [test, constant])
    return constant


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_whole_if(place: _Place) -> bool:
    """Whether leaving the statement out is the same as its condition being always false."""
    parent = place.parent
    return isinstance(parent, ast.If) and place.field == "body" and len(parent.body) == 1 and not parent.orelse


def _told(node: ast.AST | None) -> str:
    return shorten(ast.unparse(node), 100, placeholder=" ...") if node else ""
