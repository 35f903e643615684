"""Objects with the fields that real clusters have, and the folder that a complete snapshot of them is."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from kubegap_checks import catalog
from kubegap_checks.inventory import readiness

Object = dict[str, Any]

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


def ago(**span: float) -> str:
    return (NOW - timedelta(**span)).strftime("%Y-%m-%dT%H:%M:%SZ")


def uid(*names: str) -> str:
    return str(uuid5(NAMESPACE_URL, "/".join(names)))


def thing(kind: str, name: str, namespace: str = "", **rest: Any) -> Object:
    """An object of `group/version/Kind`; `labels`, `annotations`, `owner` and `created` go into its metadata."""
    version, _, kind = kind.rpartition("/")
    meta: Object = {
        "name": name,
        "uid": uid(version, kind, namespace, name),
        "resourceVersion": "4711",
        "creationTimestamp": rest.pop("created", ago(days=30)),
    }
    meta |= {"namespace": namespace} if namespace else {}
    if (owner := rest.pop("owner", None)) is not None:
        meta["ownerReferences"] = [owned_by(owner)]
    meta |= {key: dict(rest.pop(key)) for key in ("labels", "annotations") if key in rest}
    return {"apiVersion": version, "kind": kind, "metadata": meta, **rest}


def owned_by(owner: Object) -> Object:
    meta = owner["metadata"]
    told = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": meta["name"], "uid": meta["uid"]}
    return told | {"controller": True, "blockOwnerDeletion": True}


def condition(kind: str, status: str = "False", reason: str = "Fine", **rest: str) -> Object:
    """One of a node's, as an agent keeps confirming it."""
    times = {"lastHeartbeatTime": ago(seconds=50), "lastTransitionTime": ago(days=20)}
    return {"type": kind, "status": status, "reason": reason, "message": "", **times, **rest}


def reached(kind: str, reason: str = "", status: str = "True", since: str = ago(days=20)) -> Object:
    """One of an object's own conditions."""
    told = {"type": kind, "status": status, "reason": reason or kind, "message": "", "observedGeneration": 1}
    return told | {"lastTransitionTime": since}


def write(objects: Iterable[Object], folder: Path) -> Path:
    """The objects as a snapshot that says of every kind that it was read."""
    folder.mkdir(exist_ok=True)
    items = list(objects)
    (folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    counts = Counter((item["apiVersion"].rpartition("/")[0], item["kind"]) for item in items)
    records = catalog.reads(catalog.load()) | frozenset(readiness.READS)
    read = {kind.KIND.resource: {"objects": counts[kind.KIND.group, kind.KIND.name]} for kind in records}
    manifest = {"schema": 1, "taken_at": ago(), "context": "test", "server_version": "v1.33.4", "kinds": read}
    (folder / "kubegap-snapshot.json").write_text(json.dumps(manifest))
    return folder


def merged(*maps: Mapping[str, Any]) -> Object:
    """One mapping of all, where nested ones are merged too."""
    whole: Object = {}
    for part in maps:
        for key, value in part.items():
            both = isinstance(value, Mapping) and isinstance(whole.get(key), Mapping)
            whole[key] = merged(whole[key], value) if both else value
    return whole
