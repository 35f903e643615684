"""Settings of collective communication that hide a failure: watchdog, error handling, flight recorder."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kubegap_checks.model import Severity
from kubegap_checks.signals.tables import Filled, Part, Regex, Row, Words, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Instead(Part):
    """A variable that does the same in another way where its value matches."""

    env: Regex
    value: Regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Blinder(Row):
    """A variable, the value that switches it off, and what is not seen then; all patterns match in full."""

    id: Filled
    env: Regex
    value: Regex
    severity: Severity
    means: Words
    unless: Instead | None = None

    def seen_in(self, env: Mapping[str, str | None]) -> str | None:
        """The variable that switches it off; a value from elsewhere switches nothing off that could be told."""
        if self.unless and any(
            self.unless.env.fullmatch(name) and (value is None or self.unless.value.fullmatch(value))
            for name, value in env.items()
        ):
            return None
        return next(
            (name for name, value in env.items() if value and self.env.fullmatch(name) and self.value.fullmatch(value)),
            None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Teller(Row):
    """A variable that shows that someone has thought of a trace; `env` matches its name in full."""

    env: Regex


@cache
def blinders() -> tuple[Blinder, ...]:
    return read("collectives.yaml", Blinder, "blinds")


@cache
def tellers() -> tuple[Teller, ...]:
    return read("collectives.yaml", Teller, "tells")
