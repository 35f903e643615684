"""Kubernetes quantities -> whole numbers; None for whatever is not one, never a guess."""

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

# apimachinery pkg/api/resource/quantity.go: sign, decimal digits, then one suffix. More digits or a larger exponent
# than an int64 could come from are refused before any arithmetic.
_QUANTITY: Final = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]{0,24})(?:\.(?P<part>[0-9]{0,24}))?"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]{1,2}))?"
)
_LONGEST: Final = 64
_LARGEST: Final = 2**63 - 1
_POWERS: Final = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}

Quantity = str | int | float


def count(quantity: Quantity | None) -> int | None:
    """A number of devices: not negative, and nothing but whole ones."""
    value = _exact(quantity)
    return int(value) if value is not None and value.denominator == 1 else None


def size(quantity: Quantity | None) -> int | None:
    """A number of bytes: not negative, part of a byte counts as one, as the API server rounds."""
    value = _exact(quantity)
    return None if value is None else -(-value.numerator // value.denominator)


def _exact(quantity: Quantity | None) -> Fraction | int | None:
    if isinstance(quantity, bool) or quantity is None:
        return None
    if isinstance(quantity, int):
        return quantity if 0 <= quantity <= _LARGEST else None
    text = repr(quantity) if isinstance(quantity, float) else quantity
    return _parse(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=4096)
def _parse(text: str) -> Fraction | int | None:
    match = _QUANTITY.fullmatch(text)
    if match is None or not (match["whole"] or match["part"]):
        return None
    digits = (match["whole"] or "0") + (match["part"] or "")
    value = Fraction(int(digits), 10 ** len(match["part"] or ""))
    if match["suffix"]:
        value *= _POWERS[match["suffix"]]
    if match["exponent"]:
        value *= Fraction(10) ** int(match["exponent"])
    if value > _LARGEST or (match["sign"] == "-" and value):
        return None
    return int(value) if value.denominator == 1 else value
