"""A sick cluster whose names and messages are hostile is sick in the same way, and its answers are harmless."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from kubegap_mcp import demo
from kubegap_mcp.app import Kubegap
from kubegap_mcp.report.models import AuditAnswer
from kubegap_mcp.server import LazyApp, build
from kubegap_mcp.settings import Settings
from tests.hostile.corpus import ROUNDS, TEXTS
from tests.hostile.harmless import every_answer

Json = dict[str, Any]
# What agents write freely. A path decides: /dev/shm is one thing, /dev/shm and more another.
FREE = frozenset({"message", "image"})
FEW = ("a fence", "an image and a link", "a megabyte")


@cache
def cluster() -> list[Json]:
    files = [path for path in sorted(demo.FOLDER.glob("*.json")) if path.name != "kubegap-snapshot.json"]
    return [item for path in files for item in json.loads(path.read_text(encoding="utf-8"))["items"]]


def hostile(text: str) -> list[Json]:
    """The cluster with the text behind each name of an object, wherever it stands, and in each free text."""
    names = {item["metadata"]["name"] for item in cluster()}
    names |= {item["metadata"]["namespace"] for item in cluster() if "namespace" in item["metadata"]}

    def changed(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: changed(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [changed(inner, key) for inner in value]
        if isinstance(value, str) and (value in names or (key in FREE and value)):
            return value + text
        return value

    return [changed(item) for item in cluster()]


async def audited(folder: Path) -> AuditAnswer:
    """What an audit says, once every tool was asked."""
    audits: list[AuditAnswer] = []
    with anyio.fail_after(120):
        async with Client(build(LazyApp(Settings(snapshot=folder)))) as client:
            async for asked, result in every_answer(client):
                assert not result.is_error, (asked, result.content)
                if asked.startswith("audit_cluster en"):
                    audits.append(AuditAnswer.model_validate(result.structured_content))
    return audits[0]


@pytest.mark.parametrize("name", TEXTS if len(ROUNDS) > 1 else FEW)
async def test_names_and_messages_change_no_verdict(name: str, tmp_path: Path) -> None:
    as_it_is = await Kubegap(Settings(demo=True)).audit()
    assert as_it_is.counts.gap > 5
    manifest = (demo.FOLDER / "kubegap-snapshot.json").read_bytes()
    (tmp_path / "kubegap-snapshot.json").write_bytes(manifest)
    # Of a megabyte in every name nothing is served in time; here the verdicts count.
    items = hostile(TEXTS[name][:3000])
    (tmp_path / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    found = await audited(tmp_path)
    assert (found.counts, found.by_severity) == (as_it_is.counts, as_it_is.by_severity)
    # Long names leave room for fewer of them, and that is told.
    findings = {gap.id: gap.findings_total for gap in as_it_is.gaps}
    assert {gap.id: gap.findings_total for gap in found.gaps}.items() <= findings.items()
    assert found.gaps_total == as_it_is.gaps_total
    assert (found.omitted is None) == (len(found.gaps) == found.gaps_total)


async def findings(settings: Settings) -> set[tuple[str, str]]:
    """Which check found what."""
    app = Kubegap(settings)
    audit = await app.audit(limit=50)
    explained = [await app.explain_gap(gap.id, limit=100) for gap in audit.gaps]
    return {(answer.check.id, finding.subject) for answer in explained for finding in answer.findings}


@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("unseen", ["\u200b", "\u202e", "\x00", "\U000e0041", "\ufe0f"])
async def test_a_name_that_looks_like_another_hides_nothing_of_it(unseen: str, first: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """Beside each node another that is ready and has no GPU, called the same but for a letter that is not seen."""
    ready: Json = {"capacity": {}, "allocatable": {}, "conditions": [{"type": "Ready", "status": "True"}]}
    twins = [
        {**item, "metadata": {**item["metadata"], "name": item["metadata"]["name"] + unseen}, "status": ready}
        for item in cluster()
        if item["kind"] == "Node"
    ]
    items = [*twins, *cluster()] if first else [*cluster(), *twins]
    (tmp_path / "kubegap-snapshot.json").write_bytes((demo.FOLDER / "kubegap-snapshot.json").read_bytes())
    (tmp_path / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    as_it_is = await findings(Settings(demo=True))
    assert len(as_it_is) > 20
    hidden = as_it_is - await findings(Settings(snapshot=tmp_path))
    # More machines are spare ones.
    assert {check for check, _ in hidden} <= {"spare_capacity.no_spare_gpu_node"}
