"""What a check is and what it says: findings, verdicts, citations, and how sure and how bad."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Run
from kubegap_checks.facts.read import Facts, Measure, Record, Unread, UnreadError
from kubegap_checks.limits import using
from kubegap_checks.text import Text

# A run gives the first four; `silenced` is for who tells of it: all findings are ones that the owner silenced.
Status = Literal["gap", "clear", "unknown", "not_applicable", "silenced"]
Seen = str | int | float | bool | None


class Severity(StrEnum):
    """How bad it is if it is true."""

    LOW = "low"  # hygiene
    MEDIUM = "medium"  # costs time, or hides a fault
    HIGH = "high"  # can stall or lose a whole run
    CRITICAL = "critical"  # a run is dying or data is being lost now

    @cached_property
    def rank(self) -> int:
        return list(Severity).index(self)


class Confidence(StrEnum):
    """How sure the observation makes it."""

    HINT = "hint"
    LIKELY = "likely"
    CERTAIN = "certain"

    @cached_property
    def rank(self) -> int:
        return list(Confidence).index(self)

    def at_most(self, *others: "Confidence") -> "Confidence":
        """As sure as the least sure of what a finding rests on."""
        return min((self, *others), key=lambda one: one.rank)


@dataclass(frozen=True, slots=True)
class Subject:
    """The one object that a finding is about."""

    kind: str
    name: str
    namespace: str | None = None

    @classmethod
    def of_run(cls, run: Run) -> "Subject":
        return cls(run.kind, run.name, run.namespace)

    def __str__(self) -> str:
        return "/".join(part for part in (self.kind, self.namespace, self.name) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One gap on one object, with the values that prove it.

    `says` is a lower-case fragment; `evidence` maps a field path to the value seen there; `key` tells apart
    several findings on one subject and is stable between runs; severity and confidence are the check's own
    unless the evidence says otherwise.
    """

    subject: Subject
    says: Text
    evidence: Mapping[str, Seen]
    key: str = ""
    since: str | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cite:
    """An incident that a check rests on, by its id in the library, and why it is cited."""

    incident: str
    because: Text


def _always(facts: Facts) -> bool:  # noqa: ARG001
    return True


@dataclass(frozen=True, kw_only=True)
class Check:
    """One gap: why it matters, how it is found, what to do, and what looks like it and is not.

    `module` is the rule file's `__name__`: the file name is the id. `applies` says whether the cluster has
    anything that the rule is about. `find` yields a finding for each gap and an Unread for each object that
    could not be judged; both may stop early with UnreadError, which makes the rest unknown.
    """

    module: str
    title: Text
    why: Text
    fix: Text
    severity: Severity
    confidence: Confidence
    reads: tuple[type[Record], ...]
    cites: tuple[Cite, ...]
    verify: tuple[str, ...]
    looks_like: tuple[Text, ...]
    find: Callable[[Facts], Iterator[Finding | Unread]]
    applies: Callable[[Facts], bool] = field(default=_always)

    @property
    def id(self) -> str:
        return ".".join(self.module.split(".")[-2:])

    @property
    def topic(self) -> str:
        return self.module.split(".")[-2]

    @property
    def measures(self) -> bool:
        """Whether it needs a source of metrics beside the objects."""
        return any(isinstance(record.KIND, Measure) for record in self.reads)

    def run(self, facts: Facts, thresholds: Mapping[str, float] = MappingProxyType({})) -> "Verdict":
        """The verdict on these facts, with the owner's thresholds where there are any.

        Taking any read away leaves it as it was or makes it unknown. A node of which nothing can be made is a doubt
        of its own, and hides no gap of the others.
        """
        with using(thresholds) as compared:
            verdict = facts.derive(self._run_once)
        return replace(verdict, thresholds=frozenset(compared))

    @cached_property
    def _run_once(self) -> Callable[[Facts], "Verdict"]:
        """Always the same function, by which a verdict is kept as any other conclusion from facts is."""
        return self._run

    def _run(self, facts: Facts) -> "Verdict":
        whole = facts.only(self.reads)
        facts = whole.understood(Node) if Node in self.reads else whole
        findings: list[Finding] = []
        unread = [] if facts is whole else list(whole.unread(Node))
        try:
            if not self.applies(facts) and not unread:
                return Verdict(check=self, status="not_applicable")
        except UnreadError as error:
            unread += error.unread
        try:
            for item in self.find(facts):
                if isinstance(item, Finding):
                    findings.append(item)
                else:
                    unread.append(item)
        except UnreadError as error:
            unread += error.unread
        status: Status = "gap" if findings else "unknown" if unread else "clear"
        told = sorted(dict.fromkeys(unread), key=lambda item: not item.cause)
        return Verdict(check=self, status=status, findings=tuple(findings), unread=tuple(told))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a check said; `thresholds` are the ids of those that it compared with on its way."""

    check: Check
    status: Status
    findings: tuple[Finding, ...] = ()
    unread: tuple[Unread, ...] = ()
    thresholds: frozenset[str] = frozenset()

    def id_of(self, finding: Finding) -> str:
        """`<check id>@<8 hex>`, the same in every run for the same subject and key."""
        digest = hashlib.sha256(f"{finding.subject}\0{finding.key}".encode()).hexdigest()
        return f"{self.check.id}@{digest[:8]}"

    def severity_of(self, finding: Finding) -> Severity:
        return finding.severity or self.check.severity

    def confidence_of(self, finding: Finding) -> Confidence:
        return finding.confidence or self.check.confidence
