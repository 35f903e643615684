"""Secrets of a metrics source, its headers, password and token, and what it answers: in no answer, error or trace."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_apiserver import Fault, redirect, status
from metrics.fake_source import FakeSource, error

from kubegap_mcp.app import Kubegap
from kubegap_mcp.cli import main
from kubegap_mcp.metrics.reader import Metrics
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.metrics.source import source_for
from kubegap_mcp.report.text import render
from kubegap_mcp.settings import Settings
from tests.secrets.planted import canary
from tests.secrets.test_canaries import assert_none

FAULTS: dict[str, Callable[[], Fault]] = {
    "nothing": Fault,
    "refused": lambda: status(401, "Unauthorized", canary()),
    "not understood": lambda: error(422, "execution", f"token {canary()} password={canary()} https://u:{canary()}@x/"),
    "broken": lambda: status(500, "InternalError", canary()),
    "elsewhere": lambda: redirect(f"https://login.internal/?token={canary()}"),
}


def secret_file(folder: Path, name: str) -> Path:
    (folder / name).write_text(canary(), encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("kind", ["token", "password"])
async def test_no_secret_of_a_metrics_source_is_told(name: str, kind: str, tmp_path: Path) -> None:
    with FakeSource(faults={"*": FAULTS[name]()}) as source:
        secret = secret_file(tmp_path, kind)
        metrics = MetricsSettings(
            url=source.url,
            headers={"X-Scope-OrgID": canary()},
            token_file=secret if kind == "token" else None,
            username=canary() if kind == "password" else "",
            password_file=secret if kind == "password" else None,
        )
        app = Kubegap(Settings(demo=True, metrics=metrics, trace=tmp_path / "trace"))
        app.metrics = Metrics(source_for(metrics, log=app.log))
        answer = await app.check_topic("ib_health")
        app.close()
        told = json.dumps(answer.model_dump(mode="json")) + render(answer, "en") + render(answer, "ko")
        told += app.log.page() + (tmp_path / "trace").read_text(encoding="utf-8") + repr(app.settings)
        assert source.requests
        assert "/api/v1/" in told
        assert_none(name, told)
        assert source.address not in told


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_no_error_about_a_metrics_source_tells_its_secrets(
    lang: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "kubegap.toml"
    for line in (
        f'url = "https://user:{canary()}@[/"',
        f'url = "https://user:{canary()}@prom.internal/?token={canary()}"',
        f'url = "prom.internal"\npassword = "{canary()}"',
        f'url = "https://prom.internal"\nheaders = {{Authorization = "Bearer {canary()}"}}',
        f'url = "https://prom.internal"\nheaders = {{"X-Token" = "{canary()}\\n{canary()}"}}',
        f'url = "https://prom.internal"\nusername = ["{canary()}"]',
    ):
        config.write_text(f"[prometheus]\n{line}\n", encoding="utf-8")
        assert main(["audit", "--config", str(config), "--kubeconfig", str(tmp_path / "none"), "--lang", lang]) == 2
    shown = capsys.readouterr()
    assert_none("an error", shown.out + shown.err)
