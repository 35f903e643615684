"""Claude Code hands on `${KUBECONFIG:-}`: where nobody has set it, an empty KUBECONFIG, which must mean the default."""

from pathlib import Path

import pytest
from fake_apiserver import FakeApiServer
from kube_objects import nodes

from kubegap_mcp.cli import main


def test_an_empty_kubeconfig_variable_means_the_default_file(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", "")
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with FakeApiServer(nodes(3)) as api:
        (home / ".kube").mkdir()
        api.kubeconfig(home).rename(home / ".kube" / "config")
        assert main(["nodes", "--format", "json"]) == 0

    assert '"nodes": 3' in capsys.readouterr().out


def test_an_empty_kubeconfig_variable_is_not_blamed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", "")
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)

    assert main(["audit", "--lang", "en"]) == 2
    assert "no kubeconfig was found" in capsys.readouterr().err
    assert home
