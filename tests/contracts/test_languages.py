"""Whatever a person reads exists in English and in Korean; the sources themselves are looked through."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubegap_mcp import errors
from kubegap_mcp.errors import KubegapError

ROOT = Path(__file__).parents[2]
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, KubegapError)}
FILES = [
    pytest.param(path, id=path.relative_to(ROOT).as_posix())
    for folder in ("kubegap_mcp", "checks/kubegap_checks")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def calls(path: Path, *names: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node


def letters(node: ast.AST) -> str:
    """What a text says beside the values put into it."""
    constants = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    return "".join(value for value in constants if isinstance(value, str))


@pytest.mark.parametrize("path", FILES)
def test_no_error_is_told_in_one_language(path: Path):
    given = [call.args[0] for call in calls(path, *ERRORS) if call.args]
    assert [ast.unparse(text) for text in given if isinstance(text, ast.Constant | ast.JoinedStr | ast.BinOp)] == []


@pytest.mark.parametrize("path", FILES)
def test_the_korean_of_a_text_is_korean(path: Path):
    """Text.same is for what both languages write alike."""
    bad: list[str] = []
    for call in calls(path, "Text"):
        told = {word.arg: word.value for word in call.keywords}
        english, korean = letters(told["en"]), letters(told["ko"])
        is_english, is_korean = re.search("[a-z] [a-z]", english), re.search("[가-힣]", korean)
        if re.search("[가-힣]", english) or (is_english and not is_korean):
            bad.append(ast.unparse(call))
    assert bad == []
