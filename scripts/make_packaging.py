"""Keeps what is published beside the wheel equal to the package: `python scripts/make_packaging.py`.

It writes the version (kubegap_mcp.__version__) and the roles (`kubegap rbac`) into the files that repeat them.
`python scripts/make_packaging.py bundle` also lays out the .mcpb bundle in build/mcpb, ready for `mcpb pack`.
"""

import re
import shutil
import sys
from pathlib import Path

import kubegap_mcp
from kubegap_mcp.app import Kubegap
from kubegap_mcp.settings import Settings

ROOT = Path(__file__).parent.parent
MADE = "# made by scripts/make_packaging.py from `kubegap rbac`"
NAMESPACE = "team-a"  # as packaging/kubernetes/namespace/kustomization.yaml says

# A file, and what stands around each version in it.
VERSIONS = {
    "server.json": r'(?<="version": ")[^"]+',
    "packaging/claude-plugin/.claude-plugin/plugin.json": r'(?<="version": ")[^"]+|(?<=kubegap-mcp@)[^"]+',
    "packaging/mcpb/manifest.json": r'(?<="version": ")[^"]+',
    "Dockerfile": r'(?<=image\.version=")[^"]+',
}
ROLES = {
    "packaging/kubernetes/cluster/clusterrole.yaml": None,
    "packaging/kubernetes/namespace/role.yaml": NAMESPACE,
}
BUNDLED = ("pyproject.toml", "README.md", "LICENSE", "kubegap_mcp", "checks", "incident_library")


def files() -> dict[str, str]:
    """Path to content, as each should be."""
    stamped = {
        name: re.sub(place, kubegap_mcp.__version__, (ROOT / name).read_text(encoding="utf-8"))
        for name, place in VERSIONS.items()
    }
    roles = {name: Kubegap(Settings()).rbac(namespace=namespace) for name, namespace in ROLES.items()}
    return stamped | {name: f"{MADE}\n{text}" for name, text in roles.items()}


def write() -> None:
    for name, text in files().items():
        (ROOT / name).write_text(text, encoding="utf-8", newline="\n")


def bundle(folder: Path = ROOT / "build" / "mcpb") -> Path:
    """The source whole: the bundle's uv installs it, so it needs nothing of ours to be published."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "packaging" / "mcpb" / "manifest.json", folder)
    for name in BUNDLED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    return folder


if __name__ == "__main__":
    write()
    if sys.argv[1:] == ["bundle"]:
        sys.stdout.write(f"{bundle()}\n")
