"""What may be listed is what the cluster itself says, kind by kind, without listing anything."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_apiserver import FakeApiServer, Fault, Rights, only_in, slow, status
from kube_objects import node, weka

from kubegap_checks.facts.read import Kind
from kubegap_mcp.errors import ClusterUnreachable
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.live import LiveClusters
from kubegap_mcp.kube.live.access import Access, KindAccess
from kubegap_mcp.kube.live.reviews import Rules

Live = Callable[..., LiveClusters]


def of(access: Access, name: str) -> KindAccess:
    return next(kind for kind in access.kinds if kind.kind.name == name)


async def test_rights_everywhere_are_seen(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node(), weka()]) as api:
        access = await live(api.kubeconfig(tmp_path)).access()
        assert {kind.everywhere for kind in access.kinds} == {"yes"}
        assert {kind.unread for kind in access.kinds} == {None}
        assert len(access.kinds) == len(records())
        assert (access.context, access.server_version, access.namespace) == ("test", "v1.36.0", "default")
        assert of(access, "WekaCluster").installed == "yes"
        assert of(access, "NodeFeature").installed == "no"
        assert not api.lists("pods")


async def test_rights_in_a_namespace_are_seen(live: Live, tmp_path: Path) -> None:
    with FakeApiServer([node()], rights=only_in("train", resources=["pods"], everywhere=["nodes"])) as api:
        access = await live(api.kubeconfig(tmp_path, namespace="train")).access()
        pods = of(access, "Pod")
        assert (pods.everywhere, pods.in_namespace) == ("no", "yes")
        assert pods.unread is not None
        assert "in all namespaces" in pods.unread.remedy.en
        claims = of(access, "PersistentVolumeClaim")
        assert (claims.everywhere, claims.in_namespace) == ("no", "no")
        assert of(access, "Node").everywhere == "yes"
        assert of(access, "PersistentVolume").in_namespace is None
        assert access.namespace == "train"


@pytest.mark.parametrize("fault", [status(403, "Forbidden"), Fault(status=200, body=b"x"), status(500)])
async def test_a_cluster_that_gives_no_review_leaves_it_unknown(live: Live, tmp_path: Path, fault: Fault) -> None:
    root = "/apis/authorization.k8s.io/v1/selfsubject"
    faults = {f"{root}accessreviews": fault, f"{root}rulesreviews": fault}
    with FakeApiServer([node()], faults=faults) as api:
        access = await live(api.kubeconfig(tmp_path)).access(namespace="train")
        assert {kind.everywhere for kind in access.kinds} == {"unknown"}
        assert of(access, "Pod").in_namespace == "unknown"
        assert of(access, "Pod").unread is not None


async def test_discovery_that_is_refused_leaves_open_what_is_installed(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(rights=Rights(discovery=False)) as api:
        access = await live(api.kubeconfig(tmp_path)).access()
        assert of(access, "WekaCluster").installed == "unknown"


async def test_a_cluster_that_is_silent_is_told_in_time(live: Live, tmp_path: Path) -> None:
    with FakeApiServer(faults={"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": slow()}) as api:
        clusters = live(api.kubeconfig(tmp_path))
        with pytest.raises(ClusterUnreachable, match="did not answer in time"):
            await clusters.access(deadline_s=0.4)


@pytest.mark.parametrize(
    ("groups", "resources", "incomplete", "expected"),
    [
        ({"weka.weka.io"}, {"wekaclusters"}, False, "yes"),
        ({"*"}, {"*"}, False, "yes"),
        ({""}, {"wekaclusters"}, False, "no"),
        ({"weka.weka.io"}, {"other"}, True, "unknown"),
    ],
)
def test_rules_are_read_as_the_cluster_reads_them(
    groups: set[str], resources: set[str], *, incomplete: bool, expected: str
) -> None:
    kind = Kind(name="WekaCluster", plural="wekaclusters", group="weka.weka.io")
    rules = Rules(((frozenset(groups), frozenset(resources)),), incomplete)
    assert rules.allows(kind) == expected
