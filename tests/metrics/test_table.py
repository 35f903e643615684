"""Every expression of the table is one that a real Prometheus can run, and finds what it is meant to find."""

from collections.abc import Iterator

import pytest
from metrics.conftest import AT, Open
from metrics.fake_source import AT_S
from metrics.prometheus_server import needed, started
from metrics.table_samples import COURSES, names, openmetrics

from kubegap_checks.facts.metrics import Exported, ExporterSeen, Measured, measured_records
from kubegap_checks.signals.quantities import metric_exporters
from kubegap_mcp.metrics.plan import Plan, plan
from kubegap_mcp.metrics.port import MetricsSource
from kubegap_mcp.metrics.promql import TERM


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a Prometheus that holds every series of the table."""
    needed()
    with started(openmetrics(AT_S), tmp_path_factory.mktemp("table")) as url:
        yield url


async def found(source: MetricsSource, made: Plan) -> set[str]:
    """The ids of the terms that the answers hold."""
    label = "__name__" if made.record is Exported else TERM
    answers = [await source.ask(query, at=AT, deadline_s=20) for query in made.queries]
    assert not [lack for answer in answers for lack in answer.lacks]
    return {series.labels[label] for answer in answers for series in answer.series}


def asked(made: Plan) -> set[str]:
    if made.record is ExporterSeen:
        return {f"{one.id}/{name}" for one in metric_exporters() for name in one.witness}
    return set(made.terms)


@pytest.mark.parametrize("record", measured_records())
async def test_each_term_of_a_group_finds_its_series_among_those_of_the_owners_selector(
    samples: str, source: Open, record: type[Measured]
) -> None:
    prometheus = source(samples)
    given: set[str] = set()
    for course in COURSES:
        given |= await found(prometheus, plan(record, names(), f'course="{course}"'))
    assert given == asked(plan(record, names(), ""))


@pytest.mark.parametrize("record", measured_records())
async def test_a_selector_that_selects_nothing_leaves_nothing(
    samples: str, source: Open, record: type[Measured]
) -> None:
    assert await found(source(samples), plan(record, names(), 'course="of another cluster"')) == set()


@pytest.mark.parametrize("record", measured_records())
async def test_each_group_is_understood_without_a_selector(samples: str, source: Open, record: type[Measured]) -> None:
    made = plan(record, names(), "")
    assert await found(source(samples), made) <= asked(made)
