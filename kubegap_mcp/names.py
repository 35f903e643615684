"""Names that a person gave, told back: cut to a length, and with those that they may have meant."""

import difflib
from collections.abc import Iterable, Sequence

from kubegap_checks.text import Text

_LETTERS = 60
_NEAR = 0.7  # of 1: a letter or a word that is wrong; below it, names share letters and nothing else
_NAMED = 5


def quoted(name: str) -> str:
    return repr(name[:_LETTERS])


def nearest(wanted: str, known: Iterable[str]) -> list[str]:
    """Those that a wrong name may have been meant for; none where it is like none of them."""
    by_letters = {name.lower(): name for name in known}
    return [by_letters[one] for one in difflib.get_close_matches(wanted.lower(), by_letters, n=3, cutoff=_NEAR)]


def near(wanted: str, known: Iterable[str]) -> Text:
    """Those nearest to a name that there is not, else some that there are."""
    known = list(known)
    return meant(nearest(wanted, known)) or try_one_of(known)


def meant(names: Sequence[str]) -> Text | None:
    found = ", ".join(names)
    return Text(en=f"did you mean {found}", ko=f"비슷한 것 중에서 고른다: {found}") if found else None


def try_one_of(names: Sequence[str]) -> Text:
    some = ", ".join(names[:_NAMED])
    return Text(en=f"try one of {some}", ko=f"이런 것으로 다시 묻는다: {some}")
