"""Which thresholds a check may compare with, read from the code that it runs: nobody has to list them."""

from collections.abc import Callable
from typing import Any

from kubegap_checks.calls import codes, named_in, reached
from kubegap_checks.model import Check
from kubegap_checks.signals.thresholds import Threshold, threshold, thresholds

_OURS = ("kubegap_checks.",)


def compared(check: Check) -> tuple[Threshold, ...]:
    """The rows whose ids the rule, and what it calls, name; one run may ask for fewer (`Verdict.thresholds`)."""
    return named_by(check.find, check.applies)


def named_by(*functions: Callable[..., Any]) -> tuple[Threshold, ...]:
    """The rows that these functions, and what they call, name."""
    words: set[str] = set()
    beginnings: set[str] = set()
    for function in reached(functions, _OURS):
        for code in codes(function.__code__):
            found = {constant for constant in code.co_consts if isinstance(constant, str)}
            words |= found
            if threshold.__name__ in code.co_names:  # f"weka_ssd_percent_{level}" leaves its beginning
                beginnings |= {word for word in found if word.endswith("_")}
        words |= {word for word in named_in(function) if isinstance(word, str)}
    return tuple(row for row in thresholds() if row.id in words or row.id.startswith(tuple(beginnings)))
