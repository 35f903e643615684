"""Runs a kubeconfig's credential plugin: without our stdin, within a deadline, and never in silence.

The Kubernetes client runs plugins without a time-out and goes on without credentials when one fails, so kubegap
runs them itself. https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
"""

import base64
import json
import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from kubegap_checks.text import Text
from kubegap_mcp.errors import ClusterUnreachable, ConfigError
from kubegap_mcp.foreign.complaint import complaint
from kubegap_mcp.foreign.decode import decode
from kubegap_mcp.kube.live import child
from kubegap_mcp.kube.live.kubeconfig import Exec, Target, shown
from kubegap_mcp.transport.deadline import Deadline

TIME_LIMIT_S: Final = 10.0
_VERSIONS = frozenset({"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"})
_CLUSTER_EXTENSION = "client.authentication.k8s.io/exec"
_BY_HAND: Final = Text(
    en="run a kubectl command with this context by hand, log in if it asks, then ask again",
    ko="이 컨텍스트로 kubectl 명령을 직접 실행하고, 로그인을 요구하면 로그인한 뒤 다시 묻는다",
)


@dataclass(frozen=True, slots=True)
class PluginCredential:
    """What the plugin gave: a token, or a certificate with its key (PEM), and when it ends."""

    token: str = ""
    certificate: str = ""
    key: str = ""
    expires: datetime | None = None


class _Status(msgspec.Struct, rename="camel"):
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: datetime | None = None


class _Answer(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    status: _Status


def check(plugin: Exec, target: Target) -> None:
    """Refuses what cannot work before anything is run."""
    if plugin.api_version not in _VERSIONS:
        raise ConfigError(
            Text(
                en=f"the credential plugin of context {shown(target.name)} uses an API version that is not known: "
                "write client.authentication.k8s.io/v1 in the kubeconfig",
                ko=f"컨텍스트 {shown(target.name)}: 자격 증명 플러그인의 apiVersion을 알 수 없음. kubeconfig에 "
                "client.authentication.k8s.io/v1을 적는다",
            )
        )
    if not plugin.command:
        raise ConfigError(
            Text(
                en=f"the credential plugin of context {shown(target.name)} has no command: add it",
                ko=f"컨텍스트 {shown(target.name)}: 자격 증명 플러그인에 command가 없음. 적어 넣는다",
            )
        )
    if plugin.interactive_mode == "Always":
        raise ConfigError(
            Text(
                en=f"the credential plugin of context {shown(target.name)} needs a terminal (interactiveMode: Always), "
                "which kubegap does not have: configure a way to log in that needs none, or choose another context",
                ko=f"컨텍스트 {shown(target.name)}: 자격 증명 플러그인이 kubegap에는 없는 터미널을 요구함"
                "(interactiveMode: Always). 터미널 없이 로그인하도록 설정하거나 다른 컨텍스트를 고른다",
            )
        )


def run(plugin: Exec, target: Target, deadline: Deadline, *, limit_s: float = TIME_LIMIT_S) -> PluginCredential:
    """One run; ClusterUnreachable with one sentence where it gives no credential."""
    who = _called(plugin, target)
    environ = _environment(plugin, target)
    command = _find(plugin, target, environ)
    hint = f" ({complaint(plugin.install_hint)})" if plugin.install_hint else ""
    if command is None:
        raise ClusterUnreachable(
            Text(
                en=f"{who.en} was not found on PATH: install it{hint}",
                ko=f"{who.ko}: PATH에 없음. 설치한다{hint}",
            )
        )
    try:
        ended = child.run([command, *(plugin.args or ())], environ, deadline, limit_s)
    except (OSError, ValueError) as error:
        raise ClusterUnreachable(
            Text(
                en=f"{who.en} could not be started: run it by hand to see why{hint}",
                ko=f"{who.ko}: 시작할 수 없음. 직접 실행해 이유를 확인한다{hint}",
            )
        ) from error
    if ended.failed:
        tail = complaint(ended.complaint)
        en_says, ko_says = (f" and says: {tail}", f", 메시지: {tail}") if tail else ("", "")
        raise ClusterUnreachable(
            Text(
                en=f"{who.en} {ended.failed.en}{en_says}; {_BY_HAND.en}",
                ko=f"{who.ko}: {ended.failed.ko}{ko_says}. {_BY_HAND.ko}",
            )
        )
    return _credential(ended.output, plugin, who)


def not_in_time(plugin: Exec, target: Target) -> ClusterUnreachable:
    """Where the question's own time ended before the plugin did."""
    who = _called(plugin, target)
    return ClusterUnreachable(
        Text(
            en=f"{who.en} did not end in time; {_BY_HAND.en}",
            ko=f"{who.ko}: 제시간에 끝나지 않음. {_BY_HAND.ko}",
        )
    )


def _called(plugin: Exec, target: Target) -> Text:
    name = shown(Path(plugin.command).name)
    return Text(
        en=f"the credential plugin {name} of context {shown(target.name)}",
        ko=f"컨텍스트 {shown(target.name)}의 자격 증명 플러그인 {name}",
    )


def _environment(plugin: Exec, target: Target) -> dict[str, str]:
    spec: dict[str, object] = {"interactive": False}
    if plugin.provide_cluster_info:
        spec["cluster"] = _cluster_info(target)
    info = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}
    try:
        told = json.dumps(info, default=str)
    except (TypeError, ValueError, RecursionError) as error:  # a date as a key, an alias of itself
        raise ConfigError(
            Text(
                en=f"the cluster of context {shown(target.name)} has an extension that is not JSON: correct the "
                "kubeconfig",
                ko=f"컨텍스트 {shown(target.name)}: cluster에 JSON이 아닌 extension이 있음. kubeconfig를 바로잡는다",
            )
        ) from error
    return {
        **os.environ,
        **{variable.name: variable.value for variable in plugin.env or ()},
        "KUBERNETES_EXEC_INFO": told,
    }


