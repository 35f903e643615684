"""Whatever may not be read of a whole cluster, no verdict turns into another one: it stays, or it is unknown."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubegap_checks import catalog
from kubegap_checks.facts.read import Facts, Partial, Record, Rows
from kubegap_checks.model import Finding, Verdict
from kubegap_mcp.app import Kubegap
from kubegap_mcp.cluster import Ask
from kubegap_mcp.settings import Settings
from tests.checks.build import damaged, forbidden
from tests.whole_clusters.clusters import HEALTHY
from tests.whole_clusters.objects import write

# Those that rest on objects alone: tests/metrics/ tries the others.
CHECKS = tuple(check for check in catalog.load() if not check.measures)
KINDS = sorted(catalog.reads(CHECKS), key=lambda kind: kind.__name__)
# How a kind is lost: forbidden; one object of it damaged; of people's work, all but one namespace forbidden.
LOSS = st.sampled_from(["forbidden", "damaged", "one namespace"])
LOSSES = st.dictionaries(st.sampled_from(KINDS), LOSS, min_size=1)


@cache
def read(name: str) -> Facts:
    with TemporaryDirectory() as folder:
        kubegap = Kubegap(Settings(snapshot=write(HEALTHY[name](), Path(folder))))
        return anyio.run(kubegap.reader.read, Ask(kinds=frozenset(KINDS))).facts


@cache
def judged(name: str) -> Mapping[str, Verdict]:
    return {check.id: check.run(read(name)) for check in CHECKS}


def without(facts: Facts, kind: type[Record], how: str) -> Rows:
    rows, unread = facts.known(kind), forbidden(kind)
    if how == "damaged" and rows:
        return Partial(rows[1:], (damaged(kind),))
    if how == "one namespace" and kind.KIND.workload:
        namespaces = sorted({str(getattr(row, "namespace", "")) for row in rows})
        return Partial(tuple(row for row in rows if getattr(row, "namespace", "") in namespaces[:1]), (unread,))
    return unread


def names(verdict: Verdict) -> set[tuple[str, str]]:
    def name(finding: Finding) -> tuple[str, str]:
        return str(finding.subject), finding.key

    return set(map(name, verdict.findings))


@pytest.mark.parametrize("name", HEALTHY)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(losses=LOSSES)
def test_what_may_not_be_read_never_changes_a_verdict_but_to_unknown(name: str, losses: Mapping[type[Record], str]):
    facts = read(name)
    for kind, how in losses.items():
        facts = facts.but(kind, without(read(name), kind, how))

    for check in CHECKS:
        before, after = judged(name)[check.id], check.run(facts)
        assert after.status in {before.status, "unknown"}, check.id
        assert names(after) <= names(before), check.id
        assert after.status != "unknown" or after.unread, check.id
