"""What a real Prometheus says of exporters that go on, fell silent, or only lost one of their GPUs."""

from pathlib import Path

from metrics.conftest import AT, Open
from metrics.fake_source import AT_S
from metrics.prometheus_server import needed, started

from kubegap_checks.facts.metrics import ExporterSeen
from kubegap_mcp.metrics.plan import plan

_UNTIL = {"goes-on": 0, "silent": 40, "long-silent": 400, "without-gpu-0": 0}


def openmetrics() -> str:
    """Seven hours, each minute, two GPUs a node; a node's last sample is so many minutes old."""
    lines = ["# TYPE DCGM_FI_DEV_GPU_TEMP gauge"]
    for name, until in _UNTIL.items():
        for gpu in ("0", "1"):
            lost = 90 if (name, gpu) == ("without-gpu-0", "0") else until
            lines += [
                f'DCGM_FI_DEV_GPU_TEMP{{Hostname="{name}",gpu="{gpu}",pod="train-{minute // 60}"}} 50 '
                f"{AT_S - minute * 60 - 7}"
                for minute in range(420, lost - 1, -1)
            ]
    return "\n".join((*lines, "# EOF", ""))


async def test_when_each_node_was_last_heard(tmp_path: Path, source: Open) -> None:
    needed()
    with started(openmetrics(), tmp_path) as url:
        prometheus = source(url)
        (query,) = plan(ExporterSeen, await prometheus.names(deadline_s=10), "").queries
        answer = await prometheus.ask(query, at=AT, deadline_s=10)

    found = {one.labels["Hostname"]: (AT_S - one.value) / 60 for one in answer.series}
    assert found.keys() == {"goes-on", "silent", "without-gpu-0"}  # the other one was silent before the window
    assert 0 <= found["goes-on"] < 1
    assert 0 <= found["without-gpu-0"] < 1
    assert 40 <= found["silent"] < 46
