"""tests/mutants on rules that were planted for it: it finds the untested guard, and counts no broken run as a kill."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.mutants.guards import mutants

CHECKOUT = Path(__file__).parents[2]

RULE = """\
from types import SimpleNamespace as Check

def find(numbers):
    for number in numbers:
        if number % 2:
            continue
        if number >= 10:
            yield number

CHECK = Check(find=find)
"""
TESTS = """\
from {rule} import CHECK

def test_even_numbers_from_ten_on():
    assert list(CHECK.find([8, 10, 11, 12])) == [10, 12]
"""
UNGUARDED = TESTS.replace("11, ", "")
SKIPPED = "import pytest\npytestmark = pytest.mark.skip('no')\n" + TESTS

ENDLESS = RULE.replace("            yield number\n", "            yield number\n    while True:\n        break\n")
DYING = RULE.replace("continue\n", "continue\n        if not numbers:\n            import os; os._exit(0)\n")
NAMELESS = RULE.replace("if number % 2:", "if number:\n            half = number // 2\n        if half * 2 != number:")

SHARED = """\
from functools import cache

class Numbers:
    def __init__(self, *numbers):
        self.numbers = numbers

    @property
    def even(self):
        return [number for number in self.numbers if not number % 2]

@cache
def is_large(number):
    if number > 10:
        return True
    return number == 10
"""
SHARED_TESTS = """\
from shared import Numbers, is_large

NUMBERS = Numbers(8, 10, 11)

def test_even_numbers():
    assert isinstance(NUMBERS, Numbers)
    assert NUMBERS.even == [8, 10]

def test_large_numbers():
    assert [is_large(number) for number in (9, 10)] == [False, True]
"""

GOING_ON = RULE.replace(
    "        if number % 2:",
    """\
        try:
            half = 1 / (number - 11)
        except ZeroDivisionError:
            continue
        if not half:""",
)

PLANTED = {
    "guarded": (RULE, TESTS),
    "unguarded": (RULE, UNGUARDED),
    "never_asked": (RULE, TESTS.replace("assert", "CHECK.find, ")),
    "failing": (RULE, TESTS.replace("[10, 12]", "[10]")),
    "skipped": (RULE, SKIPPED),
    "uncollected": (RULE, TESTS.replace("{rule}", "{rule}.nowhere")),
    "untested": (RULE, ""),
    "absent": (RULE, None),
    "raising": (RULE + "if not CHECK:\n    raise OSError('on import')\n", TESTS),
    "nameless": (NAMELESS, TESTS),
    "going_on": (GOING_ON, TESTS),
    "endless": (ENDLESS, TESTS),
    "dying": (DYING, TESTS),
    "shared": (SHARED, SHARED_TESTS),
    "marked": (RULE, UNGUARDED + "EQUIVALENT = {'`number % 2` always false': 'a reason'}\n"),
    "marked_for_nothing": (RULE, TESTS + "EQUIVALENT = {'`number % 2` always false': 'a reason'}\n"),
}
EXAMINE = """\
import json, sys
from pathlib import Path
from tests.mutants.trial import Module, examine
folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
for name in sys.argv[2:]:
    module = Module(name, name, folder / f"{name}.py", (folder / f"test_{name}.py",), name != "shared")
    report = examine(module, patience=1)
    complaints = [complaint.rpartition("/planted0/")[2] for complaint in report.complaints]
    print(json.dumps([name, report.tried, complaints]))
