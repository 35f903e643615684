"""What the owner of a cluster has looked at and does not want to be told of, for a reason and until a day."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Of all findings of `check`, or of those about one `subject`, or of one by its id; `until` is its last day."""

    check: str
    finding: str | None = None
    subject: str | None = None
    reason: str
    until: date

    @property
    def id(self) -> str:
        return self.finding or self.check


@dataclass(frozen=True, slots=True, kw_only=True)
class Silences:
    """All that are given, and the day on which they are asked."""

    given: tuple[Silence, ...] = ()
    today: date = date.min

    def of(self, check: str) -> tuple[Silence, ...]:
        return tuple(silence for silence in self.given if silence.check == check)

    def holds(self, silence: Silence) -> bool:
        return self.today <= silence.until
