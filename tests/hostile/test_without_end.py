"""Lists, nesting and owners without end: an answer all the same, in seconds."""

from pathlib import Path
from typing import Any

import anyio
from kube_objects import node, pod
from mcp import Client

from kubegap_mcp.server import LazyApp, build
from kubegap_mcp.settings import Settings
from tests.hostile.corpus import MARK, nested
from tests.hostile.harmless import every_answer
from tests.hostile.test_every_field import untouched
from tests.whole_clusters.objects import write

Json = dict[str, Any]
MANY = 10_000


def conditions() -> list[Json]:
    item = node("many-conditions")
    item["status"]["conditions"] += [
        {"type": f"{MARK}{number}", "status": "True", "reason": MARK, "message": MARK * 20} for number in range(MANY)
    ]
    return [item]


def taints_labels_and_resources() -> list[Json]:
    item = node("many-labels", **{f"{MARK}-{number}": MARK for number in range(MANY)})
    item["metadata"]["annotations"] = {f"{MARK}/{number}": MARK for number in range(MANY)}
    item["spec"]["taints"] = [{"key": f"{MARK}{number}", "effect": "NoSchedule"} for number in range(MANY)]
    item["status"]["capacity"] |= {f"{MARK}.example/{number}": "1" for number in range(MANY)}
    item["status"]["images"] = [{"names": [MARK] * 5, "sizeBytes": 1} for _ in range(MANY)]
    return [item]


def containers() -> list[Json]:
    item = pod("many-containers")
    one = item["spec"]["containers"][0]
    item["spec"]["containers"] = [{**one, "name": f"{MARK}-{number}"} for number in range(MANY)]
    other = pod("many-variables")
    other["spec"]["containers"][0]["env"] = [{"name": f"NCCL_{MARK}{number}", "value": MARK} for number in range(MANY)]
    other["spec"]["volumes"] = [{"name": f"{MARK}{number}", "emptyDir": {}} for number in range(MANY)]
    return [item, other]


def cyclic_owners() -> list[Json]:
    """A pod that owns itself, two jobs that own each other, and one with ten thousand owners."""

    def owned(item: Json, *owners: tuple[str, str]) -> Json:
        item["metadata"]["ownerReferences"] = [
            {"apiVersion": "batch/v1", "kind": kind, "name": name, "uid": name, "controller": True}
            for kind, name in owners
        ]
        return item

    def job(name: str, owner: str) -> Json:
        item: Json = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": "train", "uid": name},
        }
        return owned(item | {"spec": pod("x")["spec"], "status": {}}, ("Job", owner))

    many = [("Job", f"{MARK}{number}") for number in range(MANY)]
    return [owned(pod("own"), ("Pod", "own")), owned(pod("many"), *many), job("a", "b"), job("b", "a")]


def deep() -> list[Json]:
    """Where kubegap reads nothing, and where it expects a text."""
    unread, read = node("deep"), node("deeper")
    unread["status"]["nodeInfo"]["unread"] = nested(400)
    read["metadata"]["labels"]["deep"] = nested(400)
    return [unread, read]


async def test_what_has_no_end_ends(tmp_path: Path) -> None:
    endless = (conditions, taints_labels_and_resources, containers, cyclic_owners, deep)
    folder = write([untouched(), *(item for make in endless for item in make())], tmp_path / "snapshot")
    with anyio.fail_after(60):
        async with Client(build(LazyApp(Settings(snapshot=folder)))) as client:
            async for asked, result in every_answer(client):
                assert not result.is_error, (asked, result.content)
                if asked.startswith("audit_cluster"):
                    assert result.structured_content
                    gaps = {gap["id"] for gap in result.structured_content["gaps"]}
                    assert "gpu_health.gpu_missing" in gaps
