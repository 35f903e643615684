"""Facts of one reading of a cluster: rows by kind, where a kind that could not be read is never an empty one."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final, Literal, TypeVar, Union, cast

from msgspec import Struct
from msgspec.structs import replace

from kubegap_checks import limits
from kubegap_checks.text import Text

Reason = Literal[
    "forbidden",  # the cluster's access control refused the read
    "not_in_snapshot",  # the snapshot holds no object of the kind and does not say that there are none
    "timed_out",
    "unreachable",
    "no_metrics_source",
    "stale",  # the value was read, and is too old to be believed
    "invalid",  # the object was read, and does not carry a usable value, or it stands where nothing looks
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """One thing that could not be seen, why, and the smallest grant or setting that would make it known.

    A `cause` may be why other things are unread too, and is told before them. A dataclass on purpose: a pydantic model
    iterates, so `x in unread` would be False instead of an error.
    """

    what: Text
    reason: Reason
    remedy: Text
    cause: bool = False


class UnreadError(Exception):
    """A rule touched something that could not be read; `Check.run` turns it into the verdict unknown."""

    def __init__(self, *unread: Unread) -> None:
        super().__init__(", ".join(item.what.en for item in unread))
        self.unread = unread


T = TypeVar("T")


def came(rows: Iterable[T]) -> tuple[list[T], tuple[Unread, ...]]:
    """What came before an UnreadError, and why the rest did not: one finding shows whatever else is unread."""
    found: list[T] = []
    try:
        for row in rows:
            found.append(row)  # noqa: PERF402 (what came before the error is kept)
    except UnreadError as error:
        return found, error.unread
    return found, ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """An API resource that kubegap reads, as discovery, the gate and RBAC name it."""

    name: str
    plural: str
    group: str = ""
    versions: tuple[str, ...] = ("v1",)  # best first; those that discovery does not offer are passed over
    namespaced: bool = False
    # Objects of people's work (pods, claims), which an ML engineer may read in some namespaces only. Other
    # namespaced kinds belong to the platform and are read in all namespaces or not at all.
    workload: bool = False
    page: int = 500  # objects a page; fewer where one object is large
    select: str = ""  # a field selector that leaves out what no fact needs

    @property
    def resource(self) -> str:
        """The name RBAC and error messages use: `pods`, `wekaclusters.weka.weka.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


class Remembers(Struct, frozen=True, dict=True):
    """A row or a container, with room beside its fields for what is concluded from it alone (`derived.row_derived`).

    Facts are structs of msgspec, not dataclasses: one is made in an eighth of the time, and there are hundreds of
    thousands.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Kind):
    """What a metrics source is asked for instead of the API server: the quantities of one group of the table.

    `of` says what a value belongs to: a node, a pod with accelerators, a claim, or the cluster as a whole.
    """

    of: Literal["node", "pod", "claim", "cluster"]

    @property
    def resource(self) -> str:
        """As answers name it: `metrics/link_errors`."""
        return f"metrics/{self.plural}"


class Record(Remembers, frozen=True, kw_only=True):
    """One object of a kind, reduced to the fields that rules use."""

    KIND: ClassVar[Kind]


R = TypeVar("R", bound=Record)

_MOST_KEPT: Final = 8  # results of one function: views of one reading that differ in what it looks at are few


class Partial(Struct, frozen=True):
    """Rows of the namespaces that could be read, beside what could not be.

    `asked_for` is True when the person asked for just these namespaces: then going through the rows is
    complete for the question, while a claim about the whole cluster still is not.
    """

    rows: tuple[Record, ...]
    unread: tuple[Unread, ...]
    asked_for: bool = False
    understood: bool = False  # these rows will do for all: what lacks is a few objects that made no sense


Rows = Union[tuple[Record, ...], Partial, Unread]  # noqa: UP007 (an alias that 3.11 evaluates at run time)


class _Trace:
    """Which rows a function looked at while it drew its conclusion, and whether it asked what time it was."""

    def __init__(self) -> None:
        self.rows: dict[tuple[type[Record], int], tuple[type[Record], Rows]] = {}
        self.at: datetime | None = None
        self._over = False

    def note(self, record: type[Record], rows: Rows) -> None:
        if self._over:
            raise RuntimeError("what is derived from facts looked at them again later, where nobody sees of what")
        self.rows[record, id(rows)] = (record, rows)

    def end(self) -> None:
        self._over = True


@dataclass(frozen=True, slots=True)
class _Kept:
    """A result, or what could not be read instead, with all that it rests on: rows, own thresholds, the time."""

    rows: tuple[tuple[type[Record], Rows], ...]
    own: Mapping[str, float | None]
    at: datetime | None  # None where it did not ask
    value: object = None
    unread: tuple[Unread, ...] | None = None


class Derived:
    """What was concluded from rows, for all readings that have the same ones; to be dropped when those are.

    Only ever whole tuples are put in: threads may do work twice, not wrongly.
    """

    def __init__(self) -> None:
        self.kept: dict[Callable[[Facts], object], tuple[_Kept, ...]] = {}


class Facts:
    """One reading of a cluster; the only two ways to a row are `seen` and `known`, so nothing unread looks empty."""

    def __init__(self, rows: Mapping[type[Record], Rows], *, read_at: datetime, derived: Derived | None = None) -> None:
        self._rows = rows
        self._read_at = read_at
        self._derived = derived or Derived()  # shared by all views too
        self._trace: _Trace | None = None

    @property
    def read_at(self) -> datetime:
        if self._trace is not None:
            self._trace.at = self._read_at
        return self._read_at

    def derive(self, function: "Callable[[Facts], T]") -> T:
        """`function` of these facts, drawn once for all views of one reading in which it would come out the same.

        It would where each row that it looked at, and each own threshold that it asked for, is the same. What it
        makes must not keep the facts: reading them later raises RuntimeError.
        """
        found = self._found(function) or self._drawn(function)
        limits.note(found.own)
        if self._trace is not None:
            self._trace.at = found.at or self._trace.at
            for record, rows in found.rows:
                self._trace.note(record, rows)
        if found.unread is not None:
            raise UnreadError(*found.unread)
        return cast("T", found.value)

    def _found(self, function: "Callable[[Facts], object]") -> _Kept | None:
        return next((one for one in self._derived.kept.get(function, ()) if self._holds(one)), None)

    def _drawn(self, function: "Callable[[Facts], object]") -> _Kept:
        trace = _Trace()
        value, unread = None, None
        with limits.noted() as asked:
            try:
                value = function(self._view(self._rows, trace))
            except UnreadError as error:
                unread = error.unread
            finally:
                trace.end()
        drawn = _Kept(tuple(trace.rows.values()), limits.own_values(asked), trace.at, value, unread)
        kept = self._derived.kept
        kept[function] = (drawn, *kept.get(function, ())[: _MOST_KEPT - 1])
        return drawn

    def _holds(self, kept: _Kept) -> bool:
        return (
            kept.at in (None, self._read_at)
            and all(_same(self._rows.get(record), rows) for record, rows in kept.rows)
            and limits.own_values(kept.own) == kept.own
        )

    def _view(self, rows: Mapping[type[Record], Rows], trace: _Trace | None = None) -> "Facts":
        view = Facts(rows, read_at=self._read_at, derived=self._derived)
        view._trace = trace or self._trace
        return view

    def seen(self, record: type[R]) -> Iterator[R]:
        """Each row that could be read; where that was not all of them, UnreadError comes after the last.

        For looking whether something exists: `any(...)` over it is True as soon as one is seen, and never
        False unless everything was.
        """
        rows = self._of(record)
        if isinstance(rows, Unread):
            raise UnreadError(rows)
        if isinstance(rows, Partial):
            yield from cast("tuple[R, ...]", rows.rows)
            if not (rows.asked_for or rows.understood):
                raise UnreadError(*rows.unread)
            return
        yield from cast("tuple[R, ...]", rows)

    def known(self, record: type[R]) -> tuple[R, ...]:
        """All rows of the whole cluster, or UnreadError: for guards, counts and everything that rests on absence."""
        rows = self._of(record)
        if isinstance(rows, Unread):
            raise UnreadError(rows)
        if isinstance(rows, Partial):
            if not rows.understood:
                raise UnreadError(*rows.unread)
            return cast("tuple[R, ...]", rows.rows)
        return cast("tuple[R, ...]", rows)

    def unread(self, record: type[Record]) -> tuple[Unread, ...]:
        """What could not be read of a kind; empty where all of it was."""
        rows = self._of(record)
        if isinstance(rows, Unread):
            return (rows,)
        return rows.unread if isinstance(rows, Partial) else ()

    def understood(self, record: type[Record]) -> "Facts":
        """The same facts where the objects of a kind that could be understood stand for all, if only nonsense lacks.

        `unread` still tells what lacks: for what rests on the objects that were left out, such as a majority.
        """
        rows = self._of(record)
        if isinstance(rows, Partial) and rows.rows and all(item.reason == "invalid" for item in rows.unread):
            return self.but(record, replace(rows, understood=True))
        return self

    def only(self, records: Collection[type[Record]]) -> "Facts":
        """The same facts with every other kind out of reach, so that a check reads what it says it reads."""
        return self._view({record: self._rows_of(record) for record in records})

    def within(self, namespace: str) -> "Facts":
        """The same facts with people's work in other namespaces left out."""

        def inside(rows: Rows) -> Rows:
            if isinstance(rows, Unread):
                return rows
            kept = rows.rows if isinstance(rows, Partial) else rows
            kept = tuple(row for row in kept if getattr(row, "namespace", namespace) == namespace)
            return replace(rows, rows=kept) if isinstance(rows, Partial) else kept

        work = {record: inside(rows) for record, rows in self._rows.items() if record.KIND.workload}
        return self._view({**self._rows, **work})

    def but(self, record: type[Record], rows: Rows) -> "Facts":
        """The same facts with one kind's rows replaced."""
        return self.beside({record: rows})

    def beside(self, rows: Mapping[type[Record], Rows]) -> "Facts":
        """The same facts with the rows of other kinds beside them, or in their place."""
        return self._view({**self._rows, **rows})

    @property
    def kinds(self) -> frozenset[type[Record]]:
        if self._trace is not None:
            self._trace.note(Record, ())  # which no reading has: what rests on this is drawn anew each time
        return frozenset(self._rows)

    def _of(self, record: type[Record]) -> Rows:
        rows = self._rows_of(record)
        if self._trace is not None:
            self._trace.note(record, rows)
        return rows

    def _rows_of(self, record: type[Record]) -> Rows:
        try:
            return self._rows[record]
        except KeyError:
            raise LookupError(f"{record.__name__} was not asked for: add it to the check's reads") from None


def _same(some: Rows | None, other: Rows) -> bool:
    """Whether they are one object, or two that say the same of the very same rows: no row is compared."""
    if isinstance(some, Partial) and isinstance(other, Partial):
        return some.rows is other.rows and replace(some, rows=()) == replace(other, rows=())
    return some is other
