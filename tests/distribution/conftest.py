import subprocess
import sys
import venv
from pathlib import Path

import pytest
from distribution.machine import LONGEST_S, ROOT, Machine

sys.path.append(str(ROOT / "scripts"))  # the script that lays out the bundle


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Uv and pipx, as the package index has them now: people have no older ones for long."""
    folder = tmp_path_factory.mktemp("tools")
    venv.create(folder, with_pip=True)
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "uv", "pipx"]
    subprocess.run(install, check=True, timeout=LONGEST_S)
    return folder / "bin"


@pytest.fixture(scope="session")
def packages(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    builder = Machine(tmp_path_factory.mktemp("builder"), tools, folder)
    builder.run("uv", "build", "--out-dir", str(folder), str(ROOT))
    return folder


@pytest.fixture
def machine(tmp_path: Path, tools: Path, packages: Path) -> Machine:
    return Machine(tmp_path, tools, packages)
