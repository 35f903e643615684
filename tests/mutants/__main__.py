"""`make mutants`: whether each rule's own tests notice when one of its guards is taken away.

    python -m tests.mutants [TOPIC | TOPIC.RULE | inventory | inventory.MODULE ...]

Without names, all rules. What rules conclude together (inventory) is tried only where it is named: it is held by the
tests of all rules beside its own, so that takes minutes a module, and what survives there is a list to think about.
Exit 0: every mutant made the tests fail. 1: at least one did not. 2: nothing is called so.
"""

import multiprocessing
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from time import monotonic

from tests.mutants.trial import CHECKOUT, Module, examine

_CHECKS = CHECKOUT / "checks" / "kubegap_checks"
_TESTS = CHECKOUT / "tests" / "checks"


def rules() -> list[Module]:
    return [
        Module(
            name=f"{path.parent.name}.{path.stem}",
            module=f"kubegap_checks.rules.{path.parent.name}.{path.stem}",
            source=path,
            tests=(_TESTS / path.parent.name / f"test_{path.stem}.py",),
        )
        for path in _modules_in(_CHECKS / "rules", "*/*.py")
    ]


def inventory() -> list[Module]:
    topics = sorted(path for path in _TESTS.iterdir() if (_CHECKS / "rules" / path.name).is_dir())
    return [
        Module(
            name=f"inventory.{path.stem}",
            module=f"kubegap_checks.inventory.{path.stem}",
            source=path,
            tests=(_TESTS / "inventory", *topics),
            is_rule=False,
        )
        for path in _modules_in(_CHECKS / "inventory", "*.py")
    ]


def _modules_in(folder: Path, pattern: str) -> list[Path]:
    return sorted(path for path in folder.glob(pattern) if path.stem != "__init__")


def chosen(names: Sequence[str]) -> list[Module]:
    if not names:
        return rules()
    known = [(module, {module.name, module.name.split(".")[0]}) for module in (*rules(), *inventory())]
    if unknown := set(names).difference(*(answers for _, answers in known)):
        _say(f"no rule, topic or module of the inventory is called {', '.join(sorted(unknown))}")
        raise SystemExit(2)
    return [module for module, answers in known if answers & set(names)]


def main(names: Sequence[str]) -> int:
    began, tried, complaints = monotonic(), 0, 0
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.mutants.trial", "tests.checks.build"])
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        for done in as_completed([pool.submit(examine, module) for module in chosen(names)]):
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
