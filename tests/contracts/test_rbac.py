"""The role that `kubegap rbac` prints, held against what the readers really ask a cluster for."""

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from fake_apiserver import FakeApiServer, Rights
from kube_objects import namespace, node, pod

from kubegap_checks import catalog
from kubegap_mcp.app import Kubegap
from kubegap_mcp.errors import ConfigError, NotReadError
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.live import LiveClusters
from kubegap_mcp.metrics.settings import MetricsSettings, Service
from kubegap_mcp.settings import Settings

LIST = re.compile(r"/(?:api|apis/(?P<group>[^/]+))/[^/]+/(?:namespaces/(?P<namespace>[^/]+)/)?(?P<plural>[^/]+)")
TOPICS = sorted({check.topic for check in catalog.load()})
INSTALLED = [f"{record.KIND.resource}/{record.KIND.versions[0]}" for record in records() if record.KIND.group]
TEAM = "train"

Asked = set[tuple[str, str | None]]
Ask = Callable[[Kubegap], Awaitable[object]]


@pytest.fixture(autouse=True)
def no_kubeconfig(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def api() -> Iterator[FakeApiServer]:
    with FakeApiServer([node(), pod("a", TEAM), namespace(TEAM)], installed=INSTALLED) as api:
        yield api


async def everything(app: Kubegap) -> None:
    await app.audit()
    with suppress(NotReadError):  # where nodes may not be listed
        await app.list_gpu_nodes()


def about(topic: str | None) -> Ask:
    return everything if topic is None else lambda app: app.check_topic(topic)


async def asked(api: FakeApiServer, folder: Path, question: Ask) -> Asked:
    """The resources of which lists were asked for, each with the namespace that it was asked in."""
    api.requests.clear()
    reader = LiveClusters(api.kubeconfig(folder))
    app = Kubegap(Settings(), reader)
    try:
        await question(app)
    finally:
        app.close()
    # Reviews of one's own rights are no lists, and any user may ask for them: system:basic-user.
    paths = [path for path in api.paths() if "/selfsubject" not in path]
    found = [match for path in paths if (match := LIST.fullmatch(path))]
    return {(resource(match["group"] or "", match["plural"]), match["namespace"]) for match in found}


def resource(group: str, plural: str) -> str:
    return f"{plural}.{group}" if group else plural


def granted(text: str) -> set[str]:
    role: dict[str, Any] = yaml.safe_load(text)
    assert all(rule["verbs"] == ["list"] for rule in role["rules"])
    return {
        resource(group, name) for rule in role["rules"] for group in rule["apiGroups"] for name in rule["resources"]
    }


@pytest.mark.parametrize("topic", [None, *TOPICS])
async def test_the_role_grants_what_is_asked_for_and_no_more(topic: str | None, api: FakeApiServer, tmp_path: Path):
    role = granted(Kubegap(Settings()).rbac(topics=None if topic is None else [topic]))

    wanted = await asked(api, tmp_path, about(topic))

    # Namespaces are listed where a check reads them, else only where pods may not be listed in all of them.
    assert {name for name, _ in wanted} | {"namespaces"} == role | {"namespaces"}
    assert {where for _, where in wanted} == {None}


@pytest.mark.parametrize("topic", [None, *TOPICS])
async def test_with_the_role_nothing_is_forbidden(topic: str | None, api: FakeApiServer, tmp_path: Path):
    api.rights = Rights(frozenset(granted(Kubegap(Settings()).rbac(topics=None if topic is None else [topic]))))
    refused: list[str] = []

    async def ask(app: Kubegap) -> None:
        answer = await (app.audit() if topic is None else app.check_topic(topic))
        unread = answer.coverage.unread if topic is None else answer.unread
        refused.extend(item.what for item in unread if item.reason == "forbidden")

    await asked(api, tmp_path, ask)

    assert refused == []


async def test_someone_who_may_read_one_namespace_is_asked_for_nothing_but_the_role(api: FakeApiServer, tmp_path: Path):
    role = granted(Kubegap(Settings()).rbac())
    work = granted(Kubegap(Settings()).rbac(namespace=TEAM))
    api.rights = Rights(frozenset({"namespaces"}), {TEAM: frozenset(work)})

    wanted = await asked(api, tmp_path, everything)

    assert {name for name, where in wanted if where is None} == role
    assert {name for name, where in wanted if where == TEAM} == work


async def test_the_role_of_a_namespace_is_enough_for_the_work_in_it(api: FakeApiServer, tmp_path: Path):
    work = granted(Kubegap(Settings()).rbac(namespace=TEAM))
    api.rights = Rights(frozenset(), {TEAM: frozenset(work)})
    refused: set[str] = set()

    async def ask(app: Kubegap) -> None:
        answer = await app.audit(namespace=TEAM)
        refused.update(item.what for item in answer.coverage.unread if item.reason == "forbidden")

    wanted = await asked(api, tmp_path, ask)

    assert {name for name, where in wanted if where == TEAM} == work
    assert refused.isdisjoint(work)


def test_topics_add_up():
    app = Kubegap(Settings())
    both = granted(app.rbac(topics=TOPICS[:2]))

    assert both == granted(app.rbac(topics=TOPICS[:1])) | granted(app.rbac(topics=TOPICS[1:2]))


@pytest.mark.parametrize(
    ("topics", "name", "said"),
    [
        pytest.param(["weather"], None, "there is no topic 'weather'", id="no topic"),
        pytest.param(None, "Team A", "is no name of a namespace", id="no namespace"),
    ],
)
def test_a_role_for_what_there_is_not_is_refused(topics, name, said):
    with pytest.raises(Exception, match=said):
        Kubegap(Settings()).rbac(topics=topics, namespace=name)


def test_a_role_that_would_grant_nothing_is_refused(monkeypatch: pytest.MonkeyPatch):
    platform = [check for check in catalog.load() if not any(record.KIND.workload for record in check.reads)]
    monkeypatch.setattr(catalog, "load", lambda: tuple(platform))

    with pytest.raises(ConfigError, match="in no namespace"):
        Kubegap(Settings()).rbac(topics=[platform[0].topic], namespace=TEAM)


def test_a_metrics_service_adds_its_proxy_and_no_other():
    service = Service(namespace="monitoring", name="prometheus", port="web", https=True, path="/prometheus")
    app = Kubegap(Settings(metrics=MetricsSettings(service=service)))

    role, of_proxy = yaml.safe_load_all(app.rbac())

    assert yaml.safe_load(Kubegap(Settings()).rbac()) == role
    assert of_proxy["kind"] == "Role"
    assert of_proxy["metadata"] == {"name": "kubegap-metrics-reader", "namespace": "monitoring"}
    assert of_proxy["rules"] == [
        {
            "apiGroups": [""],
            "resources": ["services/proxy"],
            "resourceNames": ["https:prometheus:web"],
            "verbs": ["get"],
        }
    ]
