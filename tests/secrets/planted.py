"""Canaries in everything that a cluster or a kubeconfig can hold; none of them may be seen anywhere again."""

import base64
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from kubegap_mcp import demo
from kubegap_mcp.kube.gather.registry import records
from tests.kube.gather.test_pages import whole

Json = dict[str, Any]

# A word in small letters, as a password may be one, so that no rule about what looks like a secret helps.
CANARY: Final = "qkanarienvogel"
_numbers = itertools.count()


def canary() -> str:
    """Another each time, so that a failure tells which it was."""
    return f"{CANARY}{next(_numbers):04}x"


def variables() -> list[Json]:
    names = (
        "AWS_SECRET_ACCESS_KEY",
        "HF_TOKEN",
        "WANDB_API_KEY",
        "PGPASSWORD",
        "HTTPS_PROXY",
        "KUBECONFIG",
        "DATABASE_URL",
    )
    return [
        *({"name": name, "value": canary()} for name in names),
        {"name": "REDIS", "value": f"redis://:{canary()}@cache.internal:6379/0?password={canary()}"},
        {"name": "FROM_SECRET", "valueFrom": {"secretKeyRef": {"name": "team", "key": canary()}}},
    ]


def flags() -> list[str]:
    return [
        f"--token={canary()}",
        "--password",
        canary(),
        f"--endpoint=https://user:{canary()}@storage.internal/?X-Amz-Signature={canary()}",
        f"export AWS_SECRET_ACCESS_KEY={canary()} && python train.py",
        f"/sbin/mount.juicefs redis://:{canary()}@meta.internal:6379/1 /jfs -o token={canary()},cache-size=100",
        f"juicefs auth team --token {canary()} --access-key {canary()} --secret-key {canary()}",
    ]


def options() -> list[str]:
    return [f"password={canary()}", f"token={canary()}", f"credentials=/etc/{canary()}", "ro", f"secretkey={canary()}"]


def attributes() -> dict[str, str]:
    return {
        "token": canary(),
        "password": canary(),
        "secretKey": canary(),
        "accessKeyId": canary(),
        "sasToken": f"?sv=2024&sig={canary()}",
        "metaurl": f"redis://:{canary()}@meta.internal:6379/1",
        "url": f"s3://{canary()}:{canary()}@bucket/path?token={canary()}",
        "mountOptions": ",".join(options()),
    }


def annotations() -> dict[str, str]:
    applied = {"spec": {"containers": [{"env": variables(), "args": flags()}]}, "data": {"password": canary()}}
    return {
        "kubectl.kubernetes.io/last-applied-configuration": json.dumps(applied),
        "team.example/api-token": canary(),
        "vault.hashicorp.com/agent-inject-token": canary(),
        "csi.alpha.kubernetes.io/node-id": canary(),
    }


def sentence() -> str:
    """What programs repeat of their credentials when they complain."""
    return (
        f'Get "https://ann:{canary()}@registry.internal/v2/?token={canary()}": exec mount -o password={canary()}: '
        f"Authorization: Bearer {canary()}.{canary()} api_key={canary()} "
        f"Authorization: Basic {canary()} juicefs auth team --secret-key {canary()} redis://:{canary()}@cache.example/1"
    )


def planted(item: Json) -> Json:
    """The object with a secret wherever people put them."""
    made = _planted(item)
    made["metadata"] = {**made.get("metadata", {}), "managedFields": [{"manager": canary()}]}
    made["metadata"]["annotations"] = {**(made["metadata"].get("annotations") or {}), **annotations()}
    return made


def _planted(value: Any) -> Any:
    if isinstance(value, list):
        return [_planted(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    made = {key: _planted(inner) for key, inner in value.items()}
    for needed, plant in _PLACES.items():
        if needed <= made.keys():
            plant(made)
    return made


def _container(made: Json) -> None:
    made["env"] = [*(made.get("env") or []), *variables()]
    made["args"] = [*(made.get("args") or []), *flags()]
    made["command"] = made.get("command") or ["sh", "-c", flags()[-1]]


def _csi(made: Json) -> None:
    made["volumeAttributes"] = {**(made.get("volumeAttributes") or {}), **attributes()}
    made["nodePublishSecretRef"] = {"name": "team", "namespace": canary()}


def _class(made: Json) -> None:
    made["parameters"] = {**(made.get("parameters") or {}), **attributes()}
    _mounted(made)


def _mounted(made: Json) -> None:
    made["mountOptions"] = [*(made.get("mountOptions") or []), *options()]


def _webhook(made: Json) -> None:
    made["url"] = f"https://user:{canary()}@webhook.internal/path?token={canary()}"


def _alert(made: Json) -> None:
    made["annotations"] = {"summary": canary(), "runbook_url": f"https://runbook.internal/?token={canary()}"}


# The fields that tell what a part of an object is.
_PLACES: Final[dict[frozenset[str], Callable[[Json], None]]] = {
    frozenset({"image", "name"}): _container,
    frozenset({"driver", "volumeHandle"}): _csi,
    frozenset({"provisioner"}): _class,
    frozenset({"persistentVolumeReclaimPolicy"}): _mounted,
    frozenset({"caBundle"}): _webhook,
    frozenset({"expr"}): _alert,
    frozenset({"message"}): lambda made: made.update(message=sentence()),
    frozenset({"lastSyncError"}): lambda made: made.update(lastSyncError=sentence()),
}


def objects() -> Iterator[Json]:
    """The demo cluster, and one of each kind that kubegap reads, all planted; and what it never asks for."""
    for path in sorted(demo.FOLDER.glob("*.json")):
        if path.name != "kubegap-snapshot.json":
            yield from map(planted, json.loads(path.read_text(encoding="utf-8"))["items"])
    for record in records():
        kind = record.KIND
        head = {"apiVersion": f"{kind.group}/{kind.versions[0]}".lstrip("/"), "kind": kind.name}
        yield planted(head | whole(record, f"whole-{kind.plural}"))
    yield from volumes()
    for kind in ("Secret", "ConfigMap", "Event"):
        yield {
            "apiVersion": "v1",
            "kind": kind,
            "metadata": {"name": "team", "namespace": "train"},
            "data": {"password": base64.b64encode(canary().encode()).decode(), "plain": canary()},
        }


def volumes() -> Iterator[Json]:
    """Handles that hold a password or a token, one of each form that drivers use."""
    handles = {
        "csi.juicefs.com": f"jfs-{canary()}",
        "fuse.csi.fluid.io": f"train-{canary()}",
        "s3.csi.aws.com": f"s3://{canary()}:{canary()}@bucket",
        "ru.yandex.s3.csi": f"bucket/{canary()}?token={canary()}",
        "blob.csi.azure.com": f"rg#account#container#{canary()}###?sig={canary()}",
        "nfs.csi.k8s.io": f"nfs.internal#export#{canary()}##",
        "csi.weka.io": f"dir/v1/fs/{canary()}",
    }
    for number, (driver, handle) in enumerate(handles.items()):
        yield planted(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"name": f"planted-{number}"},
                "spec": {
                    "csi": {"driver": driver, "volumeHandle": handle},
                    "persistentVolumeReclaimPolicy": "Delete",
                    "storageClassName": "",
                    "capacity": {"storage": "10Ti"},
                    "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "train", "name": f"planted-{number}"},
                },
                "status": {"phase": "Bound"},
            }
        )
