"""First contact with an API server: it answers, it is one, and what it has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import msgspec

from kubegap_checks.facts.read import Kind
from kubegap_checks.text import Text
from kubegap_mcp.errors import ClusterUnreachable
from kubegap_mcp.foreign.clean import clean
from kubegap_mcp.foreign.decode import decode
from kubegap_mcp.kube.live.connection import Connection, Request
from kubegap_mcp.kube.live.discovery import Discovery, read_discovery
from kubegap_mcp.kube.live.kubeconfig import shown
from kubegap_mcp.transport.deadline import Deadline
from kubegap_mcp.transport.exchange import Answer, Cause, NoAnswerError
from kubegap_mcp.transport.retry import fetch

_OK: Final = 200
_REDIRECTS: Final = range(300, 400)
_MAX_VERSION: Final = 60
_SAME_TIME: Final = timedelta(minutes=1)  # the Date of an answer has whole seconds, and the answer takes some
_NO_CLOCK: Final = timedelta(days=365 * 20)  # further from ours, one was never set

_NEXT_STEP: Final[Mapping[Cause, Text]] = {
    "name": Text(
        en="its name does not resolve: check the network or VPN and the server in the kubeconfig",
        ko="이름을 찾을 수 없음. 네트워크나 VPN, kubeconfig의 server를 확인한다",
    ),
    "refused": Text(
        en="nothing answers at its address: check the network or VPN and the server in the kubeconfig",
        ko="그 주소에서 응답하는 것이 없음. 네트워크나 VPN, kubeconfig의 server를 확인한다",
    ),
    "tls": Text(
        en="TLS failed: check certificate-authority, client-certificate and tls-server-name in the kubeconfig",
        ko="TLS 실패. kubeconfig의 certificate-authority, client-certificate, tls-server-name을 확인한다",
    ),
    "timed_out": Text(
        en="it did not answer in time: check the network or VPN, then ask again",
        ko="제시간에 응답하지 않음. 네트워크나 VPN을 확인하고 다시 묻는다",
    ),
    "proxy": Text(
        en="the proxy does not let it through: check proxy-url, HTTPS_PROXY and NO_PROXY",
        ko="프록시가 통과시키지 않음. proxy-url, HTTPS_PROXY, NO_PROXY를 확인한다",
    ),
    "broken": Text(
        en="it closed the connection: check the network and the server in the kubeconfig, then ask again",
        ko="연결을 끊음. 네트워크와 kubeconfig의 server를 확인하고 다시 묻는다",
    ),
    "cut": Text(
        en="its answer broke off: check the network and any proxy on the way, then ask again",
        ko="응답이 중간에 끊김. 네트워크와 중간 프록시를 확인하고 다시 묻는다",
    ),
    "too_large": Text(
        en="its answer is too large to be one: check the server in the kubeconfig",
        ko="API 서버의 응답이라기에는 너무 큼. kubeconfig의 server를 확인한다",
    ),
}


@dataclass(frozen=True, slots=True)
class Hello:
    """`ahead` is how far the server's clock is before ours, zero where the two agree or it tells no time.

    Times in objects are held against the server's clock, since a laptop's may be an hour wrong.
    """

    server_version: str | None
    discovery: Discovery
    ahead: timedelta = timedelta()


class _Version(msgspec.Struct, rename="camel"):
    git_version: str


def unreachable(context: str, cause: Cause) -> ClusterUnreachable:
    why = _NEXT_STEP[cause]
    return ClusterUnreachable(
        Text(
            en=f"the API server of context {shown(context)} cannot be reached: {why.en}",
            ko=f"컨텍스트 {shown(context)}의 API 서버에 연결할 수 없음: {why.ko}",
        )
    )


def say_hello(connection: Connection, kinds: Iterable[Kind], deadline: Deadline) -> Hello:
    """Raises ClusterUnreachable where nothing answers, or something else than an API server does."""
    try:
        answer = fetch(connection, Request("/version"), deadline)
    except NoAnswerError as error:
        raise unreachable(connection.context, error.cause) from error
    ahead = _ahead(answer.date)
    version = _version(answer, connection.context)
    return Hello(version, read_discovery(connection, kinds, deadline), ahead)


def _ahead(date: str | None) -> timedelta:
    try:
        told = parsedate_to_datetime(date or "")
        ahead = told.replace(tzinfo=told.tzinfo or UTC) - datetime.now(UTC)
    except (ValueError, OverflowError, TypeError):  # a date of no calendar
        return timedelta()
    return ahead if _SAME_TIME < abs(ahead) < _NO_CLOCK else timedelta()


def _version(answer: Answer, context: str) -> str | None:
    """None where the server is one but keeps its version to itself."""
    if answer.status in _REDIRECTS:
        raise ClusterUnreachable(
            Text(
                en=f"the server of context {shown(context)} answers with a redirect, which kubegap does not follow: "
                "name the final address in the kubeconfig, or log in if it is a login page",
                ko=f"컨텍스트 {shown(context)}의 서버가 다른 주소로 넘기지만 kubegap은 따라가지 않음. kubeconfig에 "
                "최종 주소를 적거나, 로그인 페이지라면 로그인한다",
            )
        )
    if answer.status != _OK:
        return None
    try:
        return clean(decode(answer.body, _Version).git_version, _MAX_VERSION) or None
    except msgspec.DecodeError:
        raise ClusterUnreachable(
            Text(
                en=f"the server of context {shown(context)} does not answer as a Kubernetes API server: check the "
                "server in the kubeconfig and any proxy on the way",
                ko=f"컨텍스트 {shown(context)}의 서버가 Kubernetes API 서버답게 응답하지 않음. kubeconfig의 server와 "
                "중간 프록시를 확인한다",
            )
        ) from None