def _cluster_info(target: Target) -> dict[str, object]:
    cluster = target.cluster
    authority = cluster.certificate_authority_data
    if not authority and cluster.certificate_authority:
        try:
            content = (target.cluster_dir / cluster.certificate_authority).read_bytes()
        except OSError:
            content = b""
        authority = base64.b64encode(content).decode()
    extensions = cluster.extensions or ()
    config = next((item.extension for item in extensions if item.name == _CLUSTER_EXTENSION), None)
    info: dict[str, object] = {
        "server": cluster.server,
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
        "certificate-authority-data": authority,
        "proxy-url": cluster.proxy_url,
        "config": config,
    }
    return {key: value for key, value in info.items() if value}


def _find(plugin: Exec, target: Target, environ: dict[str, str]) -> str | None:
    """A bare name is looked up on PATH; a path with a separator is relative to the kubeconfig."""
    command = plugin.command
    if os.path.basename(command) == command:  # noqa: PTH119 (Path would drop a leading ./)
        return shutil.which(command, path=environ.get("PATH"))
    return shutil.which(str(target.user_dir / command))


def _credential(output: str, plugin: Exec, who: Text) -> PluginCredential:
    def refused(en: str, ko: str) -> ClusterUnreachable:
        return ClusterUnreachable(Text(en=f"{who.en} {en}; {_BY_HAND.en}", ko=f"{who.ko}: {ko}. {_BY_HAND.ko}"))

    try:
        answer = decode(output, _Answer)
    except msgspec.DecodeError:
        raise refused("did not print a credential", "자격 증명을 출력하지 않음") from None
    status = answer.status
    if answer.kind != "ExecCredential" or answer.api_version != plugin.api_version:
        raise refused(
            "printed a credential of another version than the kubeconfig's",
            "kubeconfig와 다른 버전의 자격 증명을 출력함",
        )
    if not status.token and not (status.client_certificate_data and status.client_key_data):
        raise refused(
            "printed neither a token nor a certificate with its key",
            "토큰도, 키가 딸린 인증서도 출력하지 않음",
        )
    expires = status.expiration_timestamp
    return PluginCredential(
        token=status.token.strip(),
        certificate=status.client_certificate_data,
        key=status.client_key_data,
        expires=expires.replace(tzinfo=expires.tzinfo or UTC) if expires else None,
    )
