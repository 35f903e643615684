"""`make mutants`: whether each rule's own tests notice when one of its guards is taken away.

    python -m tests.mutants [TOPIC | TOPIC.RULE ...]

Without names, all rules. Exit 0: every mutant of every rule made its tests fail. 1: at least one did not.
2: no such rule.
"""

import multiprocessing
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from time import monotonic

from tests.mutants.trial import CHECKOUT, Rule, examine

_RULES = CHECKOUT / "checks" / "kubegap_checks" / "rules"
_TESTS = CHECKOUT / "tests" / "checks"


def rules() -> list[Rule]:
    return [_rule(path) for path in sorted(_RULES.glob("*/*.py")) if path.stem != "__init__"]


def _rule(path: Path) -> Rule:
    topic, name = path.parent.name, path.stem
    tests = _TESTS / topic / f"test_{name}.py"
    return Rule(f"{topic}.{name}", f"kubegap_checks.rules.{topic}.{name}", path, tests)


def chosen(names: Sequence[str]) -> list[Rule]:
    known = rules()
    if unknown := [name for name in names if not any(_answers(rule, name) for rule in known)]:
        _say(f"no rule and no topic is called {', '.join(unknown)}")
        raise SystemExit(2)
    return [rule for rule in known if not names or any(_answers(rule, name) for name in names)]


def _answers(rule: Rule, name: str) -> bool:
    return name in {rule.name, rule.name.split(".")[0]}


def main(names: Sequence[str]) -> int:
    began, tried, complaints = monotonic(), 0, 0
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.mutants.trial", "tests.checks.build"])
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        for done in as_completed([pool.submit(examine, rule) for rule in chosen(names)]):
            report = done.result()
            tried, complaints = tried + report.tried, complaints + len(report.complaints)
            _say(f"{report.rule}: {report.tried} mutants, {report.marked} marked as equivalent, {report.seconds:.1f} s")
            _say(*report.complaints)
    _say(f"{tried} mutants in {monotonic() - began:.0f} s, {complaints} complaints")
    return 1 if complaints else 0


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
