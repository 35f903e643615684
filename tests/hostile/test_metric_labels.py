"""A metrics source whose labels, values and errors are hostile: answers stay harmless, and what objects show stays."""

import json
import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import anyio
import pytest
from fake_apiserver import FakeApiServer, Seen, _Answer
from mcp import Client
from metrics.fake_source import AT_S, NAMES, FakeSource, error, success

from kubegap_checks import catalog
from kubegap_checks.signals.quantities import quantities
from kubegap_mcp.app import Kubegap
from kubegap_mcp.errors import UnknownNameError
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.server import LazyApp, build
from kubegap_mcp.settings import Settings
from tests.faults.demo_cluster import cluster
from tests.hostile.corpus import MARK, ORDER, TEXTS
from tests.hostile.harmless import every_answer

Json = dict[str, Any]
TERM = re.compile(r'"kubegap", "([^"]+)"')
LABELS = (
    "node",
    "Hostname",
    "instance",
    "device",
    "gpu",
    "port",
    "namespace",
    "pod",
    "interface",
    "err_desc",
    "reason",
)
VALUES = ("1", "0", "-1", "NaN", "+Inf", "-Inf", "1e308", "1e400", "0.1", f"{MARK}", "", "9" * 300, "1e-320")


class HostileSource(FakeSource):
    """Knows every series, and answers each term of each query with every text in every label and every value."""

    def answer(self, seen: Seen, body: bytes) -> _Answer:  # noqa: ARG002 (the base class's)
        if seen.path == NAMES:
            return _Answer(
                200, success([series.name for one in quantities() for series in one.series] + [*TEXTS.values()])
            )
        terms = TERM.findall(seen.query.get("query", ""))
        ids = [*terms, ""] if terms else [""]
        return _Answer(200, success({"resultType": "vector", "result": [one for term in ids for one in series(term)]}))


def series(term: str) -> list[Json]:
    nodes = cycle([item["metadata"]["name"] for item in cluster() if item["kind"] == "Node"])
    values = cycle(VALUES)
    told: list[Json] = []
    for text in TEXTS.values():
        for label in LABELS:
            short = text[:5000]
            metric = {"kubegap": term, "__name__": MARK, "node": next(nodes), label: short, short[:100]: short}
            told.append({"metric": metric, "value": [AT_S, next(values)]})
    return told


def with_source(settings: Settings) -> Kubegap:
    app = Kubegap(settings)
    app.metrics = Metrics(source_for(settings.metrics, log=app.log))
    return app


@pytest.mark.parametrize("broken", [False, True], ids=["labels and values", "errors"])
async def test_no_label_value_or_error_of_a_source_breaks_an_answer(broken: bool, tmp_path: Path) -> None:  # noqa: FBT001
    source = HostileSource()
    if broken:
        source.faults = {"/api/v1/query": [error(422, "execution", text[:5000]) for text in TEXTS.values()]}
    with FakeApiServer(cluster()) as api, source, anyio.fail_after(100):
        metrics = MetricsSettings(url=source.url)
        lazy = LazyApp(Settings(kubeconfig=api.kubeconfig(tmp_path), metrics=metrics, deadline_s=20), with_source)
        async with Client(build(lazy)) as client:
            async for asked, result in every_answer(client):
                assert not result.is_error, (asked, result.content)
                if asked.startswith("audit_cluster"):
                    assert "gpu_health.gpu_missing" in json.dumps(result.structured_content)
        lazy.close()
    assert len(source.requests) > 1


class Ordering(FakeSource):
    """Everything is at fault, and each name of a device, port, job, level or verb is an order to who reads it."""

    def answer(self, seen: Seen, body: bytes) -> _Answer:  # noqa: ARG002 (the base class's)
        if seen.path == NAMES:
            return _Answer(200, success([series.name for one in quantities() for series in one.series] + [ORDER]))
        [name, *_] = [item["metadata"]["name"] for item in cluster() if item["kind"] == "Node"]
        told = [
            {
                "metric": {"kubegap": term, "node": name, **dict.fromkeys(_shown(term), ORDER)},
                "value": [AT_S, "99999999999"],
            }
            for term in TERM.findall(seen.query["query"])
        ]
        told = told or [  # who publishes what
            {"metric": {"__name__": series.name, "node": name}, "value": [AT_S, "8"]}
            for one in quantities()
            for series in one.series
        ]
        return _Answer(200, success({"resultType": "vector", "result": told}))


def _shown(term: str) -> Iterator[str]:
    """The labels that become a part of a row."""
    named, _, series = term.partition("/")
    for one in quantities():
        for told in one.series:
            if one.id == named and told.name == series:
                yield from (*told.part, *told.keep)


async def test_what_labels_name_is_never_an_order(tmp_path: Path) -> None:
    with FakeApiServer(cluster()) as api, Ordering() as source, anyio.fail_after(60):
        app = with_source(
            Settings(kubeconfig=api.kubeconfig(tmp_path), metrics=MetricsSettings(url=source.url), deadline_s=20)
        )
        told = [
            (await app.explain_gap(check.id, limit=50)).model_dump_json() for check in catalog.load() if check.measures
        ]
        with pytest.raises(UnknownNameError) as wrong:
            await app.explain_throughput(metric=ORDER[:-1])
        app.close()

    assert sum('"status":"gap"' in answer for answer in told) >= 4
    assert not [answer for answer in told if MARK in answer]
    assert wrong.value.text.en.count(MARK) == 1  # what was asked for
