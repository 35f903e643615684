"""What is derived from facts is drawn once a reading, and never stands for what it was not drawn from."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from msgspec.structs import replace

from kubegap_checks import catalog
from kubegap_checks.facts.derived import derived, each_derived, row_derived
from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Derived, Facts, Partial, UnreadError
from kubegap_checks.facts.storage import Claim
from kubegap_checks.limits import using
from kubegap_checks.signals.thresholds import threshold
from tests.checks.build import READ_AT, claim, damaged, facts, forbidden, node, pod
from tests.checks.test_reads import CLUSTERS

DRAWN: list[str] = []
PEERS = "gpu_peers_min"


@pytest.fixture(autouse=True)
def _nothing_drawn() -> None:
    DRAWN.clear()


@derived
def names(facts: Facts) -> tuple[str, ...]:
    DRAWN.append("names")
    return tuple(node.name for node in facts.known(Node))


@derived
def names_and_claims(facts: Facts) -> int:
    DRAWN.append("both")
    return len(names(facts)) + len(facts.known(Claim))


@each_derived
def pods(facts: Facts) -> Iterator[str]:
    DRAWN.append("pods")
    for found in facts.seen(Pod):
        yield found.name


@derived
def many(facts: Facts) -> bool:
    DRAWN.append("many")
    return len(facts.known(Node)) > threshold(PEERS).value


@derived
def more_than_many(facts: Facts) -> bool:
    return many(facts)


def test_it_is_drawn_once_for_all_views_that_show_it_the_same():
    one = facts(node("gpu-1"), pod("a"))

    assert names(one) == names(one.only({Node})) == names(one.only({Node, Claim})) == names(one.within("ml"))
    assert names(one.but(Pod, forbidden(Pod))) == ("gpu-1",)
    assert DRAWN == ["names"]


def test_it_is_drawn_anew_where_what_it_looked_at_differs():
    one = facts(node("gpu-1"))
    other = one.but(Node, (node("gpu-2"),))

    assert (names(one), names(other), names(one)) == (("gpu-1",), ("gpu-2",), ("gpu-1",))
    assert DRAWN == ["names", "names"]


def test_the_same_rows_stand_for_less_where_some_are_lost():
    one = facts(node("gpu-1"))
    assert names(one) == ("gpu-1",)

    with pytest.raises(UnreadError):
        names(one.but(Node, Partial(one.known(Node), (forbidden(Node),))))


def test_views_that_take_what_is_understood_for_all_are_the_same():
    lost = Partial((node("gpu-1"),), (damaged(Node),))
    one = facts().but(Node, lost)

    assert names(one.understood(Node)) == names(one.only({Node}).understood(Node)) == ("gpu-1",)
    with pytest.raises(UnreadError):
        names(one)
    assert DRAWN == ["names", "names"]


def test_another_reading_is_drawn_anew():
    names(facts(node("gpu-1")))

    assert names(facts(node("gpu-2"))) == ("gpu-2",)


def test_what_could_not_be_read_is_raised_each_time():
    one = facts().but(Node, forbidden(Node))

    for _ in range(2):
        with pytest.raises(UnreadError) as error:
            names(one)
        assert error.value.unread == (forbidden(Node),)
    assert DRAWN == ["names"]


def test_what_yields_gives_what_was_seen_and_then_raises_each_time():
    one = facts().but(Pod, Partial((pod("a"), pod("b")), (forbidden(Pod),)))

    for _ in range(2):
        seen = pods(one)
        assert [next(seen), next(seen)] == ["a", "b"]
        with pytest.raises(UnreadError):
            next(seen)
    assert any(pods(one))
    assert DRAWN == ["pods"]


def test_another_error_is_not_kept():
    one = facts(node("gpu-1"))
    with pytest.raises(LookupError):
        names(one.only({Claim}))

    assert names(one) == ("gpu-1",)


def test_it_rests_on_what_that_rests_on_from_which_it_is_drawn():
    one = facts(node("gpu-1"), claim())
    names(one)
    assert names_and_claims(one) == 2
    assert names_and_claims(one.but(Node, ())) == 1
    assert DRAWN == ["names", "both", "both", "names"]


@pytest.mark.parametrize("function", [many, more_than_many])
def test_an_own_threshold_holds_for_its_run_alone_and_every_run_notes_what_it_rests_on(
    function: Callable[[Facts], bool],
):
    one = facts(node("gpu-1"), node("gpu-2"))

    for own, expected in ((None, False), (1, True), (None, False), (1, True), (2, False)):
        with using({} if own is None else {PEERS: own}) as asked:
            assert function(one) is expected
        assert asked == {PEERS}
    assert DRAWN == ["many"] * 3


def test_other_own_thresholds_change_nothing():
    one = facts(node("gpu-1"))
    many(one)

    with using({"shm_default": 1}):
        many(one)
    assert DRAWN == ["many"]


def test_what_is_kept_of_one_function_has_an_end():
    one = facts(node("gpu-1"))
    rows = [(node(f"gpu-{number}"),) for number in range(20)]
    for one_row in rows:
        names(one.but(Node, one_row))
    DRAWN.clear()

    for one_row in reversed(rows[-8:]):
        names(one.but(Node, one_row))
    assert DRAWN == []
    names(one.but(Node, rows[0]))
    assert DRAWN == ["names"]


def test_it_may_not_look_at_the_facts_after_it_has_ended():
    """A later look would not be among what the result rests on."""

    @derived
    def late(facts: Facts) -> Iterator[Node]:
        return facts.seen(Node)

    with pytest.raises(RuntimeError):
        next(late(facts(node("gpu-1"))))


def test_what_asks_which_kinds_there_are_is_drawn_anew():
    @derived
    def kinds(facts: Facts) -> int:
        return len(facts.kinds)

    one = facts(node("gpu-1"))
    assert kinds(one.only({Node})) == 1
    assert kinds(one.only({Node, Claim})) == 2


def test_checks_at_the_same_time_each_get_what_holds_for_them():
    one = facts(*(node(f"gpu-{number}") for number in range(3)))
    together = Barrier(8)

    def ask(own: float) -> list[bool]:
        together.wait(timeout=10)
        answers: list[bool] = []
        for _ in range(50):
            with using({PEERS: own}):
                answers.append(more_than_many(one))
        return answers

    with ThreadPoolExecutor(8) as threads:
        assert [set(found) for found in threads.map(ask, [1, 2, 3, 4] * 2)] == [{True}, {True}, {False}, {False}] * 2


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_check_says_the_same_alone_and_after_all_others(cluster: str):
    rows = CLUSTERS[cluster]
    shared = alone(rows)
    for check in catalog.load():
        assert check.run(shared) == check.run(alone(rows))


def alone(facts: Facts) -> Facts:
    """The same facts as another reading."""
    rows = {kind: facts._rows_of(kind) for kind in facts.kinds}  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return Facts(rows, read_at=facts.read_at)


@derived
def moment(facts: Facts) -> str:
    DRAWN.append("moment")
    return f"{facts.read_at:%H:%M}"


@derived
def names_at(facts: Facts) -> tuple[str, str]:
    DRAWN.append("names at")
    return moment(facts), names(facts)[0]


def test_readings_that_were_given_the_same_rows_share_what_was_concluded():
    shared, rows = Derived(), {Node: (node("gpu-1"),)}
    one, later = (Facts(rows, read_at=READ_AT + timedelta(hours=hours), derived=shared) for hours in (0, 1))

    assert names(one) == names(later) == ("gpu-1",)
    assert DRAWN == ["names"]
    assert names(Facts({Node: (node("gpu-2"),)}, read_at=READ_AT, derived=shared)) == ("gpu-2",)


def test_what_asked_for_the_time_is_drawn_anew_for_another_time():
    shared, rows = Derived(), {Node: (node("gpu-1"),)}
    one, later = (Facts(rows, read_at=READ_AT + timedelta(hours=hours), derived=shared) for hours in (0, 1))

    assert names_at(one)[0] != names_at(later)[0]
    assert DRAWN == ["names at", "moment", "names", "names at", "moment"]
    assert names_at(one)[0] == moment(one)


@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS)
def test_a_verdict_is_kept_too(cluster: Facts):
    for check in catalog.load():
        first = check.run(cluster)
        assert check.run(cluster) == first
        assert check.run(cluster).findings is first.findings


@row_derived
def loud(row: Node) -> str:
    DRAWN.append(row.name)
    return row.name.upper()


def test_what_is_concluded_from_one_row_lives_with_the_row():
    row = node("gpu-1")

    assert loud(row) == loud(row) == "GPU-1"
    assert loud(replace(row, name="gpu-2")) == "GPU-2"
    assert row == node("gpu-1")
    assert DRAWN == ["gpu-1", "gpu-2"]
