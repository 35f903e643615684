"""SECURITY.md promises nothing without a test that backs it."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISED = TEXT.partition("## What is promised")[2].partition("## What is not promised")[0]
NAMED = re.compile(r"^  - `(?P<file>tests/[\w/]+\.py)::(?P<test>test_\w+)`$")


def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_promise_has_a_test():
    promises = re.split(r"^- ", PROMISED, flags=re.MULTILINE)[1:]
    assert len(promises) > 10
    for promise in promises:
        assert any(map(NAMED.match, promise.splitlines())), promise


def test_every_test_that_is_named_exists():
    lines = [line for line in PROMISED.splitlines() if line.startswith("  - ")]
    for line in lines:
        named = NAMED.match(line)
        assert named, line
        assert named["test"] in names_in(named["file"]), line
