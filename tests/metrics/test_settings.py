"""An address, a service, headers and a selector as people write them; what is wrong is refused without repeating it."""

import pytest

from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.settings import (
    MetricsSettings,
    checked_headers,
    checked_selector,
    read_address,
    read_service,
)


@pytest.mark.parametrize(
    ("text", "url", "username", "password"),
    [
        ("http://prometheus:9090", "http://prometheus:9090", "", ""),
        (" https://mimir.example/prometheus/ ", "https://mimir.example/prometheus", "", ""),
        ("http://thanos:10902/api/v1", "http://thanos:10902", "", ""),
        ("https://ann:p%40ss@prom.example", "https://prom.example", "ann", "p@ss"),
        ("http://[fd00::1]:9090/select/0/prometheus", "http://[fd00::1]:9090/select/0/prometheus", "", ""),
    ],
)
def test_an_address_with_its_base_path_and_credentials(text: str, url: str, username: str, password: str) -> None:
    address = read_address(text)
    assert (address.url, address.username, address.password) == (url, username, password)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "prometheus:9090",
        "ftp://x",
        "https://",
        "http://x:port",
        "http://x:0",
        "http://x/?query=up",
        "http://x/#graph",
        "http://x/a b",
        "http://x/../y",
        "http://x//y",
        "http://x/%2e%2e/y",
        "http://x/\r\nHost: y",
        "http://x\\@y",
        "http://프로메테우스",
    ],
)
def test_what_is_no_address_is_refused_without_being_repeated(text: str) -> None:
    with pytest.raises(ConfigError, match="is not the base") as error:
        read_address(text)
    assert text in {"", "https://"} or text not in str(error.value)


def test_no_repr_holds_an_address_or_a_credential() -> None:
    settings = MetricsSettings(url="http://u-r-l", username="ann", password="pw", headers={"X-Key": "header"})  # noqa: S106
    told = repr((settings, read_address("http://ann:pw@u-r-l")))
    assert not any(part in told for part in ("u-r-l", "ann", "pw", "header"))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("monitoring/prometheus:9090", "/api/v1/namespaces/monitoring/services/prometheus:9090/proxy"),
        ("https:mon/prom-k8s:web", "/api/v1/namespaces/mon/services/https:prom-k8s:web/proxy"),
        ("http:mon/mimir:80/prometheus/", "/api/v1/namespaces/mon/services/mimir:80/proxy/prometheus"),
    ],
)
def test_a_service_by_its_name(text: str, path: str) -> None:
    assert read_service(text).proxy_path == path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "prometheus",
        "a/b",
        "a/b:",
        "a/b:9090/../c",
        "a/b:9090?x",
        "A/b:1",
        "a/b/c:1",
        "ftp:a/b:1",
        "a/b:%2e",
        "a/b:1//c",
    ],
)
def test_what_is_no_service_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="NAMESPACE/NAME:PORT"):
        read_service(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Bearer x"),
        ("Host", "x"),
        ("X-HTTP-Method-Override", "POST"),
        ("Content-Length", "5"),
        ("X-Scope-OrgID", "a\r\nHost: b"),
        ("X Scope", "a"),
        ("X-Scope-OrgID", ""),
    ],
)
def test_a_header_that_would_change_the_request_is_refused(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match="header"):
        checked_headers({name: value})


@pytest.mark.parametrize("text", ['cluster="prod"', 'cluster="a", region=~"us-.*",', 'x!="a\\"b"', ""])
def test_a_selector_is_label_matchers(text: str) -> None:
    assert checked_selector(text) == text.rstrip(",")


@pytest.mark.parametrize(
    "text",
    ["prod", '{cluster="prod"}', 'cluster="a"} or up{x="b"', "cluster='a'", 'cluster="a', f'cluster="{"a" * 500}"'],
)
def test_what_is_no_selector_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="label matchers"):
        checked_selector(text)


def test_a_selector_fits_into_every_query() -> None:
    with pytest.raises(ConfigError, match="label matchers"):
        checked_selector(f'cluster=~"{"a" * 500}"')
