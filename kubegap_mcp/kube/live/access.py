"""What this user may list, kind by kind, as the cluster itself says it."""

from dataclasses import dataclass

import anyio

from kubegap_checks.facts.read import Kind, Unread
from kubegap_mcp.kube.live import unread
from kubegap_mcp.kube.live.discovery import Found
from kubegap_mcp.kube.live.reviews import Permission, may_list, read_rules
from kubegap_mcp.kube.live.session import Patience, Session
from kubegap_mcp.transport.deadline import DeadlineError
from kubegap_mcp.transport.flights import together


@dataclass(frozen=True, slots=True, kw_only=True)
class KindAccess:
    """One kind; `in_namespace` is None where the kind has no namespaces or the whole cluster may be listed."""

    kind: Kind
    installed: Permission
    everywhere: Permission
    in_namespace: Permission | None = None
    unread: Unread | None = None  # what an answer would say of it now


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What could be read through one context, and the namespace that was looked at beside the whole cluster."""

    context: str
    server_version: str | None
    namespace: str
    kinds: tuple[KindAccess, ...]


async def read_access(session: Session, namespace: str | None, patience: Patience) -> Access:
    """Asks about every kind; raises ClusterUnreachable where the cluster does not answer in time."""
    hello = (await session.hello(patience)).value
    looked_at = namespace or session.target.namespace or "default"

    async def everywhere(kind: Kind) -> Permission:
        return await session.ask(
            ("may list", kind), lambda connection, deadline: may_list(connection, kind, None, deadline), patience
        )

    async def in_namespace(kind: Kind) -> Permission:
        permission = rules.allows(kind)
        if permission != "unknown":
            return permission
        return await session.ask(
            ("may list", kind, looked_at),
            lambda connection, deadline: may_list(connection, kind, looked_at, deadline),
            patience,
        )

    try:
        with anyio.fail_after(patience.left):
            wide = await together(session.kinds, everywhere)
            rules = await session.ask(
                ("rules", looked_at), lambda connection, deadline: read_rules(connection, looked_at, deadline), patience
            )
            narrow = await together(
                [kind for kind, permission in wide.items() if kind.namespaced and permission != "yes"], in_namespace
            )
    except (TimeoutError, DeadlineError):
        raise session.late() from None
    return Access(
        context=session.target.name,
        server_version=hello.server_version,
        namespace=looked_at,
        kinds=tuple(
            KindAccess(
                kind=kind,
                installed=_installed(hello.discovery.find(kind)),
                everywhere=permission,
                in_namespace=narrow.get(kind),
                unread=_said_of(kind, permission, narrow.get(kind), hello.discovery.find(kind)),
            )
            for kind, permission in wide.items()
        ),
    )


def _installed(found: Found) -> Permission:
    if found.version or found.settled:
        return "yes"
    return "unknown" if found.doubt else "no"


def _said_of(kind: Kind, everywhere: Permission, in_namespace: Permission | None, found: Found) -> Unread | None:
    if found.settled:
        return found.doubt
    if everywhere == "yes":
        return None
    if kind.workload and in_namespace == "yes":
        return unread.elsewhere_forbidden(kind)
    return unread.forbidden(kind) if everywhere == "no" else unread.unreachable(kind)
