"""Names that a person gave, told back: cut to a length, and with those that they may have meant."""

import difflib
from collections.abc import Iterable

from kubegap_checks.text import Text

_LETTERS = 60


def quoted(name: str) -> str:
    return repr(name[:_LETTERS])


def near(wanted: str, known: Iterable[str]) -> Text:
    """Those nearest to a name that there is not, else some that there are."""
    known = list(known)
    found = ", ".join(difflib.get_close_matches(wanted, known, n=3, cutoff=0.3))
    if found:
        return Text(en=f"did you mean {found}", ko=f"비슷한 것 중에서 고른다: {found}")
    some = ", ".join(known[:5])
    return Text(en=f"try one of {some}", ko=f"이런 것으로 다시 묻는다: {some}")
