"""The .mcpb bundle: its manifest, and what the script lays out for `mcpb pack`."""

import json
import tomllib
from pathlib import Path
from typing import Any

import make_packaging
import pytest

import kubegap_mcp

ROOT = make_packaging.ROOT
MANIFEST: dict[str, Any] = json.loads((ROOT / "packaging" / "mcpb" / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_packaging.bundle(tmp_path_factory.mktemp("bundle") / "mcpb")


def test_the_manifest_is_of_the_version_that_knows_uv():
    assert MANIFEST["manifest_version"] == "0.4"
    assert MANIFEST["server"]["type"] == "uv"
    assert MANIFEST["version"] == kubegap_mcp.__version__


def test_uv_starts_the_server_from_the_bundle_alone(bundle: Path):
    config = MANIFEST["server"]["mcp_config"]
    assert config["command"] == "uv"
    *options, program = config["args"]
    assert options == ["run", "--directory", "${__dirname}", "--no-dev"]
    project = tomllib.loads((bundle / "pyproject.toml").read_text(encoding="utf-8"))
    assert program in project["project"]["scripts"]
    assert (bundle / MANIFEST["server"]["entry_point"]).is_file()
    for package in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        assert (bundle / package / "__init__.py").is_file()


def test_an_empty_choice_of_kubeconfig_is_no_choice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    # The host puts "" into KUBECONFIG where nothing was chosen; ~/.kube/config then counts, as without the variable.
    from kubegap_mcp.kube.live.kubeconfig_files import paths  # noqa: PLC0415 (loads the Kubernetes side)

    (choice,) = MANIFEST["user_config"].values()
    assert (choice["required"], choice["default"]) == (False, "")
    assert MANIFEST["server"]["mcp_config"]["env"] == {"KUBECONFIG": "${user_config.kubeconfig}"}
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("KUBECONFIG", choice["default"])
    assert paths(None) == (tmp_path / ".kube" / "config",)


def test_the_bundle_holds_the_data_and_nothing_that_was_compiled(bundle: Path):
    assert list(bundle.glob("incident_library/kubegap_incidents/records/*.yaml"))
    assert list(bundle.glob("checks/kubegap_checks/signals/*.yaml"))
    assert not list(bundle.rglob("__pycache__"))
    assert not (bundle / "tests").exists()
