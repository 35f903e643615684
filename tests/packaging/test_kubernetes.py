"""The least-rights manifests: they fit together, only list, and are enough."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from fake_apiserver import FakeApiServer, Rights

from kubegap_checks import catalog
from kubegap_checks.facts.read import Measure
from kubegap_mcp.kube.live import LiveClusters

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "packaging" / "kubernetes"
Object = dict[str, Any]


def objects(scope: str) -> dict[str, Object]:
    """By kind, in the order in which `kubectl apply -f` goes through the folder."""
    paths = sorted((FOLDER / scope).glob("*.yaml"))
    loaded = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in paths]
    return {item["kind"]: item for item in loaded if "kind" in item}


@pytest.mark.parametrize(
    ("scope", "role", "namespace"),
    [
        pytest.param("cluster", "ClusterRole", "kubegap", id="the whole cluster"),
        pytest.param("namespace", "Role", "team-a", id="one namespace"),
    ],
)
def test_the_binding_gives_the_role_to_the_account(scope, role, namespace):
    found = objects(scope)
    binding, account = found[f"{role}Binding"], found["ServiceAccount"]
    assert binding["roleRef"] == {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": role,
        "name": found[role]["metadata"]["name"],
    }
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": account["metadata"]["name"], "namespace": namespace}
    ]
    assert account["metadata"]["namespace"] == namespace
    assert account["automountServiceAccountToken"] is False


@pytest.mark.parametrize("scope", ["cluster", "namespace"])
def test_a_role_only_lists_and_never_secrets(scope):
    found = objects(scope)
    role = found.get("ClusterRole") or found["Role"]
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
    named = {resource for rule in role["rules"] for resource in rule["resources"]}
    assert not named & {"secrets", "configmaps", "*"}
    assert not any("/" in resource for resource in named)


def test_the_namespace_comes_before_what_lies_in_it():
    kinds = list(objects("cluster"))
    assert kinds.index("Namespace") < kinds.index("ServiceAccount")


def test_one_line_moves_the_narrow_manifests_to_another_namespace():
    text = (FOLDER / "namespace" / "kustomization.yaml").read_text(encoding="utf-8")
    kustomization = yaml.safe_load(text)
    assert set(kustomization["resources"]) == {
        path.name for path in (FOLDER / "namespace").glob("*.yaml") if path.name != "kustomization.yaml"
    }
    # kustomize rewrites a subject only where it stands in the namespace of the account beside it.
    assert {item["metadata"]["namespace"] for item in objects("namespace").values()} == {kustomization["namespace"]}


async def test_the_cluster_role_is_enough_to_read_all_that_the_checks_read(tmp_path: Path):
    rules = objects("cluster")["ClusterRole"]["rules"]
    allowed = frozenset(
        f"{name}.{group}" if group else name
        for rule in rules
        for group in rule["apiGroups"]
        for name in rule["resources"]
    )
    with FakeApiServer(tokens={"Bearer short"}, rights=Rights(allowed)) as api:
        (tmp_path / "kubegap.token").write_text("short\n", encoding="utf-8")
        kubeconfig = api.kubeconfig(tmp_path, user={"tokenFile": "kubegap.token"})
        clusters = LiveClusters(kubeconfig, None, None)
        try:
            access = await clusters.access(namespace=None, deadline_s=10)
        finally:
            clusters.close()
    refused = {kind.kind for kind in access.kinds if kind.unread}
    kinds = {record.KIND for record in catalog.reads(catalog.load())}
    wanted = {kind for kind in kinds if not isinstance(kind, Measure)}  # the API server is not asked for those
    assert wanted <= {kind.kind for kind in access.kinds}
    assert not refused & wanted


@pytest.mark.parametrize("guide", ["least-rights.md", "least-rights.ko.md"])
def test_the_kubeconfig_that_the_guide_makes_uses_the_token_file_it_writes(guide):
    text = (ROOT / "docs" / "guides" / guide).read_text(encoding="utf-8")
    (template,) = re.findall(r"-o jsonpath='(.*?)' > kubegap\.kubeconfig", text)
    # kubectl prints what stands in {"..."} as it is, and an object as JSON.
    written = yaml.safe_load(
        template.replace('{"', "", 1)
        .replace('"}{.clusters[0].cluster}{"', '{server: "https://127.0.0.1:6443"}')
        .removesuffix('"}')
        .replace("\\n", "\n")
    )
    assert written["kind"] == "Config"
    assert written["users"] == [{"name": "kubegap", "user": {"tokenFile": "kubegap.token"}}]
    assert written["clusters"] == [{"name": "kubegap", "cluster": {"server": "https://127.0.0.1:6443"}}]
    assert "> kubegap.token" in text
