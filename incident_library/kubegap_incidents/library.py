"""All records, validated once, each found by its id or an alias and related to others by cause."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kubegap_incidents import record
from kubegap_incidents.document import Said
from kubegap_incidents.record import Incident, RecordError
from kubegap_incidents.vocabulary import Term, vocabulary

_RECORDS = Path(__file__).parent / "records"
_TEMPLATE = Path(__file__).parent / "template.yaml"


class Related(NamedTuple):
    incident: Incident
    cause: Term  # the same-cause group, or the cause class where no group is shared
    components: tuple[Term, ...]  # what both of them hit


class Library:
    def __init__(self, incidents: Iterable[Incident]) -> None:
        by_id = dict[str, Incident]()
        by_name = dict[str, Incident]()
        for incident in incidents:
            for name in (incident.id, *incident.aliases):
                if (other := by_name.setdefault(name.casefold(), incident)) is not incident:
                    problem = Said(f"{name} is already {other.id}", f"{name}: 이미 {other.id}의 이름임")
                    raise RecordError(
                        f"{incident.id}.yaml", None, problem, Said("choose another", "다른 것으로 고친다")
                    )
            by_id[incident.id] = incident
        self._by_id: Mapping[str, Incident] = MappingProxyType(dict(sorted(by_id.items())))
        self._by_name: Mapping[str, Incident] = MappingProxyType(by_name)

    def __iter__(self) -> Iterator[Incident]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def ids(self) -> tuple[str, ...]:
        return tuple(self._by_id)

    def by_id(self, name: str) -> Incident | None:
        """The record with this id or alias, in any case."""
        return self._by_name.get(name.strip().casefold())

    def related(self, incident: Incident) -> list[Related]:
        """Records of the same group first, then those where the same class of cause hit the same component."""
        by_group, by_class = list[Related](), list[Related]()
        words = vocabulary()
        for other in self:
            if other.id == incident.id or other.withdrawn:
                continue
            shared = [term for term in incident.components if term in other.components]
            components = tuple(words.components[term] for term in shared)
            groups = [term for term in incident.same_cause if term in other.same_cause]
            classes = [term for term in incident.cause_classes if term in other.cause_classes]
            if groups:
                by_group.append(Related(other, words.groups[groups[0]], components))
            elif classes and components:  # a class alone, such as "hardware fault", would relate everything
                by_class.append(Related(other, words.causes[classes[0]], components))
        return [
            found
            for nearest in (by_group, by_class)
            for found in sorted(nearest, key=lambda related: -len(related.components))
        ]


def load(today: dt.date) -> Library:
    """The packaged records; reads them anew at each call, so whoever asks keeps the answer."""
    return Library(record.read(file, today) for file in files())


def files() -> list[Path]:
    """Where the packaged records stand."""
    return sorted(_RECORDS.glob("*.yaml"))


def template() -> str:
    """A record with every part, to start one's own from."""
    return _TEMPLATE.read_text(encoding="utf-8")
