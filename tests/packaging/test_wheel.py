"""What a wheel holds: every file of the three packages, the programs, the README that claims the name."""

import os
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from hatchling.build import build_wheel

import kubegap_mcp

ROOT = Path(__file__).parents[2]
PACKAGES = ("kubegap_mcp", "checks/kubegap_checks", "incident_library/kubegap_incidents")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    before = Path.cwd()
    os.chdir(ROOT)  # where a build front end would stand
    try:
        return folder / build_wheel(str(folder))
    finally:
        os.chdir(before)


def metadata(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return archive.read(name).decode()


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = {
        path.relative_to((ROOT / package).parent).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == wanted
    assert {Path(name).suffix for name in held} >= {".yaml", ".json", ".typed"}


def test_both_programs_are_installed(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        text = archive.read(name).decode()
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert set(scripts) == {"kubegap", "kubegap-mcp"}
    assert text.splitlines() == ["[console_scripts]", *(f"{name} = {place}" for name, place in scripts.items())]


def test_its_description_claims_the_name_in_the_registry(wheel: Path):
    described = Parser().parsestr(metadata(wheel))
    assert described["Name"] == "kubegap-mcp"
    assert described["Version"] == kubegap_mcp.__version__
    assert "<!-- mcp-name: io.github.kubegap/kubegap-mcp -->" in described.get_payload()
