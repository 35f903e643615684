"""Who kubegap is to a cluster: the Authorization header or client certificate of one context, kept fresh."""

import base64
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote

from kubegap_checks.text import Text
from kubegap_mcp.errors import ClusterUnreachable, ConfigError, KubegapError
from kubegap_mcp.kube.live import exec_plugin
from kubegap_mcp.kube.live.kubeconfig import Exec, Target, User, shown
from kubegap_mcp.transport.deadline import Deadline
from kubegap_mcp.transport.secret_file import SecretFile

# A credential is renewed this long before it ends, and never more often: a plugin that gives 60-second tokens, or a
# clock that is wrong, must not make it run for each request.
_MARGIN: Final = timedelta(seconds=10)
_LONGEST: Final = timedelta(days=365)  # whatever date a plugin writes


@dataclass(frozen=True, slots=True)
class Secret:
    """What goes with a request; `certificate` is (certificate file, key file). Never shown."""

    header: str = ""
    certificate: tuple[str, str] | None = None

    def __repr__(self) -> str:
        return "Secret()"


class Credentials(Protocol):
    @property
    def unfinished(self) -> ClusterUnreachable | None:
        """What is said of a plugin that was started and has given nothing."""
        ...

    def current(self, deadline: Deadline) -> Secret: ...

    def renewed(self, refused: Secret, deadline: Deadline) -> Secret | None:
        """Another one after the server refused `refused`, or None where there is none."""
        ...


class Fixed:
    """A token, a password, or nothing beside a client certificate."""

    unfinished: ClusterUnreachable | None = None

    def __init__(self, header: str = "") -> None:
        self._secret = Secret(header)

    def current(self, deadline: Deadline) -> Secret:  # noqa: ARG002 (needs no time)
        return self._secret

    def renewed(self, refused: Secret, deadline: Deadline) -> Secret | None:  # noqa: ARG002 (there is no other)
        return None


class TokenFile:
    """A token that something else rotates: service account tokens change while they are in use."""

    unfinished: ClusterUnreachable | None = None

    def __init__(self, path: Path, context: str) -> None:
        self._file = SecretFile(path)
        self._context = context

    def current(self, deadline: Deadline) -> Secret:  # noqa: ARG002 (a file)
        try:
            return Secret(_bearer(self._file.read(), self._context))
        except (OSError, UnicodeError) as error:
            raise ClusterUnreachable(
                Text(
                    en=f"the token file of context {shown(self._context)} cannot be read: check tokenFile in the "
                    "kubeconfig",
                    ko=f"컨텍스트 {shown(self._context)}: 토큰 파일을 읽을 수 없음. kubeconfig의 tokenFile을 확인한다",
                )
            ) from error

    def renewed(self, refused: Secret, deadline: Deadline) -> Secret | None:
        self._file.forget()
        secret = self.current(deadline)
        return secret if secret != refused else None


class Plugin:
    """A credential plugin, run when there is no credential, when it is about to end, and once when it is refused."""

    def __init__(
        self, plugin: Exec, target: Target, store: Callable[[str], str], *, limit_s: float = exec_plugin.TIME_LIMIT_S
    ) -> None:
        exec_plugin.check(plugin, target)
        self._plugin = plugin
        self._target = target
        self._store = store
        self._limit_s = limit_s
        self._lock = threading.Lock()
        self._secret: Secret | None = None
        self._good_until: datetime | None = None
        self._started = False  # and has given nothing yet, nor said why

    @property
    def unfinished(self) -> ClusterUnreachable | None:
        return exec_plugin.not_in_time(self._plugin, self._target) if self._started else None

    def current(self, deadline: Deadline) -> Secret:
        with _Held(self._lock, deadline):
            if self._secret is None or (self._good_until and datetime.now(UTC) >= self._good_until):
                return self._run(deadline)
            return self._secret

    def renewed(self, refused: Secret, deadline: Deadline) -> Secret | None:
        with _Held(self._lock, deadline):
            if self._secret is None or self._secret == refused:
                return self._run(deadline)
            return self._secret

    def _run(self, deadline: Deadline) -> Secret:
        self._secret = None
        self._started = True
        try:
            given = exec_plugin.run(self._plugin, self._target, deadline, limit_s=self._limit_s)
            self._started = False
        except KubegapError:
            self._started = False
            raise
        certificate = None
        if given.certificate and given.key:
            certificate = (self._store(given.certificate), self._store(given.key))
        now = datetime.now(UTC)
        good_for = max(given.expires - now - _MARGIN, _MARGIN) if given.expires else None
        self._good_until = now + min(good_for, _LONGEST) if good_for else None
        self._secret = Secret(_bearer(given.token, self._target.name) if given.token else "", certificate)
        return self._secret


