"""First contact with an API server: it answers, it is one, and what it has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from kubegap_checks.facts.read import Kind
from kubegap_mcp.errors import ClusterUnreachable
from kubegap_mcp.kube.clean import clean
from kubegap_mcp.kube.live.connection import Answer, Cause, Connection, NoAnswerError, Request
from kubegap_mcp.kube.live.deadline import Deadline
from kubegap_mcp.kube.live.discovery import Discovery, read_discovery
from kubegap_mcp.kube.live.kubeconfig import shown
from kubegap_mcp.kube.live.retry import fetch
from kubegap_mcp.kube.wire.decode import decode

_OK: Final = 200
_REDIRECTS: Final = range(300, 400)
_MAX_VERSION: Final = 60

_NEXT_STEP: Final[Mapping[Cause, str]] = {
    "name": "its name does not resolve: check the network or VPN and the server in the kubeconfig",
    "refused": "nothing answers at its address: check the network or VPN and the server in the kubeconfig",
    "tls": "TLS failed: check certificate-authority, client-certificate and tls-server-name in the kubeconfig",
    "timed_out": "it did not answer in time: check the network or VPN, then ask again",
    "proxy": "the proxy does not let it through: check proxy-url, HTTPS_PROXY and NO_PROXY",
    "broken": "it closed the connection: check the network and the server in the kubeconfig, then ask again",
    "cut": "its answer broke off: check the network and any proxy on the way, then ask again",
    "too_large": "its answer is too large to be one: check the server in the kubeconfig",
}


@dataclass(frozen=True, slots=True)
class Hello:
    server_version: str | None
    discovery: Discovery


class _Version(msgspec.Struct, rename="camel"):
    git_version: str


def unreachable(context: str, cause: Cause) -> ClusterUnreachable:
    return ClusterUnreachable(f"the API server of context {shown(context)} cannot be reached: {_NEXT_STEP[cause]}")


def say_hello(connection: Connection, kinds: Iterable[Kind], deadline: Deadline) -> Hello:
    """Raises ClusterUnreachable where nothing answers, or something else than an API server does."""
    try:
        answer = fetch(connection, Request("/version"), deadline)
    except NoAnswerError as error:
        raise unreachable(connection.context, error.cause) from error
    version = _version(answer, connection.context)
    return Hello(version, read_discovery(connection, kinds, deadline))


def _version(answer: Answer, context: str) -> str | None:
    """None where the server is one but keeps its version to itself."""
    if answer.status in _REDIRECTS:
        raise ClusterUnreachable(
            f"the server of context {shown(context)} answers with a redirect, which kubegap does not follow: name the "
            "final address in the kubeconfig, or log in if it is a login page"
        )
    if answer.status != _OK:
        return None
    try:
        return clean(decode(answer.body, _Version).git_version, _MAX_VERSION) or None
    except msgspec.DecodeError:
        raise ClusterUnreachable(
            f"the server of context {shown(context)} does not answer as a Kubernetes API server: check the server in "
            "the kubeconfig and any proxy on the way"
        ) from None
