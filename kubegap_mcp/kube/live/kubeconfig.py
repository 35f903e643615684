"""Kubeconfig files as kubectl merges them; read, never written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar, cast

import msgspec

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.foreign.clean import NAME, clean
from kubegap_mcp.kube.live.kubeconfig_files import read_file
from kubegap_mcp.kube.local import is_there

_MOST_NAMES_SHOWN: Final = 12

T = TypeVar("T", bound=msgspec.Struct)


class Extension(msgspec.Struct, frozen=True):
    name: str
    extension: object = None


class Cluster(msgspec.Struct, frozen=True, rename="kebab"):
    server: str = ""
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    insecure_skip_tls_verify: bool = False
    tls_server_name: str = ""
    proxy_url: str = ""
    extensions: list[Extension] | None = None


class EnvVar(msgspec.Struct, frozen=True):
    name: str
    value: str = ""


class Exec(msgspec.Struct, frozen=True, rename="camel"):
    command: str
    api_version: str
    args: list[str] | None = None
    env: list[EnvVar] | None = None
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = "IfAvailable"


class User(msgspec.Struct, frozen=True, rename="kebab"):
    token: str = ""
    token_file: str = msgspec.field(default="", name="tokenFile")
    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    username: str = ""
    password: str = ""
    exec: Exec | None = None
    auth_provider: dict[str, object] | None = None
    as_user: str = msgspec.field(default="", name="as")
    as_groups: list[str] | None = None
    as_uid: str = ""
    as_user_extra: dict[str, list[str]] | None = None


class _Context(msgspec.Struct, frozen=True):
    cluster: str = ""
    user: str = ""
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One context with all that is needed to reach its cluster; relative paths start at `cluster_dir`, `user_dir`."""

    name: str
    cluster: Cluster
    user: User
    namespace: str = ""
    cluster_dir: Path = Path()
    user_dir: Path = Path()
    in_cluster: bool = False


class Kubeconfig:
    """All files together: of two entries with one name the first counts, as kubectl has it."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._contexts: dict[str, tuple[object, Path]] = {}
        self._clusters: dict[str, tuple[object, Path]] = {}
        self._users: dict[str, tuple[object, Path]] = {}
        self.current: str | None = None
        for path in files:
            self._add(path)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._contexts)

    def target(self, name: str | None) -> Target:
        """The context of that name, else the current one."""
        if name is None:
            if not self.current:
                known = self._known()
                raise ConfigError(
                    Text(
                        en=f"the kubeconfig has no current context: pass --context one of {known.en}",
                        ko=f"kubeconfig에 current-context가 없음. --context로 하나를 고른다: {known.ko}",
                    )
                )
            name = self.current
        name = self._named(name)
        context = _convert(*self._contexts[name], _Context, name)
        if context.cluster not in self._clusters:
            raise ConfigError(
                Text(
                    en=f"context {shown(name)} names a cluster that the kubeconfig does not have: correct it",
                    ko=f"컨텍스트 {shown(name)}: kubeconfig에 없는 cluster를 가리킴. 바로잡는다",
                )
            )
        if context.user and context.user not in self._users:
            # Without this it would be asked as nobody.
            raise ConfigError(
                Text(
                    en=f"context {shown(name)} names a user that the kubeconfig does not have: correct it",
                    ko=f"컨텍스트 {shown(name)}: kubeconfig에 없는 user를 가리킴. 바로잡는다",
                )
            )
        user, user_path = self._users.get(context.user, ({}, Path()))
        cluster, cluster_path = self._clusters[context.cluster]
        return Target(
            name=name,
            cluster=_convert(cluster, cluster_path, Cluster, name),
            user=_convert(user, user_path, User, name),
            namespace=context.namespace,
            cluster_dir=cluster_path.absolute().parent,
            user_dir=user_path.absolute().parent,
        )

    def has(self, name: str) -> bool:
        return self._found(name) is not None

    def _named(self, name: str) -> str:
        found = self._found(name)
        if found is None:
            known = self._known()
            raise ConfigError(
                Text(
                    en=f"there is no context {shown(name)} in the kubeconfig: choose one of {known.en}",
                    ko=f"kubeconfig에 없는 컨텍스트: {shown(name)}. 하나를 고른다: {known.ko}",
                )
            )
        return found

    def _found(self, name: str) -> str | None:
        """The context of that name, or the only one that is shown so: a name may hold what is never shown."""
        if name in self._contexts:
            return name
        alike = [known for known in self._contexts if shown(known) == name]
        return alike[0] if len(alike) == 1 else None

    def _known(self) -> Text:
        names = [shown(name) for name in self.names]
        if not names:
            return Text(
                en="those in another kubeconfig, as this one has none",
                ko="이 kubeconfig에는 없으므로 다른 kubeconfig의 것",
            )
        more = f" (+{len(names) - _MOST_NAMES_SHOWN})" if len(names) > _MOST_NAMES_SHOWN else ""
        return Text.same(", ".join(names[:_MOST_NAMES_SHOWN]) + more)

    def _add(self, path: Path) -> None:
        content = read_file(path)
        for into, items, part in (
            (self._contexts, content.contexts, "context"),
            (self._clusters, content.clusters, "cluster"),
            (self._users, content.users, "user"),
        ):
            for item in items or ():
                into.setdefault(item.name, (cast("object", getattr(item, part)) or {}, path))
        self.current = self.current or content.current_context or None


def shown(name: str) -> str:
    """A context's name, safe to print."""
    return clean(name, NAME)


def _convert(content: object, path: Path, kind: type[T], name: str) -> T:
    try:
        return msgspec.convert(content, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        part = kind.__name__.strip("_").lower()
        raise ConfigError(
            Text(
                en=f"the {part} of context {shown(name)} in kubeconfig {path} is invalid ({error}): correct it",
                ko=f"컨텍스트 {shown(name)}: kubeconfig {path}의 {part} 항목이 잘못됨({error}). 바로잡는다",
            )
        ) from None


def in_cluster_target(environ: Mapping[str, str], account_dir: Path) -> Target | None:
    """The cluster this process runs in, if it runs in one; `account_dir` holds the service account's files."""
    if not environ.get("KUBERNETES_SERVICE_HOST") or not is_there(account_dir / "token"):
        return None
    try:
        namespace = (account_dir / "namespace").read_text(encoding="utf-8").strip()
    except OSError:
        namespace = ""
    return Target(
        name="in-cluster",
        cluster=Cluster(),
        user=User(token_file=str(account_dir / "token")),
        namespace=namespace,
        cluster_dir=account_dir,
        user_dir=account_dir,
        in_cluster=True,
    )
