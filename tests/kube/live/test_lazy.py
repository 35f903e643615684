"""Nothing heavy is loaded before the first question; msgspec comes with the facts, and a start has neither (stdio)."""

import subprocess
import sys

CODE = """
import sys
from kubegap_mcp.kube.live import LiveClusters
clusters = LiveClusters()
clusters.close()
print(sorted({"kubernetes", "yaml", "urllib3", "pydantic"} & set(sys.modules)))
"""


def test_a_reader_that_was_not_asked_anything_has_loaded_nothing() -> None:
    environ = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environ, capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout == "[]\n"


def test_certificates_are_not_loaded_before_there_is_one_to_read() -> None:
    code = "from kubegap_mcp.kube.gather.registry import gatherers; gatherers(); import sys; print(*sys.modules)"
    environ = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=20, check=True
    )
    assert "cryptography" not in done.stdout.split()
