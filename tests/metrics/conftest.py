"""A source with nothing of the surroundings, closed after each test."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from metrics.fake_source import AT_S
from metrics.prometheus_server import needed, started

from kubegap_mcp.metrics.port import MetricsSource
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for

AT = datetime.fromtimestamp(AT_S, UTC)
Open = Callable[..., MetricsSource]


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def source() -> Iterator[Open]:
    """Of an address, with whatever other settings."""
    made: list[MetricsSource] = []

    def open_one(url: str, *, cache_s: float = 60.0, **settings: object) -> MetricsSource:
        opened = source_for(MetricsSettings(url=url, **settings), cache_s=cache_s)  # type: ignore[arg-type]
        assert opened is not None
        made.append(opened)
        return opened

    yield open_one
    for opened in made:
        opened.close()


def _samples() -> str:
    """Two hours until AT, each minute: a counter of two nodes, one that stopped, and values that are no numbers."""
    minutes = range(-120, 1)
    lines = ["# TYPE reads counter"]
    for i, node in enumerate(("gpu-0", "gpu-1")):
        lines += [f'reads_total{{node="{node}"}} {(i + 1) * 60 * (m + 120)} {AT_S + 60 * m}' for m in minutes]
    lines += ["# TYPE temperature gauge"]
    lines += [f'temperature{{node="gpu-0",gpu="0"}} 61 {AT_S + 60 * m}' for m in minutes]
    lines += [f'temperature{{node="gpu-9",gpu="0"}} 70 {AT_S + 60 * m}' for m in range(-120, -9)]
    lines += [f'temperature{{node="gpu-2",gpu="0"}} {"NaN" if m % 2 else 50} {AT_S + 60 * m}' for m in minutes]
    hostile = "a\u202eb\\n" + "x" * 400
    lines += ["# TYPE hostile gauge", f'hostile{{node="{hostile}"}} 1 {AT_S}']
    return "\n".join((*lines, "# EOF", ""))


@pytest.fixture(scope="session")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real one."""
    needed()
    with started(_samples(), tmp_path_factory.mktemp("prometheus")) as url:
        yield url
