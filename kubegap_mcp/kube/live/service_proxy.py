"""A metrics source behind the API server: its reads, through the proxy of the one service that a person named."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kubegap_checks.facts.read import UnreadError
from kubegap_checks.text import Text
from kubegap_mcp.errors import KubegapError
from kubegap_mcp.kube.live.connection import Connection
from kubegap_mcp.kube.live.connection import Request as ApiRequest
from kubegap_mcp.kube.live.kubeconfig import Target
from kubegap_mcp.kube.live.reader import SERVICE_ACCOUNT
from kubegap_mcp.kube.live.targets import Targets
from kubegap_mcp.metrics.endpoint import BOUNDS, Request
from kubegap_mcp.metrics.settings import Service
from kubegap_mcp.metrics.unread import not_asked
from kubegap_mcp.request_log import RequestLog
from kubegap_mcp.transport.deadline import Deadline, DeadlineError
from kubegap_mcp.transport.exchange import Answer

_UNAUTHORIZED: Final = 401
_NOT_PASSED_ON: Final = Text(
    en="the service asks for credentials, which the API server does not pass on: name its URL with --prometheus, and "
    "token_file under [prometheus]",
    ko="서비스가 자격 증명을 요구하지만 API 서버는 전달하지 않음. --prometheus로 URL을 주고 [prometheus]에 "
    "token_file을 적는다",
)


def through_service(
    service: Service, kubeconfig: Path | None, context: str | None, log: RequestLog | None = None
) -> "ThroughService":
    """In the cluster of that context, or of the one in use."""
    targets = Targets(kubeconfig, context, SERVICE_ACCOUNT)
    return ThroughService(service, targets.target, log)


class ThroughService:
    """Blocking and thread-safe; has a connection of its own, so that the gate of the others stays shut.

    The API server takes off the credentials that it was given before it asks the service.
    """

    def __init__(self, service: Service, target: Callable[[], Target], log: RequestLog | None = None) -> None:
        self._service = service
        self._target = target
        self._log = log
        self._lock = threading.RLock()
        self._connection: tuple[Target, Connection] | None = None
        self._closed = False

    def grant(self, status: int) -> Text:
        if status == _UNAUTHORIZED:
            return _NOT_PASSED_ON
        name, namespace = self._service.resource_name, self._service.namespace
        return Text(
            en=f"grant get on services/proxy {name} in namespace {namespace} (`kubegap rbac --prometheus-service` "
            "prints the role)",
            ko=f"네임스페이스 {namespace}의 services/proxy {name}에 get 권한을 준다(필요한 역할은 `kubegap rbac "
            "--prometheus-service`가 출력함)",
        )

    def send(self, request: Request, deadline: Deadline) -> Answer:
        path = f"{self._service.proxy_path}{request.path}"
        try:
            return self._connected().send(ApiRequest(path, request.query, bounds=BOUNDS, proxied=True), deadline)
        except KubegapError as error:  # no kubeconfig, refused credentials, a credential plugin that failed
            raise UnreadError(not_asked(error.text)) from error

    def close(self) -> None:
        with self._lock:
            self._closed = True
            made, self._connection = self._connection, None
        if made is not None:
            made[1].close()

    def _connected(self) -> Connection:
        """To the cluster that the context names now."""
        target = self._target()
        with self._lock:
            if self._closed:
                raise DeadlineError
            old = self._connection
            if old is None or old[0] != target:
                self._connection = (target, Connection(target, (), self._log, service=self._service))
            made = self._connection[1] if self._connection else None
        if old is not None and old[1] is not made:
            old[1].close()
        if made is None:
            raise DeadlineError
        return made
