"""The closed lists that records are described with, each term named and explained in both languages."""

import difflib
import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from kubegap_incidents import document
from kubegap_incidents.document import Said, Tree
from kubegap_incidents.text import Line, Text

Listing: TypeAlias = Literal["symptoms", "components", "causes", "triggers", "groups"]

_FILE = Path(__file__).parent / "vocabulary.yaml"


class UnknownTermError(LookupError):
    """A word that names no term of a list, or more than one; `near` are the terms that it may have meant."""

    def __init__(self, listing: Listing, given: str, near: tuple[str, ...]) -> None:
        super().__init__(listing, given, near)
        self.listing = listing
        self.given = given
        self.near = near

    def __str__(self) -> str:
        return f"`{self.given}` is not one of the {self.listing}; take one of {', '.join(self.near)}"


class Term(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    en: Line
    ko: Line  # not Korean: PCIe, DNS and etcd are written in Latin letters
    meaning: Text
    words: tuple[Line, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.id, self.en, self.ko)


class Vocabulary(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    symptoms: dict[str, Term]
    components: dict[str, Term]
    causes: dict[str, Term]
    triggers: dict[str, Term]
    groups: dict[str, Term]
    organizations: dict[str, tuple[Line, ...]]  # other names, by the name or the part of it that records use
    synonyms: tuple[tuple[Line, ...], ...]

    def terms(self, listing: Listing) -> Mapping[str, Term]:
        lists: dict[Listing, dict[str, Term]] = {
            "symptoms": self.symptoms,
            "components": self.components,
            "causes": self.causes,
            "triggers": self.triggers,
            "groups": self.groups,
        }
        return lists[listing]

    def resolve(self, listing: Listing, given: str) -> Term:
        """The term that `given` names: by id, by name in either language, or by a common word that only it has."""
        terms = self.terms(listing).values()
        wanted = _key(given)
        named = [term for term in terms if wanted in map(_key, term.names)]
        found = named or [term for term in terms if wanted in map(_key, term.words)]
        if len(found) == 1:
            return found[0]
        if not found:
            known = {_key(name): term for term in terms for name in (*term.names, *term.words)}
            found = [known[name] for name in difflib.get_close_matches(wanted, known, 5)] or list(terms)
        raise UnknownTermError(listing, given, tuple(dict.fromkeys(term.id for term in found)))


def _key(name: str) -> str:
    return re.sub(r"[^\w]|_", "", name.casefold())


@functools.cache
def vocabulary() -> Vocabulary:
    return parse(_FILE.name, _FILE.read_text(encoding="utf-8"))


def parse(name: str, text: str) -> Vocabulary:
    read = document.read(name, text)
    try:
        return Vocabulary.model_validate({listing: _with_ids(terms) for listing, terms in read.tree.items()})
    except ValidationError as invalid:
        first = invalid.errors(include_url=False)[0]
        problem = Said(first["msg"], f"값이 맞지 않음({first['msg']})")
        mend = Said("follow the terms around it", "앞뒤 용어의 꼴을 따른다")
        raise read.error(first["loc"], problem, mend) from invalid


def _with_ids(terms: Tree) -> Tree:
    if not isinstance(terms, dict):
        return terms
    return {key: {"id": key, **term} if isinstance(term, dict) else term for key, term in terms.items()}
