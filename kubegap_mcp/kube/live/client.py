"""The one seam to the Kubernetes client: a context in, its settings and a urllib3 pool manager out."""

import base64
import binascii
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast
from urllib.parse import urlsplit

import urllib3
from kubernetes.client.configuration import Configuration  # pyright: ignore[reportMissingTypeStubs]
from kubernetes.client.rest import RESTClientObject  # pyright: ignore[reportMissingTypeStubs]
from kubernetes.config import incluster_config, kube_config  # pyright: ignore[reportMissingTypeStubs]
from kubernetes.config.config_exception import ConfigException  # pyright: ignore[reportMissingTypeStubs]
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube.live.kubeconfig import Target, shown
from kubegap_mcp.transport.ways import proxy_headers, tls_context

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONTEXT: Final = "context"


class Settings(Protocol):
    """What kubegap uses of the client's Configuration, whose own types say less."""

    host: str
    verify_ssl: bool
    ssl_ca_cert: str | None
    cert_file: str | None
    key_file: str | None
    proxy: str | None
    proxy_headers: "Mapping[str, str] | None"


class _Loader(Protocol):
    def load_and_set(self, client_configuration: object, /) -> None: ...


def settings(target: Target, store: Callable[[str], str]) -> Settings:
    """The context as the client reads it; `store` keeps a text in a private file.

    The client gets one context without its credentials: those that it would run, refresh or write back are
    kubegap's own matter (`credentials`). Inline certificates are stored by us, since the client would keep them
    in files that outlive a signal.
    """
    made = cast("Settings", Configuration())
    try:
        if target.in_cluster:
            loader = cast("Callable[..., _Loader]", incluster_config.InClusterConfigLoader)
            authority = str(target.cluster_dir / "ca.crt")
            loader(token_filename=target.user.token_file, cert_filename=authority).load_and_set(made)
        else:
            load = cast("Callable[..., None]", kube_config.load_kube_config_from_dict)
            load(_alone(target, store), context=_CONTEXT, client_configuration=made, persist_config=False)
    except ConfigException as error:
        raise ConfigError(
            Text(
                en=f"context {shown(target.name)} cannot be used: check its cluster and user entries",
                ko=f"컨텍스트 {shown(target.name)}: 쓸 수 없음. kubeconfig에서 cluster와 user 항목을 확인한다",
            )
        ) from error
    made.host = _server(made.host, target)
    if made.proxy:
        made.proxy_headers = proxy_headers(made.proxy)
    return made


def pool_manager(made: Settings, certificate: tuple[str, str] | None, context: str) -> urllib3.PoolManager:
    """The client's transport for these settings; `certificate` (file, key file) goes before the kubeconfig's."""
    if certificate:
        made.cert_file, made.key_file = certificate
    try:
        rest = RESTClientObject(made)
    except ImportError as error:
        raise ConfigError(
            Text(
                en=f"context {shown(context)} uses a SOCKS proxy, which needs PySocks: install it beside kubegap "
                "(uv tool install kubegap-mcp --with pysocks)",
                ko=f"컨텍스트 {shown(context)}: SOCKS 프록시를 쓰는데 PySocks가 없음. kubegap 옆에 설치한다"
                "(uv tool install kubegap-mcp --with pysocks)",
            )
        ) from error
    except ValueError as error:  # of urllib3 too: LocationValueError
        raise ConfigError(
            Text(
                en=f"the proxy of context {shown(context)} is not an address: correct proxy-url in the kubeconfig, or "
                "HTTPS_PROXY and HTTP_PROXY",
                ko=f"컨텍스트 {shown(context)}: 프록시가 주소가 아님. kubeconfig의 proxy-url이나 HTTPS_PROXY, "
                "HTTP_PROXY를 바로잡는다",
            )
        ) from error
    manager = rest.pool_manager
    if urlsplit(made.host).scheme == "https":
        manager.connection_pool_kw["ssl_context"] = tls_context(
            verify=made.verify_ssl, own_authority=bool(made.ssl_ca_cert)
        )
    return manager


def _alone(target: Target, store: Callable[[str], str]) -> dict[str, object]:
    files = _Files(target.name, store)
    cluster, user = target.cluster, target.user
    cluster_part: dict[str, object] = {
        "server": cluster.server,
        "certificate-authority": files.path(
            "certificate-authority",
            cluster.certificate_authority_data,
            cluster.certificate_authority,
            target.cluster_dir,
        ),
        "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
        "tls-server-name": cluster.tls_server_name,
        "proxy-url": cluster.proxy_url,
    }
    user_part: dict[str, object] = {
        "client-certificate": files.path(
            "client-certificate", user.client_certificate_data, user.client_certificate, target.user_dir
        ),
        "client-key": files.path("client-key", user.client_key_data, user.client_key, target.user_dir),
    }
    return {
        "current-context": _CONTEXT,
        "contexts": [{"name": _CONTEXT, "context": {"cluster": "cluster", "user": "user"}}],
        "clusters": [{"name": "cluster", "cluster": {key: value for key, value in cluster_part.items() if value}}],
        "users": [{"name": "user", "user": {key: value for key, value in user_part.items() if value}}],
    }


class _Files:
    def __init__(self, context: str, store: Callable[[str], str]) -> None:
        self._context = context
        self._store = store

    def path(self, field: str, data: str, path: str, base: Path) -> str:
        """A file with this content; inline data goes before a path, as with kubectl."""
        if data:
            try:
                content = base64.b64decode(data).decode()
            except (binascii.Error, ValueError) as error:
                raise ConfigError(
                    Text(
                        en=f"{field}-data of context {shown(self._context)} is not base64 text: correct the kubeconfig",
                        ko=f"컨텍스트 {shown(self._context)}: {field}-data가 base64 텍스트가 아님. "
                        "kubeconfig를 바로잡는다",
                    )
                ) from error
            return self._store(content)
        if path and not os.path.isfile(base / path):  # noqa: PTH113 (Path's raises where a name is too long)
            raise ConfigError(
                Text(
                    en=f"{field} of context {shown(self._context)} names a file that is not there: correct the "
                    "kubeconfig",
                    ko=f"컨텍스트 {shown(self._context)}: {field}에 적힌 파일이 없음. kubeconfig를 바로잡는다",
                )
            )
        return str(base / path) if path else ""


def _server(server: str, target: Target) -> str:
    """The address as urllib3 spells it, so that the gate compares like with like."""
    given = target.in_cluster or bool(target.cluster.server)
    try:
        parts = parse_url(server) if given else None
    except LocationParseError:
        parts = None
    known = parts is not None and parts.scheme in {"http", "https"} and parts.host and parts.port != 0
    if parts is None or not known or set(server) & set("@?#; \\"):
        raise ConfigError(
            Text(
                en=f"the server of context {shown(target.name)} is not an http(s) address: correct it in the "
                "kubeconfig",
                ko=f"컨텍스트 {shown(target.name)}: server가 http(s) 주소가 아님. kubeconfig에서 바로잡는다",
            )
        )
    return parts.url.rstrip("/")
