"""Which metrics source a person chose; no repr of it holds an address, a header or a credential."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError

# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/: RFC 1123 and 1035 labels, port names too.
_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_SERVICE: Final = re.compile(
    rf"(?P<scheme>https?:)?(?P<namespace>{_LABEL})/(?P<name>{_LABEL}):(?P<port>{_LABEL})(?P<path>(?:/[A-Za-z0-9_-]+)*)/?"
)
_MATCHER: Final = r'[a-zA-Z_][a-zA-Z0-9_]*\s*(?:=~|!~|!=|=)\s*"(?:[^"\\\n]|\\.)*"'
_SELECTOR: Final = re.compile(rf"\s*{_MATCHER}(?:\s*,\s*{_MATCHER})*\s*,?\s*")
_MOST_SELECTOR: Final = 500  # letters; it is a part of every query, and a URL has an end
_HEADER: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}")
# Names that would change what a request is, or where it goes, or that carry what belongs in a file.
_NOT_A_HEADER: Final = re.compile(
    r"authorization|proxy-.*|cookie|host|connection|content-.*|transfer-encoding|te|upgrade|expect|accept(-.*)?"
    r"|.*method.*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service of the cluster, asked through the API server's proxy; `path` is the base below it, as "/prometheus"."""

    namespace: str
    name: str
    port: str
    https: bool = False
    path: str = ""

    @property
    def resource_name(self) -> str:
        """As it stands in the proxy's path, which is what RBAC's resourceNames are compared with."""
        return f"{'https:' if self.https else ''}{self.name}:{self.port}"

    @property
    def proxy_path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/services/{self.resource_name}/proxy{self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsSettings:
    """Either `url`, which may end in a base path, or `service`.

    `selector` are label matchers that every query needs where the source holds several clusters (`cluster="prod"`).
    """

    url: str = field(default="", repr=False)
    service: Service | None = None
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)  # of the URL itself; else it stands in a file
    password_file: Path | None = None
    token_file: Path | None = None
    ca_file: Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    selector: str = ""


@dataclass(frozen=True, slots=True)
class Address:
    url: str = field(repr=False)
    username: str = field(repr=False)
    password: str = field(repr=False)


def read_address(text: str) -> Address:
    """The base URL of the API and the credentials in it; ConfigError where it is none."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise _no_address() from None
    plain = text.isascii() and text.strip().isprintable() and not set(text.strip()) & set(' "<>\\^`{|}')
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0 or parts.query or parts.fragment:
        raise _no_address()
    if not plain or "?" in text or "#" in text or "%" in parts.path or "//" in parts.path:
        raise _no_address()
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    where = f"{host}:{port}" if port else host
    path = parts.path.rstrip("/").removesuffix("/api/v1")
    if any(step in {".", ".."} for step in path.split("/")):
        raise _no_address()
    username, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Address(f"{parts.scheme}://{where}{path}", username, password)


def read_service(text: str) -> Service:
    found = _SERVICE.fullmatch(text.strip())
    if found is None:
        raise ConfigError(
            Text(
                en="the Prometheus service is not NAMESPACE/NAME:PORT: write it as monitoring/prometheus:9090, with "
                "https: before it where the port speaks TLS",
                ko="Prometheus 서비스가 NAMESPACE/NAME:PORT 형식이 아님. monitoring/prometheus:9090처럼 적고, 포트가 "
                "TLS를 쓰면 앞에 https:를 붙인다",
            )
        )
    return Service(
        namespace=found["namespace"],
        name=found["name"],
        port=found["port"],
        https=found["scheme"] == "https:",
        path=found["path"],
    )


def checked_headers(given: Mapping[str, str]) -> Mapping[str, str]:
    """Extra headers, such as a tenant; ConfigError for those that no source needs."""
    for name, value in given.items():
        sendable = _HEADER.fullmatch(name) and value and value.isascii() and value.isprintable()
        if not sendable or _NOT_A_HEADER.fullmatch(name):
            raise ConfigError(
                Text(
                    en="a header for Prometheus cannot be sent: name a plain one such as X-Scope-OrgID; credentials "
                    "go into token_file or password_file",
                    ko="Prometheus에 보낼 수 없는 헤더가 있음. X-Scope-OrgID 같은 헤더만 적고, 자격 증명은 "
                    "token_file이나 password_file에 둔다",
                )
            )
    return dict(given)


def checked_selector(text: str) -> str:
    """Label matchers without braces, as PromQL writes them."""
    if len(text) > _MOST_SELECTOR or (text and not _SELECTOR.fullmatch(text)):
        raise ConfigError(
            Text(
                en='the selector for Prometheus is not a list of label matchers: write it as cluster="prod"',
                ko='Prometheus의 selector가 레이블 조건이 아님. cluster="prod"처럼 적는다',
            )
        )
    return text.strip().rstrip(",").rstrip()


def _no_address() -> ConfigError:
    return ConfigError(
        Text(
            en="the Prometheus URL is not the base of an http(s) API: write it as https://HOST:PORT, with the path "
            "below which /api/v1 lies if there is one, and nothing after it",
            ko="Prometheus URL이 http(s) API의 기준 주소가 아님. https://HOST:PORT처럼 적고, /api/v1이 다른 경로 밑에 "
            "있으면 그 경로까지만 적는다",
        )
    )
