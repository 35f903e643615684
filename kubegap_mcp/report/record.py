"""An incident record in one language: what a person reads of it, with the vocabulary's terms named."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from kubegap_checks.text import Lang
from kubegap_incidents.record import Incident
from kubegap_incidents.vocabulary import Listing, Term, vocabulary
from kubegap_mcp.report.words import cut


def record_in(record: Incident, lang: Lang) -> dict[str, Any]:
    """The whole record: every {en, ko} becomes its text, every vocabulary term {id, name}."""
    told = _in_language(record.model_dump(mode="json", by_alias=True, exclude_none=True), lang)
    told["symptoms"] = _terms("symptoms", record.symptoms, lang)
    told["components"] = _terms("components", record.components, lang)
    told["same_cause"] = _terms("groups", record.same_cause, lang)
    if record.trigger_class:
        told["trigger_class"] = _terms("triggers", (record.trigger_class,), lang)[0]
    for cause, told_cause in zip(record.causes, told.get("causes", []), strict=True):
        told_cause["class"] = _terms("causes", (cause.class_,), lang)[0]
    return {key: value for key, value in told.items() if value not in ([], {})}


def name_of(term: Term, lang: Lang) -> str:
    return term.ko if lang == "ko" else term.en


def names_of(listing: Listing, ids: Sequence[str], lang: Lang) -> list[str]:
    return [name_of(vocabulary().terms(listing)[term], lang) for term in ids]


def shortened(value: Any, letters: int, members: int) -> Any:  # noqa: ANN401 (JSON in, JSON out)
    """The same shape with texts and lists cut; a whole record may be more than an answer can hold."""
    if isinstance(value, str):
        return cut(value, letters)
    if isinstance(value, Mapping):
        return {key: shortened(item, letters, members) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [shortened(item, letters, members) for item in cast("list[object]", value)[:members]]
    return value


def _terms(listing: Listing, ids: Sequence[str], lang: Lang) -> list[dict[str, str]]:
    return [{"id": term, "name": name} for term, name in zip(ids, names_of(listing, ids, lang), strict=True)]


def _in_language(value: Any, lang: Lang) -> Any:  # noqa: ANN401 (JSON in, JSON out)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        if members.keys() == {"en", "ko"}:
            return members[lang]
        return {key: _in_language(item, lang) for key, item in members.items()}
    if isinstance(value, list):
        return [_in_language(item, lang) for item in cast("list[object]", value)]
    return value
