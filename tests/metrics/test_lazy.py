"""Nothing heavy is loaded before the first question; msgspec comes with the facts, and a start has neither (stdio)."""

import subprocess
import sys

CODE = """
import sys
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.readers import metrics_source_for
from kubegap_mcp.settings import Settings
source = metrics_source_for(Settings(metrics=MetricsSettings(url="http://127.0.0.1:1")))
source.close()
assert metrics_source_for(Settings()) is None
print(sorted({"urllib3", "ssl", "pydantic", "yaml"} & set(sys.modules)))
"""


def test_a_source_that_was_not_asked_anything_has_loaded_nothing() -> None:
    environ = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environ, capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout == "[]\n"
