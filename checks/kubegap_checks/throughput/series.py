"""One measured series at a fixed step, with the samples that are missing."""

import math
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Series:
    """`started` is unix seconds of the first value; one value each `step_s` seconds, None where there is no sample."""

    started: float
    step_s: int
    values: tuple[float | None, ...]
    # Where there is a sample, and the samples: what every measure works on.
    places: tuple[int, ...] = field(init=False, repr=False, compare=False)
    samples: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        seen = [(at, value) for at, value in enumerate(self.values) if value is not None and math.isfinite(value)]
        object.__setattr__(self, "places", tuple(at for at, _ in seen))
        object.__setattr__(self, "samples", tuple(float(value) for _, value in seen))

    def time(self, place: int) -> float:
        """Unix seconds of the value at this place."""
        return self.started + place * self.step_s

    @property
    def end(self) -> float:
        """Unix seconds of what would be the next value."""
        return self.time(len(self.values))

    @property
    def span_s(self) -> int:
        return len(self.values) * self.step_s

    @property
    def coverage(self) -> float:
        """The share of values that are there, 0 to 1."""
        return len(self.samples) / len(self.values) if self.values else 0.0
