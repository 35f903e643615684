"""Text that a cluster chose, made harmless: one line, visible letters, bounded, and hidden parts as hashes."""

import hashlib
import re
import unicodedata
from typing import Final

NAME: Final = 253  # the longest name that the API allows
VALUE: Final = 253
KEY: Final = 317  # a DNS prefix, a slash and 63 letters
MESSAGE: Final = 300
REASON: Final = 1024  # some agents write JSON there, which a cut would break

HASH: Final = 9  # letters of a `short_hash`

CUT: Final = "…"

_KEPT: Final = 128  # letters of a text, and texts, that `Texts` keeps: at most a few megabytes
_MOST_KEPT: Final = 16384

# Control, format (bidirectional, zero-width, tags), surrogate, private and unassigned characters, and separators
# that end a line.
_DROPPED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks that draw nothing, so that text can hide in them: Hangul fillers, variation selectors, the
# grapheme joiner, Khmer inherent vowels, blank Braille.
_INVISIBLE: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_HASH: Final = re.compile(r"#[0-9a-f]{8}")
_URL: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<authority>[^/?#\s]+|#[0-9a-f]{8})(?P<path>[^?#\s]*)(?:[?#]\S*)?"
)
# What programs repeat of credentials in what they say: of a URL its user, its password and its query; a bearer token;
# the user and password of an Authorization header; and what stands behind a name and a sign (`password=...`,
# `"api_key": "..."`) or behind a flag of that name (`--token ...`). Quotes and backslashes stay, so that JSON in a
# message stays JSON.
_CREDENTIAL: Final = re.compile(
    r"(?<=://)[^\s/?#\"'<>\\]{1,500}@"
    r"|(?<=\?)[^\s?\"'<>\\]{1,2000}=[^\s\"'<>\\]*"
    r"|(?<=bearer )[\w.~+/=-]{8,}"
    r"|(?P<name>\b[\w.-]{0,40}(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key)[\"']?\s?[=:]\s?[\"']?"
    r"|\bauthorization[\"']?\s?[=:]\s?[\"']?basic\s"
    r"|--[\w-]{0,40}(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key)\s(?!-))"
    r"[^\s\"',;<>\\]+",
    re.IGNORECASE,
)


def clean(text: str, cap: int = VALUE) -> str:
    """The text on one line, without characters that are not seen, at most `cap` long; a cut shows as an ellipsis."""
    if len(text) <= cap and text.isascii() and text.isprintable():
        return text
    # Four times the cap is looked at: enough for what remains, and a megabyte costs nothing.
    kept = "".join(_visible(letter) for letter in text[: 4 * cap])
    if len(kept) <= cap and len(text) <= 4 * cap:
        return kept
    return kept[: cap - 1].rstrip() + CUT


class Texts:
    """`clean` with one cap, for texts of which a cluster has few: keys, values and reasons that every node repeats.

    The same text is the same object, so that ten thousand rows hold it once; one that is longer than any of them
    should be is not kept.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self.known: dict[str | None, str] = {}

    def __call__(self, text: str | None) -> str:
        """`known.get(text) or self(text)` is the same without a call, for loops over hundreds of labels a node."""
        return self.known.get(text) or self._cleaned(text or "")

    def _cleaned(self, text: str) -> str:
        cleaned = self._made(text)
        if len(text) <= _KEPT:
            if len(self.known) > _MOST_KEPT:
                self.known.clear()
            self.known[text] = cleaned
        return cleaned

    def _made(self, text: str) -> str:
        return clean(text, self._cap)


class Sentences(Texts):
    """The same of what programs say, without what they repeat of credentials."""

    def _made(self, text: str) -> str:
        return sentence(text, self._cap)


def sentence(text: str, cap: int = MESSAGE) -> str:
    """What a program says, cleaned, and without what it repeats of credentials."""
    return clean(without_credentials(text[: 4 * cap + 1]), cap)


def without_credentials(text: str) -> str:
    """The text with an ellipsis for each credential in it; a second time it changes nothing."""
    return _CREDENTIAL.sub(_hidden_credential, text)


def _hidden_credential(found: re.Match[str]) -> str:
    return (found["name"] or "") + CUT + ("@" if found[0].endswith("@") else "")


def _visible(letter: str) -> str:
    if letter in "\n\r\t\v\f\x85\u2028\u2029":
        return " "
    category = unicodedata.category(letter)
    if category in _DROPPED or _INVISIBLE.match(letter):
        return ""
    return " " if category == "Zs" else letter


def short_hash(text: str) -> str:
    """`#` and 8 hex digits, the same for the same text; a hash stays as it is."""
    if _HASH.fullmatch(text):
        return text
    return "#" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


class Names:
    """Whether names of hosts, buckets and accounts may be shown as they are."""

    def __init__(self, *, shown: bool = False) -> None:
        self.shown = shown

    def hidden(self, text: str) -> str:
        return text if self.shown or not text else short_hash(text)

    def without_authority(self, text: str) -> str:
        """The text with the host, bucket or account of each URL hidden, and its user, password and query gone."""
        return _URL.sub(self._hide, text) if "://" in text else text

    def _hide(self, url: re.Match[str]) -> str:
        return url["scheme"] + self.hidden(url["authority"].rpartition("@")[2]) + url["path"]
