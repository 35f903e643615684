"""Connections and readers that are closed after each test, and nothing of theirs that stays behind."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kubegap_checks.facts.read import Kind
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.live import LiveClusters
from kubegap_mcp.kube.live.connection import Connection
from kubegap_mcp.kube.live.kubeconfig import Kubeconfig

KINDS: tuple[Kind, ...] = tuple(record.KIND for record in records())


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """No kubeconfig, proxy or pod of the machine that runs the tests; credential files must be gone at the end."""
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    yield private
    left = [path.name for path in private.iterdir()]
    assert not left, f"left behind: {left}"


@pytest.fixture
def connect() -> Iterator[Callable[[Path], Connection]]:
    made: list[Connection] = []

    def open_one(kubeconfig: Path) -> Connection:
        made.append(Connection(Kubeconfig([kubeconfig]).target(None), KINDS))
        return made[-1]

    yield open_one
    for connection in made:
        connection.close()


@pytest.fixture
def live() -> Iterator[Callable[..., LiveClusters]]:
    made: list[LiveClusters] = []

    def open_one(*args: Any, **choices: Any) -> LiveClusters:
        made.append(LiveClusters(*args, **choices))
        return made[-1]

    yield open_one
    for clusters in made:
        clusters.close()
