"""Which metrics source: a command's words go before the environment, and that before the configuration file."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, cast

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.settings import (
    Address,
    MetricsSettings,
    checked_headers,
    checked_selector,
    read_address,
    read_service,
)
from kubegap_mcp.names import near, quoted

_KEYS: Final = (
    "url",
    "service",
    "username",
    "password_file",
    "token_file",
    "ca_file",
    "headers",
    "selector",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsChoice:
    """What one place says. Where it names an address, the rest of it goes to that address and to no other."""

    url: str = field(default="", repr=False)
    service: str = ""
    username: str = field(default="", repr=False)
    password_file: Path | None = None
    token_file: Path | None = None
    ca_file: Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    selector: str = ""

    @property
    def address(self) -> tuple[str, str]:
        return (self.url.strip(), self.service.strip())

    @property
    def names_one(self) -> bool:
        return any(self.address)


def from_environment() -> MetricsChoice:
    """KUBEGAP_PROMETHEUS and its like; an empty value counts as not set."""

    def word(name: str) -> str:
        return os.environ.get(f"KUBEGAP_PROMETHEUS{name}", "")

    def file(name: str) -> Path | None:
        return Path(word(name)).expanduser() if word(name) else None

    return MetricsChoice(
        url=word(""),
        service=word("_SERVICE"),
        username=word("_USERNAME"),
        password_file=file("_PASSWORD_FILE"),
        token_file=file("_TOKEN_FILE"),
        ca_file=file("_CA"),
        headers=_headers_in(word("_HEADERS")),
    )


def from_table(path: Path, told: object) -> MetricsChoice:
    """`[prometheus]` of the configuration file at `path`, from whose folder relative paths are taken."""
    if not isinstance(told, dict):
        raise _wrong(path, Text(en="prometheus must be a table", ko="prometheus는 표여야 함"))
    table = cast("Mapping[str, object]", told)
    for key in table:
        if key not in _KEYS:
            some = near(key, _KEYS)
            raise _wrong(
                path,
                Text(
                    en=f"prometheus has no key {quoted(key)}: {some.en}",
                    ko=f"prometheus에 없는 키 {quoted(key)}. {some.ko}",
                ),
            )
    texts = _texts(path, {key: value for key, value in table.items() if key != "headers"})
    headers = table.get("headers", {})
    if not isinstance(headers, dict):
        raise _wrong(path, Text(en='write headers as { Name = "value" }', ko='headers는 { Name = "값" }처럼 적는다'))

    def file(key: str) -> Path | None:
        return path.parent / Path(texts[key]).expanduser() if texts.get(key) else None

    return MetricsChoice(
        url=texts.get("url", ""),
        service=texts.get("service", ""),
        username=texts.get("username", ""),
        selector=texts.get("selector", ""),
        headers=_texts(path, cast("Mapping[str, object]", headers)),
        password_file=file("password_file"),
        token_file=file("token_file"),
        ca_file=file("ca_file"),
    )


def _texts(path: Path, told: Mapping[str, object]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for key, value in told.items():
        if not isinstance(value, str):
            raise _wrong(path, Text(en=f"{quoted(key)} must be a text", ko=f"{quoted(key)}에는 글을 적는다"))
        texts[key] = value
    return texts


def settings_of(*places: MetricsChoice) -> MetricsSettings | None:
    """The first place that names a source decides; None where none does. Raises ConfigError for what cannot be."""
    if any(place.url and place.service for place in places):
        raise ConfigError(
            Text(
                en="a Prometheus URL and a Prometheus service exclude each other: give one of them",
                ko="Prometheus URL과 서비스는 함께 쓸 수 없음. 하나만 준다",
            )
        )
    chosen = next((place for place in places if place.names_one), None)
    if chosen is None:
        return None
    speaking = [place for place in places if not place.names_one or place.address == chosen.address]
    access = _joined(speaking)
    selector = checked_selector(access.selector)
    if chosen.service:
        return _of_service(chosen.service, access, selector)
    return _of_address(read_address(chosen.url), access, selector)


def _joined(places: list[MetricsChoice]) -> MetricsChoice:
    def first(name: str) -> object:
        return next((value for place in places if (value := getattr(place, name))), getattr(MetricsChoice(), name))

    return MetricsChoice(**{name: first(name) for name in _KEYS})  # type: ignore[arg-type]


def _of_service(service: str, access: MetricsChoice, selector: str) -> MetricsSettings:
    if access.username or access.password_file or access.token_file or access.ca_file or access.headers:
        raise ConfigError(
            Text(
                en="a Prometheus service is asked with the cluster's own credentials: leave out username, files and "
                "headers, or name its URL",
                ko="Prometheus 서비스는 클러스터의 자격 증명으로 조회함. username과 파일, 헤더를 빼거나 URL을 적는다",
            )
        )
    return MetricsSettings(service=read_service(service), selector=selector)


def _of_address(address: Address, access: MetricsChoice, selector: str) -> MetricsSettings:
    has_password = bool(address.password or access.password_file)
    wrong = [
        bool(address.username and access.username),
        bool(address.password and access.password_file),
        has_password != bool(address.username or access.username),
        has_password and access.token_file is not None,
    ]
    if any(wrong):
        raise ConfigError(
            Text(
                en="the credentials for Prometheus do not fit together: give username with password_file, or "
                "token_file alone",
                ko="Prometheus의 자격 증명이 서로 맞지 않음. username과 password_file을 함께 주거나 token_file만 준다",
            )
        )
    return MetricsSettings(
        url=address.url,
        username=address.username or access.username,
        password=address.password,
        password_file=access.password_file,
        token_file=access.token_file,
        ca_file=access.ca_file,
        headers=checked_headers(access.headers),
        selector=selector,
    )


def _headers_in(text: str) -> Mapping[str, str]:
    """`Name=value,Name=value`, as OTEL_EXPORTER_OTLP_HEADERS has it."""
    pairs = [item.partition("=") for item in text.split(",") if item.strip()]
    return {name.strip(): value.strip() for name, _, value in pairs}


def _wrong(path: Path, text: Text) -> ConfigError:
    return ConfigError(Text(en=f"{path}: {text.en}", ko=f"{path}: {text.ko}"))
