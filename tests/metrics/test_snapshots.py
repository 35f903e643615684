"""A snapshot that carries what a metrics source said gives the report that the live cluster gave."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest
import yaml
from fake_apiserver import FakeApiServer
from metrics import prometheus_server
from metrics.fake_source import FakeSource, error

from kubegap_mcp.app import Kubegap
from kubegap_mcp.cli import main
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.report.models import TopicAnswer
from kubegap_mcp.settings import Settings
from tests.whole_clusters.objects import Object, write
from tests.whole_clusters.parts.nodes import H100, gfd, node

NODES = ("gpu-0", "gpu-1")
FLAPS = "gpu-1"


def objects() -> Iterator[Object]:
    for name in NODES:
        yield node(name, gfd(H100, 8), {"nvidia.com/gpu": 8, "rdma/hca": 8}, storage="900Gi")


def samples() -> str:
    """Two hours until now of two clusters whose nodes have the same names; a port of one lost its link twelve times."""
    end = int(datetime.now(UTC).timestamp())
    lines = ["# TYPE node_infiniband_link_downed_total unknown"]
    for cluster in ("a", "b"):
        for name in NODES:
            labels = f'cluster="{cluster}",node="{name}",device="mlx5_0",port="1"'
            rising = name == FLAPS and cluster == "a"
            for step in range(120):
                value = step // 10 if rising else 1
                lines.append(f"node_infiniband_link_downed_total{{{labels}}} {value} {end - (119 - step) * 60}")
    lines.append("# TYPE node_infiniband_rate_bytes_per_second unknown")
    for name in NODES:  # which a driver that is going down writes
        labels = f'cluster="b",node="{name}",device="mlx5_0",port="1"'
        lines.append(f"node_infiniband_rate_bytes_per_second{{{labels}}} NaN {end}")
    lines.append("# TYPE DCGM_FI_DEV_XID_ERRORS unknown")
    gpu = 'cluster="a",Hostname="gpu-0",gpu="3"'
    held = gpu + ',exported_namespace="ml",exported_pod="train-0"'
    for step in range(60):  # until the Xid ends the pod, and with it these labels
        lines.append(f"DCGM_FI_DEV_XID_ERRORS{{{held}}} 0 {end - (119 - step) * 60}")
        lines.append(f"DCGM_FI_DEV_XID_ERRORS{{{gpu}}} 79 {end - (59 - step) * 60}")
    return "\n".join([*lines, "# EOF\n"])


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    prometheus_server.needed()
    with prometheus_server.started(samples(), tmp_path_factory.mktemp("prometheus")) as url:
        yield url


def fabric(settings: Settings) -> TopicAnswer:
    kubegap = Kubegap(settings)
    try:
        return anyio.run(lambda: kubegap.check_topic("ib_health"))
    finally:
        kubegap.close()


def told(answer: TopicAnswer) -> dict[str, object]:
    return answer.model_dump(exclude={"cluster"})


@pytest.mark.parametrize(("cluster", "status"), [("a", "gap"), ("b", "clear")])
def test_a_snapshot_with_metrics_gives_the_report_of_the_live_cluster(
    cluster: str, status: str, prometheus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own label matchers tell its nodes from those of another cluster in the same source."""
    monkeypatch.setenv("HOME", str(tmp_path))
    config = tmp_path / "kubegap.toml"
    config.write_text(f"[prometheus]\nurl = '{prometheus}'\nselector = 'cluster=\"{cluster}\"'\n")
    with FakeApiServer(objects()) as api:
        kubeconfig = api.kubeconfig(tmp_path)
        words = ["snapshot", "-o", str(tmp_path / "taken"), "--kubeconfig", str(kubeconfig), "--config", str(config)]
        assert main(words) == 0
        metrics = MetricsSettings(url=prometheus, selector=f'cluster="{cluster}"')
        live = fabric(Settings(kubeconfig=kubeconfig, metrics=metrics))

    recorded = fabric(Settings(snapshot=tmp_path / "taken"))

    assert told(recorded) == told(live)
    statuses = {check.id: check.status for check in live.checks}
    assert statuses["ib_health.link_errors_rising"] == status
    assert statuses["ib_health.link_rate_degraded"] == "unknown"  # no speed, or one that is no number