"""


class Told(NamedTuple):
    tried: int
    complaints: list[str]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """All of them in one process, one after the other, as a worker of `make mutants` does it."""
    folder = tmp_path_factory.mktemp("planted")
    for name, (rule, tests) in PLANTED.items():
        (folder / f"{name}.py").write_text(rule)
        if tests is not None:
            (folder / f"test_{name}.py").write_text(tests.replace("{rule}", name))
    command = [sys.executable, "-c", EXAMINE, str(folder), *PLANTED]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return {name: Told(tried, complaints) for name, tried, complaints in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize(
    ("rule", "tried", "complaints"),
    [
        pytest.param("guarded", 6, [], id="every guard is tested"),
        pytest.param(
            "unguarded", 6, ["unguarded.py:5: mutant survived: `number % 2` always false"], id="a guard without a case"
        ),
        pytest.param(
            "failing",
            0,
            [
                (
                    "test_failing.py:1: its tests do not pass with the rule as it is: "
                    "AssertionError in test_even_numbers_from_ten_on"
                )
            ],
            id="tests that fail anyway",
        ),
        pytest.param(
            "skipped",
            0,
            ["test_skipped.py:1: its tests do not pass with the rule as it is: no test ran"],
            id="tests that are skipped",
        ),
        pytest.param("untested", 0, ["test_untested.py:1: it has no tests"], id="a file without tests"),
        pytest.param("absent", 0, ["test_absent.py:1: it has no tests"], id="no file of tests"),
        pytest.param(
            "shared",
            5,
            [
                "shared.py:13: mutant survived: `number > 10` always false",
                "shared.py:13: mutant survived: `number > 10` as `number >= 10`",
            ],
            id="a module of functions that others have imported",
        ),
        pytest.param(
            "going_on",
            9,
            ["going_on.py:9: mutant survived: `not half` always false"],
            id="a name that has no value then",
        ),
        pytest.param("marked", 6, [], id="a mark excuses the mutant"),
        pytest.param(
            "marked_for_nothing",
            6,
            [
                (
                    "test_marked_for_nothing.py:1: EQUIVALENT has a mark that no surviving mutant needs: "
                    "`number % 2` always false"
                )
            ],
            id="a mark that excuses nothing",
        ),
    ],
)
def test_it_tells_what_the_tests_do_not_notice(reports, rule: str, tried: int, complaints: list[str]):
    assert (reports[rule].tried, reports[rule].complaints) == (tried, complaints)


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        ("raising", "raising.py:11: mutant proves nothing (import raises OSError: on import): `not CHECK` always true"),
        (
            "nameless",
            (
                "nameless.py:5: mutant proves nothing (UnboundLocalError in test_even_numbers_from_ten_on): "
                "`number` always false"
            ),
        ),
        ("endless", "endless.py:10: mutant proves nothing (no end within 1 s): `break` left out"),
        ("dying", "dying.py:7: mutant proves nothing (its process died): `not numbers` always true"),
    ],
)
def test_a_mutant_that_was_not_run_to_its_end_is_not_a_kill(reports, rule: str, complaint: str):
    assert complaint in reports[rule].complaints


def test_tests_that_never_ask_the_rule_kill_nothing(reports):
    assert len(reports["never_asked"].complaints) == reports["never_asked"].tried == 6


def test_a_file_of_tests_that_cannot_be_imported_says_why(reports):
    [complaint] = reports["uncollected"].complaints

    assert "its tests cannot be collected" in complaint
    assert "uncollected.nowhere" in complaint


@pytest.mark.parametrize(
    ("line", "guards"),
    [
        (
            "if a and b: f()",
            ["`a and b` always true", "`a and b` always false", "`a and b` without `a`", "`a and b` without `b`"],
        ),
        ("x = a or b", ["`a or b` without `a`", "`a or b` without `b`"]),
        ("x = not a", ["`not a` without its not"]),
        ("x = a < b <= c", ["`a < b <= c` as `a <= b <= c`", "`a < b <= c` as `a < b < c`"]),
        ("x = [a for a in b if a]", ["`a` always true"]),
        ("x = 1 if a else 2", ["`a` always true", "`a` always false"]),
        ("x = min(a, b, key=c)", ["`min(a, b, key=c)` without `a`", "`min(a, b, key=c)` without `b`"]),
        ("x = max(a)", []),
        ("f()", ["`f()` left out"]),
        ("raise a", ["`raise a` left out"]),
        ("for a in b:\n  if a: continue\n  f()", ["`a` always true", "`a` always false", "`f()` left out"]),
        ("try:\n  x = f()\nexcept a:\n  x = 1", ["`except a` left out"]),
        ("def f() -> bool:\n  return a == b", ["`a == b` always true", "`a == b` always false"]),
        ("def f() -> int:\n  return a == b", []),
        ("x = Text(en=1 if a else 2, ko=1 if a else 2)", ["`a` always true", "`a` always false"]),
        ("x = Check(find=f, applies=g)", ["finds nothing", "applies always"]),
        ('"""A docstring."""\nx = f(1, "text")', []),
    ],
)
def test_each_guard_of_a_line_is_taken_away_once(line: str, guards: list[str]):
    assert [mutant.what for mutant in mutants(line, "rule.py")] == guards


def test_a_condition_that_names_its_value_still_does_so():
    source = "found = {'name': 'unset'}\nif 0 or (name := 'a'):\n    pass\nfound['name'] = name\n"

    for mutant in mutants(source, "rule.py"):
        names: dict[str, dict[str, str]] = {}
        exec(mutant.code, names)  # noqa: S102 (what was made two lines up)
        assert names["found"]["name"] == "a", mutant.what
