"""The least rights, as Kubernetes reads them."""

import yaml

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.storage import Claim, StorageClass, WekaCluster
from kubegap_mcp.report.rbac import manifest

KINDS = (Pod, Claim, Node, StorageClass, WekaCluster)


def test_a_cluster_role_lists_every_kind_once_and_may_only_read():
    role = yaml.safe_load(manifest(KINDS, namespace=None))
    assert role["apiVersion"] == "rbac.authorization.k8s.io/v1"
    assert role["kind"] == "ClusterRole"
    assert role["metadata"] == {"name": "kubegap-reader"}
    assert role["rules"] == [
        {
            "apiGroups": [""],
            "resources": ["namespaces", "nodes", "persistentvolumeclaims", "pods"],
            "verbs": ["list"],
        },
        {"apiGroups": ["storage.k8s.io"], "resources": ["storageclasses"], "verbs": ["list"]},
        {"apiGroups": ["weka.weka.io"], "resources": ["wekaclusters"], "verbs": ["list"]},
    ]


def test_a_role_holds_what_people_run_in_their_namespace():
    role = yaml.safe_load(manifest(KINDS, namespace="ml"))
    assert role["kind"] == "Role"
    assert role["metadata"] == {"name": "kubegap-reader", "namespace": "ml"}
    assert role["rules"] == [{"apiGroups": [""], "resources": ["persistentvolumeclaims", "pods"], "verbs": ["list"]}]


def test_the_order_of_the_kinds_does_not_matter():
    assert manifest(KINDS, namespace=None) == manifest(KINDS[::-1], namespace=None)


def test_no_secret_and_no_configmap_is_asked_for():
    assert "secrets" not in manifest(KINDS, namespace=None)
    assert "configmaps" not in manifest(KINDS, namespace=None)