@pytest.mark.parametrize(("lang", "line"), [("en", "  metrics ("), ("ko", "  메트릭 (")])
def test_a_source_that_gives_nothing_is_told_as_any_kind_that_could_not_be_read(
    lang: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with FakeApiServer(objects()) as api, FakeSource(faults={"*": error(422, "execution", "no")}) as source:
        words = ["--kubeconfig", str(api.kubeconfig(tmp_path)), "--prometheus", source.url, "--lang", lang]
        assert main(["snapshot", "-o", str(tmp_path / "taken"), *words]) == 0

    printed = capsys.readouterr().out
    [told] = [one for one in printed.splitlines() if one.startswith(line)]
    assert told.partition("): ")[2]
    assert source.url not in printed


def test_a_source_that_answers_all_is_not_told_as_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with FakeApiServer(objects()) as api, FakeSource() as source:
        words = ["--kubeconfig", str(api.kubeconfig(tmp_path)), "--prometheus", source.url, "--lang", "en"]
        assert main(["snapshot", "-o", str(tmp_path / "taken"), *words]) == 0

    assert not [line for line in capsys.readouterr().out.splitlines() if line.startswith("  metrics ")]


def test_an_xid_that_ends_its_pod_is_seen(prometheus: str, tmp_path: Path) -> None:
    """Its labels change at the same time: no series ever changes its value."""
    metrics = MetricsSettings(url=prometheus, selector='cluster="a"')
    with FakeApiServer(objects()) as api:
        kubegap = Kubegap(Settings(kubeconfig=api.kubeconfig(tmp_path), metrics=metrics))
        try:
            answer = anyio.run(lambda: kubegap.explain_gap("gpu_health.gpu_errors_rising"))
        finally:
            kubegap.close()

    (finding,) = answer.findings
    assert finding.subject == "Node/gpu-0"
    assert "79" in finding.says


def test_a_snapshot_without_metrics_has_no_source(tmp_path: Path) -> None:
    answer = fabric(Settings(snapshot=write(objects(), tmp_path)))

    [lacking] = [item for item in answer.unread if item.reason == "no_metrics_source"]
    assert "ib_health.link_errors_rising" in lacking.checks


def test_a_file_that_kubegap_did_not_write_is_refused_by_name(tmp_path: Path) -> None:
    folder = write(objects(), tmp_path)
    (folder / "kubegap-metrics.json").write_text(json.dumps({"schema": 9}))

    with pytest.raises(ConfigError, match=r"kubegap-metrics\.json"):
        fabric(Settings(snapshot=folder))


def test_a_source_is_not_asked_about_another_context(prometheus: str, tmp_path: Path) -> None:
    with FakeApiServer(objects()) as api:
        kubegap = Kubegap(Settings(kubeconfig=two_contexts(api, tmp_path), metrics=MetricsSettings(url=prometheus)))
        try:
            answer = anyio.run(lambda: kubegap.check_topic("ib_health", context="other"))
        finally:
            kubegap.close()

    [lacking] = [item for item in answer.unread if item.reason == "no_metrics_source"]
    assert "ib_health.link_errors_rising" in lacking.checks
    assert "--context" in lacking.remedy


def two_contexts(api: FakeApiServer, folder: Path) -> Path:
    """The usual kubeconfig, with a second name for the same cluster."""
    path = api.kubeconfig(folder)
    config = yaml.safe_load(path.read_text())
    config["contexts"].append({**config["contexts"][0], "name": "other"})
    path.write_text(yaml.safe_dump(config))
    return path
