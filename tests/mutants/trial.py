"""Puts each mutant of a rule in the rule's place and runs the rule's own test file, which must fail.

Tests are collected once; each mutant then has a forked process to itself, in which its code is run in the module of
the rule, and the check that the tests hold is changed in place. A run that proves nothing is no kill: the tests must
pass with the rule as it is, put in place by the same means, and a mutant must have been run to its end.
"""

import multiprocessing
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import CodeType, ModuleType
from typing import Literal

import pytest

from tests.mutants.guards import Mutant, mutants
from tests.mutants.placing import place_functions, place_rule

CHECKOUT = Path(__file__).parents[2]
_NOT_NEEDED = ("xdist", "cacheprovider", "terminal")
_FORK = multiprocessing.get_context("fork")
_PYTEST = ("-c", str(CHECKOUT / "pyproject.toml"), "--assert=plain", *(f"-pno:{name}" for name in _NOT_NEEDED))


@dataclass(frozen=True, slots=True)
class Module:
    """`source` is what mutants are made of; `tests` are files or folders, for a rule its one file."""

    name: str
    module: str
    source: Path
    tests: tuple[Path, ...]
    is_rule: bool = True


@dataclass(slots=True)
class Report:
    """What is wrong, each as `file:line: sentence`; nothing where every guard is tested."""

    rule: str
    complaints: list[str] = field(default_factory=list)
    tried: int = 0
    marked: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the tests ended: `passed` if all did, `broken` if that says nothing about them."""

    status: Literal["passed", "failed", "broken"]
    detail: str = ""


def examine(rule: Module, patience: float = 10.0) -> Report:
    """The report on one rule; a mutant's tests may take `patience` seconds and ten times what they take without it."""
    report, began = Report(rule.name), monotonic()
    trial = _Trial(rule, report, patience)
    pytest.main([*_PYTEST, *map(str, rule.tests)], plugins=[trial])
    if not report.tried and not report.complaints:
        trial.complain("it has no tests", of_tests=True)
    report.seconds = monotonic() - began
    return report


class _Trial:
    """A pytest plugin that runs the collected tests once for each mutant."""

    def __init__(self, rule: Module, report: Report, patience: float) -> None:
        self.rule = rule
        self.report = report
        self.patience = patience
        self.raised: type[BaseException] | None = None
        self.passed = 0

    def complain(self, sentence: str, *, of_tests: bool = False, line: int = 1) -> None:
        path = os.path.relpath(self.rule.tests[0] if of_tests else self.rule.source, CHECKOUT)
        self.report.complaints.append(f"{path}:{line}: {sentence}")

    def pytest_configure(self, config: pytest.Config) -> None:
        config.option.tbstyle = "value"  # a traceback that nobody reads takes longer than the tests

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed or not session.items:
            return True
        source, file = self.rule.source.read_text(encoding="utf-8"), str(self.rule.source)
        began = monotonic()
        # Not in a fork, so that the mutants find every table read and every pattern compiled.
        unchanged = self._run(session, compile(source, file, "exec"))
        if unchanged.status != "passed":
            self.complain(f"its tests do not pass with the rule as it is: {unchanged.detail}", of_tests=True)
            return True
        seconds = self.patience + 10 * (monotonic() - began)
        tried = [
            (mutant, _in_fork(lambda mutant=mutant: self._run(session, mutant.code, goes_on=mutant.goes_on), seconds))
            for mutant in mutants(source, file)
        ]
        self._judge(tried, getattr(_test_module(session), "EQUIVALENT", {}) if self.rule.is_rule else {})
        return True

    def _judge(self, tried: list[tuple[Mutant, Outcome]], marks: Mapping[str, str]) -> None:
        self.report.tried = len(tried)
        survivors = {mutant.what for mutant, outcome in tried if outcome.status != "failed"}
        for mutant, outcome in tried:
            if outcome.status == "failed":
                continue
            if mutant.what in marks:
                self.report.marked += 1
            elif outcome.status == "passed":
                self.complain(f"mutant survived: {mutant.what}", line=mutant.line)
            else:
                self.complain(f"mutant proves nothing ({outcome.detail}): {mutant.what}", line=mutant.line)
        for what in marks.keys() - survivors:
            self.complain(f"EQUIVALENT has a mark that no surviving mutant needs: {what}", of_tests=True)

    def _run(self, session: pytest.Session, code: CodeType, *, goes_on: bool = False) -> Outcome:
        try:
            if self.rule.is_rule:
                place_rule(self.rule.module, code, _test_module(session))
            else:
                place_functions(code)
        except Exception as error:  # noqa: BLE001 (whatever it raises, it cannot be imported)
            return Outcome("broken", f"import raises {type(error).__name__}: {error}")
        self.passed = 0
        broken = ""
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            self.raised, before = None, session.testsfailed
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed == before:
                continue
            detail = f"{self.raised.__name__ if self.raised else 'no exception'} in {item.name}"
            if goes_on or not (self.raised and issubclass(self.raised, NameError)):
                return Outcome("failed", detail)
            broken = detail  # a name without its value comes from how the mutant was made: other tests have to tell
        if broken or not self.passed:
            return Outcome("broken", broken or "no test ran")
        return Outcome("passed")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.complain(f"its tests cannot be collected: {str(report.longrepr).splitlines()[-1]}", of_tests=True)

    def pytest_exception_interact(self, call: pytest.CallInfo[None]) -> None:
        self.raised = call.excinfo.type if call.excinfo else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed += report.when == "call" and report.passed


def _test_module(session: pytest.Session) -> ModuleType:
    module = session.items[0].getparent(pytest.Module)
    assert module is not None
    return module.obj


def _in_fork(run: Callable[[], Outcome], seconds: float) -> Outcome:
    receiver, sender = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=lambda: sender.send(run()))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(seconds) else Outcome("broken", f"no end within {seconds:.0f} s")
    except EOFError:
        return Outcome("broken", "its process died")
    finally:
        process.kill()
        process.join()
