"""kubernetes-mcp-server (npm), a general server for Kubernetes: its nearest questions on the same API server."""

import os
import subprocess
import tempfile
from pathlib import Path
from shutil import which
from typing import Final

from benchmarks.mcp_process import Asked, McpProcess

PACKAGE: Final = "kubernetes-mcp-server@0.0.67"
_BINARY: Final = "node_modules/kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64"
_QUESTIONS: Final = {
    "resources_list nodes": ("resources_list", {"apiVersion": "v1", "kind": "Node"}),
    "pods_list": ("pods_list", {}),
}


def measure(kubeconfig: Path) -> tuple[dict[str, Asked], int]:
    """Its answers and its peak memory; nothing where npm does not have it."""
    npm = which("npm")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm or "", "install", "--no-audit", "--no-fund", "--prefix", folder, PACKAGE]
        if npm is None or subprocess.run(command, capture_output=True, check=False, timeout=120).returncode:  # noqa: S603
            return {}, 0
        binary = Path(folder) / _BINARY
        if not binary.is_file():
            return {}, 0
        with McpProcess([str(binary), "--kubeconfig", str(kubeconfig), "--read-only"], os.environ) as server:
            answers = {name: server.ask(tool, **asked) for name, (tool, asked) in _QUESTIONS.items()}
            return answers, server.peak