class _Held:
    """A lock that is waited for only as long as the deadline allows."""

    def __init__(self, lock: threading.Lock, deadline: Deadline) -> None:
        self._lock = lock
        self._deadline = deadline

    def __enter__(self) -> None:
        while not self._lock.acquire(timeout=self._deadline.left(0.1)):
            pass

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def credentials(target: Target, store: Callable[[str], str]) -> Credentials:
    """Those of the context's user; `store` keeps a text in a private file and gives its path."""
    user = target.user
    if user.auth_provider is not None:
        raise ConfigError(
            Text(
                en=f"context {shown(target.name)} logs in through auth-provider, which Kubernetes has removed: replace "
                "it by a credential plugin (exec: gke-gcloud-auth-plugin, kubelogin) in the kubeconfig",
                ko=f"컨텍스트 {shown(target.name)}: Kubernetes에서 없어진 auth-provider로 로그인함. kubeconfig에서 "
                "자격 증명 플러그인(exec: gke-gcloud-auth-plugin, kubelogin)으로 바꾼다",
            )
        )
    if (user.client_certificate or user.client_certificate_data) and not (user.client_key or user.client_key_data):
        # Without this it would be asked as nobody.
        raise ConfigError(
            Text(
                en=f"context {shown(target.name)} has a client certificate without its key: add client-key",
                ko=f"컨텍스트 {shown(target.name)}: 클라이언트 인증서의 키가 없음. client-key를 넣는다",
            )
        )
    if user.token_file:
        return TokenFile(target.user_dir / user.token_file, target.name)
    if user.token:
        return Fixed(_bearer(user.token, target.name))
    if user.exec is not None:
        return Plugin(user.exec, target, store)
    if user.username and user.password:
        pair = f"{user.username}:{user.password}".encode()
        return Fixed("Basic " + base64.b64encode(pair).decode())
    return Fixed()


def impersonation(user: User, context: str) -> tuple[tuple[str, str], ...]:
    """The headers for `as`, `as-groups`, `as-uid` and `as-user-extra`, which the client does not send by itself."""
    extra: Mapping[str, list[str]] = user.as_user_extra or {}
    headers = [("Impersonate-Group", group) for group in user.as_groups or ()]
    if user.as_uid:
        headers.append(("Impersonate-Uid", user.as_uid))
    headers += [
        (f"Impersonate-Extra-{quote(key.lower(), safe='')}", value) for key, values in extra.items() for value in values
    ]
    if headers and not user.as_user:
        raise ConfigError(
            Text(
                en=f"the user of context {shown(context)} has as-groups, as-uid or as-user-extra without as: add as or "
                "remove them",
                ko=f"컨텍스트 {shown(context)}: user에 as 없이 as-groups, as-uid, as-user-extra가 있음. as를 넣거나 "
                "이것들을 지운다",
            )
        )
    if user.as_user:
        headers.insert(0, ("Impersonate-User", user.as_user))
    for _, value in headers:
        _check_line(value, context)
    # Header values go out as latin-1: these are the bytes of their UTF-8 form.
    return tuple((name, value.encode().decode("latin-1")) for name, value in headers)


def _bearer(token: str, context: str) -> str:
    token = token.strip()
    _check_line(token, context)
    if not token or not token.isascii():
        raise ClusterUnreachable(
            Text(
                en=f"the token of context {shown(context)} is empty or broken: log in again",
                ko=f"컨텍스트 {shown(context)}: 토큰이 비었거나 깨짐. 다시 로그인한다",
            )
        )
    return f"Bearer {token}"


def _check_line(value: str, context: str) -> None:
    if not value.isprintable():
        raise ConfigError(
            Text(
                en=f"a credential of context {shown(context)} holds control characters: correct the kubeconfig",
                ko=f"컨텍스트 {shown(context)}: 자격 증명에 제어 문자가 있음. kubeconfig를 바로잡는다",
            )
        )
