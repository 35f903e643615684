"""What else a word of a query may mean: other words for the same thing, and the organization that it names."""

import functools
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from kubegap_incidents import words
from kubegap_incidents.spelling import Spelling
from kubegap_incidents.vocabulary import Vocabulary, vocabulary

# A synonym is weaker evidence than the word itself; another name of an organization is as good as its own.
_SYNONYM = 0.5
NAME = 1.0
_LONGEST = 3  # words of a phrase
_SHORTEST_MISSPELT = 6  # parts of letters; 쿠버네티즈 has ten, and below six too much is near
# ㅜ to ㅝ, ㅗ to ㅘ, ㅣ to ㅕ, ㅡ to ㅓ, as the vowel of a verb's stem joins that of an ending.
_CONTRACTED = {0x116E: 0x116F, 0x1169: 0x116A, 0x1175: 0x1167, 0x1173: 0x1165}


class Meaning(NamedTuple):
    """Another way to say a word, for which a record must hold all the terms."""

    name: str
    terms: tuple[str, ...]
    worth: float


class _Hangul(NamedTuple):
    """A member of a group as Hangul, decomposed into the parts of letters."""

    pattern: str
    kind: Literal["noun", "verb", "name"]
    letters: int
    group: int


class Lexicon:
    def __init__(self, known: Vocabulary) -> None:
        self._groups: list[list[Meaning]] = []
        self._latin = defaultdict[tuple[str, ...], list[int]](list)
        self._hangul = defaultdict[str, list[_Hangul]](list)  # by the first part of the first letter
        for members in known.synonyms:
            self._add(members, [_synonym(member) for member in members], "noun")
        for organization, names in known.organizations.items():
            meaning = Meaning(organization, (organization_term(organization),), NAME)
            self._add((organization, *names), [meaning], "name")
        nouns = [hangul for listed in self._hangul.values() for hangul in listed if hangul.kind != "verb"]
        self._spelling = Spelling(noun.pattern for noun in nouns)

    def _add(self, members: Sequence[str], meanings: Sequence[Meaning], kind: Literal["noun", "name"]) -> None:
        group = len(self._groups)
        self._groups.append([meaning for meaning in meanings if meaning.terms])
        for member in members:
            parts = words.split(member)
            if not all(map(words.is_hangul, parts)):
                self._latin[tuple(map(_key, parts))].append(group)
                continue
            joined = "".join(parts)
            for pattern in _verb_patterns(joined) if _is_verb(joined) else [_decomposed(joined)]:
                hangul = _Hangul(pattern, "verb" if _is_verb(joined) else kind, len(joined), group)
                self._hangul[pattern[0]].append(hangul)

    def meanings(self, typed: Sequence[str]) -> list[list[Meaning]]:
        """For each word, what else it, or a phrase that it is in, may mean."""
        found: list[dict[Meaning, None]] = [{} for _ in typed]
        for start in range(len(typed)):
            for end in range(start + 1, min(start + _LONGEST, len(typed)) + 1):
                for group in self._named(typed[start:end]):
                    for word in range(start, end):
                        found[word].update(dict.fromkeys(self._groups[group]))
        return [list(meanings) for meanings in found]

    def verb_stem(self, word: str) -> str:
        """The letters of the word that the forms of a known verb have in common; none if it is no such verb."""
        typed = _decomposed(word)
        verbs = (hangul for hangul in self._hangul.get(typed[0], ()) if hangul.kind == "verb" and _says(word, hangul))
        return max((_stem_in(word, verb) for verb in verbs), key=len, default="")

    def _named(self, phrase: Sequence[str]) -> Iterable[int]:
        if not all(map(words.is_hangul, phrase)):
            return self._latin.get(tuple(map(_key, phrase)), ())
        joined = "".join(phrase)
        first = _decomposed(joined)[0]
        before = _decomposed("".join(phrase[:-1]))
        known = [hangul for hangul in self._hangul.get(first, ()) if _says(joined, hangul)]
        core = _decomposed(words.bare(joined))
        if not known and not before and len(core) >= _SHORTEST_MISSPELT:
            near = set(self._spelling.near(core))
            known = [hangul for hangul in chain(*self._hangul.values()) if hangul.pattern in near]
        # What the words before the last one say by themselves has been found with them.
        return [hangul.group for hangul in known if len(hangul.pattern) > len(before)]


def organization_term(organization: str) -> str:
    """No word of a text is the same."""
    return f"@{organization}"


def _synonym(member: str) -> Meaning:
    parts = words.split(member)
    if _is_verb(parts[-1]):
        # The stem: a two-letter verb has one letter of it, and no pair of letters to look for.
        parts[-1] = parts[-1][:-1]
    terms = [term for part in parts for term in (words.pairs(part) if words.is_hangul(part) else [words.stem(part)])]
    return Meaning(member, tuple(terms), _SYNONYM)


def _key(word: str) -> str:
    return words.bare(word) if words.is_hangul(word) else words.stem(word)


def _is_verb(word: str) -> bool:
    return words.is_hangul(word) and len(word) > 1 and word.endswith("다")


def _verb_patterns(verb: str) -> list[str]:
    """What the forms of a verb begin with: 멈추 (멈춘, 멈추면) and 멈춰 (멈췄다) for 멈추다."""
    stem = _decomposed(verb[:-1])
    contracted = stem[:-1] + stem[-1].translate(_CONTRACTED)
    return list(dict.fromkeys((stem, contracted)))


def _says(joined: str, hangul: _Hangul) -> bool:
    if not _decomposed(joined).startswith(hangul.pattern):
        return False
    if hangul.kind == "verb":
        return True
    # 노드 has a final consonant in 노든, and is not said there.
    if len(_decomposed(joined[: hangul.letters])) != len(hangul.pattern):
        return False
    rest = joined[hangul.letters :]
    # A noun may begin a longer one, but 메타데이터 is not Meta, and a noun of one letter begins too many.
    return not rest or words.is_particle(rest) or (hangul.kind == "noun" and hangul.letters > 1)


def _stem_in(word: str, verb: _Hangul) -> str:
    stem = word[: verb.letters - 1]
    # In a contracted form the last letter is another: 사라졌다, 사라지다.
    return stem if _decomposed(stem) == verb.pattern else stem[:-1]


def _decomposed(hangul: str) -> str:
    return unicodedata.normalize("NFD", hangul)


@functools.cache
def lexicon() -> Lexicon:
    return Lexicon(vocabulary())


def organizations_of(name: str, known: Vocabulary) -> list[str]:
    """The organizations of the vocabulary that stand in a record's `organization`."""
    said = _whole_words(name)
    return [organization for organization in known.organizations if _whole_words(organization) in said]


@functools.lru_cache(1024)
def _whole_words(name: str) -> str:
    return f" {' '.join(words.split(name))} "
