"""Each field of each kind with each hostile value, served to each tool: an answer, harmless and still right."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from kube_objects import node
from mcp import Client

from kubegap_checks.facts.read import Record
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.server import LazyApp, build
from kubegap_mcp.settings import Settings
from tests.hostile.corpus import ALL, MARK, ROUNDS
from tests.hostile.harmless import every_answer
from tests.kube.gather.test_pages import broken, paths, whole
from tests.whole_clusters.objects import write

Json = dict[str, Any]
VALUES = tuple(ALL.values())
TEXTS = tuple(value for value in VALUES if isinstance(value, str))


def untouched() -> Json:
    """A machine that has eight GPUs by its type, and seven."""
    item = node("untouched", **{"node.kubernetes.io/instance-type": "p5.48xlarge", "untouched": "yes"})
    for counts in (item["status"]["capacity"], item["status"]["allocatable"]):
        counts["nvidia.com/gpu"] = "7"
    return item


def hostile(turn: int) -> Iterator[Json]:
    """Every kind, each time with one field, or the name of one, that is hostile; which value it is takes turns."""
    place = turn
    for record in records():
        for path in paths(whole(record)):
            if not path:
                continue
            place += 1
            yield named(record, broken(whole(record), path, VALUES[place % len(VALUES)]), path, place)
            if isinstance(path[-1], str):
                yield named(record, renamed(whole(record), path, TEXTS[place % len(TEXTS)]), path, -place)


def renamed(value: Any, path: tuple[Any, ...], name: str) -> Any:
    """The object with the last key of the path called otherwise."""
    if isinstance(value, dict):
        if len(path) == 1:
            return {name if key == path[0] else key: inner for key, inner in value.items()}
        return {key: renamed(inner, path[1:], name) if key == path[0] else inner for key, inner in value.items()}
    return [renamed(inner, path[1:], name) if index == path[0] else inner for index, inner in enumerate(value)]


def named(record: type[Record], item: Json, path: tuple[Any, ...], number: int) -> Json:
    """With its kind, and a name of its own unless the name is what is hostile."""
    kind = record.KIND
    head = {"apiVersion": f"{kind.group}/{kind.versions[0]}".lstrip("/"), "kind": kind.name}
    if isinstance(item.get("metadata"), dict) and path[:2] != ("metadata", "name"):
        item = {**item, "metadata": {**item["metadata"], "name": f"{MARK}-{number}"}}
    return head | item


@pytest.mark.parametrize("turn", ROUNDS)
async def test_no_value_in_any_field_breaks_an_answer_or_hides_a_gap(turn: int, tmp_path: Path) -> None:
    folder = write([*hostile(turn * 7), untouched()], tmp_path / "snapshot")
    answers: dict[str, Any] = {}
    with anyio.fail_after(60):
        async with Client(build(LazyApp(Settings(snapshot=folder)))) as client:
            async for asked, result in every_answer(client):
                assert not result.is_error, (asked, result.content)
                answers[asked] = result.structured_content
    assert len(answers) > 30
    assert MARK in json.dumps(answers)
    for lang in ("en", "ko"):
        audit = answers[f"audit_cluster {lang} {{}}"]
        assert "gpu_health.gpu_missing" in {gap["id"] for gap in audit["gaps"]}
        (found,) = answers[f"list_gpu_nodes {lang} {{'selector': 'untouched=yes'}}"]["nodes"]
        assert (found["name"], found["verdict"]) == ("untouched", "not_ready")
        # Pods that were not understood may ask for any number.
        assert found["gpus"] == {"expected": 8, "capacity": 7, "allocatable": 7, "requested": None}
