"""Where nothing in a source is fresh, that is told as the cause, and not each thing that lacks because of it."""

from typing import Any

import pytest
from metrics.answers import CLUSTER, CUT, DOWNED, TIMED_OUT, WHERE, answered, counted, lost

from kubegap_checks.facts.metrics import Exported, ExporterSeen, LinkErrors
from kubegap_checks.facts.read import Unread
from kubegap_mcp.metrics.plan import plan
from kubegap_mcp.metrics.port import Answer, Series
from kubegap_mcp.metrics.rows import Answered, rows


def exported(*some: Series, **more: Any) -> Answered:
    return answered(Exported, DOWNED, *some, **more)


NOTHING = Answer()
OLD = Series(labels={"kubegap": "node_exporter/node_uname_info", "nodename": "gpu-1"}, points=((7200, 3600),))
FRESH = Series(labels={"kubegap": "node_exporter/node_uname_info", "nodename": "gpu-1"}, points=((7200, 7170),))


def of_all(told: Answered, *heard: Series, where: Answer = NOTHING, selector: str = "") -> dict[Any, Any]:
    seen = answered(ExporterSeen, "node_uname_info", *heard)
    return rows(
        {LinkErrors: answered(LinkErrors, DOWNED), ExporterSeen: seen, Exported: told}, where, CLUSTER, selector
    )


def test_where_nothing_is_fresh_this_is_told_of_everything_and_since_when():
    found = of_all(exported(), OLD)

    (cause,) = {lost(made) for made in found.values()}
    assert cause.cause
    assert cause.what.en == "what exporters publish now (newest sample: 1970-01-01T01:00:00Z)"


@pytest.mark.parametrize(
    ("told", "heard", "where"),
    [
        pytest.param(exported(counted(DOWNED, node="gpu-1")), (OLD,), NOTHING, id="something is published"),
        pytest.param(exported(), (OLD, FRESH), NOTHING, id="an exporter is heard"),
        pytest.param(exported(), (OLD,), WHERE, id="nodes are told"),
        pytest.param(exported(unread=(TIMED_OUT,)), (OLD,), NOTHING, id="not all could be asked"),
        pytest.param(answered(Exported, "up"), (OLD,), NOTHING, id="there is nothing to ask for"),
        pytest.param(
            Answered(plan=plan(Exported, frozenset({DOWNED}), ""), answers=(Answer(lacks=(CUT,)),)),
            (OLD,),
            Answer(),
            id="a part of the source did not answer",
        ),
    ],
)
def test_where_anything_may_be_fresh_nothing_of_the_kind_is_said(
    told: Answered, heard: tuple[Series, ...], where: Answer
):
    found = of_all(told, *heard, where=where)
    assert not any(isinstance(made, Unread) and made.cause for made in found.values())


def test_a_selector_that_picks_nothing_is_named():
    (cause,) = {lost(made) for made in of_all(exported(), selector='cluster="typo"').values()}
    assert cause.remedy.en.startswith("no fresh series has the labels that selector under [prometheus] asks for")


def test_a_selector_that_picked_something_an_hour_ago_is_not_at_fault():
    (cause,) = {lost(made) for made in of_all(exported(), OLD, selector='cluster="a"').values()}
    assert "newest sample" in cause.what.en
