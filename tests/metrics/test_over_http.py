"""The credentials that were chosen reach the source that was chosen, and nothing else."""

import base64
from pathlib import Path

import fake_tls
import pytest
from fake_apiserver import redirect
from metrics.conftest import AT, Open
from metrics.fake_source import QUERY, FakeSource

from kubegap_checks.facts.read import UnreadError
from kubegap_mcp import __version__
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.port import MetricsSource, Query

SECRET = "s3cr3t-0f-prometheus"  # noqa: S105 (of the fake)


async def ask(opened: MetricsSource) -> None:
    await opened.ask(Query("up"), at=AT, deadline_s=5, refresh=True)


async def reason(opened: MetricsSource) -> str:
    with pytest.raises(UnreadError) as raised:
        await ask(opened)
    (unread,) = raised.value.unread
    assert SECRET not in repr((raised.value, unread))
    return f"{unread.reason}: {unread.remedy.en}"


def basic(pair: str) -> str:
    return "Basic " + base64.b64encode(pair.encode()).decode()


async def test_a_request_says_who_asks_and_nothing_more(source: Open) -> None:
    with FakeSource(gzipped=True, prefix="/prometheus") as api:
        await ask(source(api.url, headers={"X-Scope-OrgID": "team-a"}))
        (seen,) = api.requests
    assert (seen.method, seen.path, seen.query["query"]) == ("GET", QUERY, "up")
    assert {name: seen.headers[name] for name in seen.headers if name not in {"host", "connection"}} == {
        "accept": "application/json",
        "accept-encoding": "gzip",
        "user-agent": f"kubegap/{__version__}",
        "x-scope-orgid": "team-a",
    }


async def test_a_password_from_the_url_or_from_a_file(source: Open, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(f"{SECRET}\n")
    with FakeSource(tokens=[basic(f"ann:{SECRET}")]) as api:
        await ask(source(api.url, username="ann", password=SECRET))
        await ask(source(api.url, username="ann", password_file=file))


async def test_a_token_is_read_again_when_it_changed(source: Open, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(SECRET)
    with FakeSource(tokens=[f"Bearer {SECRET}"]) as api:
        opened = source(api.url, token_file=file)
        await ask(opened)
        file.write_text(f"{SECRET}-two")
        api.tokens = {f"Bearer {SECRET}-two"}
        await ask(opened)
        assert len(api.requests) == 2
        api.tokens = set()
        assert (await reason(opened)).startswith("forbidden: the metrics source refused the credentials")


@pytest.mark.parametrize("content", ["", "\n", "two\nlines", "a\x07b", "토큰"])
async def test_a_file_that_holds_no_token(source: Open, tmp_path: Path, content: str) -> None:
    file = tmp_path / "token"
    file.write_text(content)
    with FakeSource() as api:
        assert "token_file" in await reason(source(api.url, token_file=file))
        assert not api.requests


@pytest.mark.parametrize("name", ["token_file", "password_file", "ca_file"])
def test_a_file_that_is_not_there_is_refused_at_once(source: Open, tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        source("http://127.0.0.1:1", **{name: tmp_path / "none"})


async def test_a_redirect_takes_no_credential_elsewhere(source: Open) -> None:
    with FakeSource() as other, FakeSource(faults={"*": redirect(f"{other.url}{QUERY}")}) as api:
        assert (await reason(source(api.url, username="ann", password=SECRET))).startswith("unreachable")
        assert not other.requests


async def test_an_authority_of_ones_own(source: Open, tmp_path: Path) -> None:
    tls = fake_tls.made()
    authority, other = tmp_path / "ca.pem", tmp_path / "other.pem"
    authority.write_bytes(tls.authority)
    other.write_text("not a certificate")
    with FakeSource(tls=tls) as api:
        await ask(source(api.url, ca_file=authority))
        assert "unreachable: TLS" in await reason(source(api.url))
        assert "holds no certificate" in await reason(source(api.url, ca_file=other))


async def test_a_proxy_is_used_as_by_other_programs(source: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeSource() as proxy, FakeSource() as api:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        await ask(source("http://prometheus.test:9090", username="ann", password=SECRET))
        (seen,) = proxy.requests
        assert (seen.headers["host"], seen.headers["authorization"]) == ("prometheus.test:9090", basic(f"ann:{SECRET}"))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        await ask(source(api.url))
        assert (len(proxy.requests), len(api.requests)) == (1, 1)
        monkeypatch.setenv("HTTP_PROXY", "gopher://x")
        assert "HTTP_PROXY" in await reason(source("http://prometheus.test:9090"))
