"""Containers of a pod -> records."""

from collections.abc import Sequence
from typing import Final

from kubegap_checks.facts import pods as facts
from kubegap_mcp.kube.gather.alike import Alike
from kubegap_mcp.kube.gather.fields import extended, key, name, size, texts, value, when
from kubegap_mcp.kube.gather.lenient import Losses, first, whole
from kubegap_mcp.kube.wire import pods as wire

_MOUNTS: Final = 500
_RESOURCES: Final = 200
_TOLERATIONS: Final = 200
_DEVICES: Final = 1000  # of one resource in one container


_CONTAINERS: Final = Alike[facts.Container]()
_TOLERATED: Final = Alike[tuple[facts.Toleration, ...]]()


def build_container(
    container: wire.Container, status: wire.ContainerStatus | None, *, init: bool, losses: Losses
) -> facts.Container:
    return _CONTAINERS.of(
        (container, status, init), lambda: _container(container, status, init=init, losses=losses), losses
    )


def build_tolerations(tolerations: Sequence[wire.Toleration] | None, losses: Losses) -> tuple[facts.Toleration, ...]:
    return _TOLERATED.of(tolerations, lambda: _tolerations(tolerations, losses), losses)


def _container(
    container: wire.Container, status: wire.ContainerStatus | None, *, init: bool, losses: Losses
) -> facts.Container:
    status = status or wire.ContainerStatus()
    state, last = status.state or wire.ContainerState(), status.last_state or wire.ContainerState()
    limits = (container.resources.limits if container.resources else None) or {}
    security = container.security_context or wire.SecurityContext()
    return facts.Container(
        name=name(container.name),
        init=init,
        image=value(container.image),
        env={
            key(variable.name or ""): None if variable.value_from is not None else value(variable.value)
            for variable in container.env or ()
        },
        env_from=bool(container.env_from),
        flags={
            key(flag): value(text) for flag, _, text in (argument.partition("=") for argument in container.args or ())
        },
        workdir=value(container.working_dir),
        mounts=tuple(
            facts.Mount(volume=name(mount.name), path=value(mount.mount_path), read_only=bool(mount.read_only))
            for mount in whole(_MOUNTS, container.volume_mounts, ("name", "mount_path"), losses)
        ),
        memory_limit=size(limits.get("memory"), losses),
        limits=extended(first(_RESOURCES, tuple(limits.items()), losses), losses),
        privileged=bool(security.privileged),
        added_capabilities=texts(security.capabilities.add if security.capabilities else None, losses),
        restarts=status.restart_count or 0,
        waiting=value(state.waiting.reason if state.waiting else None),
        ended=_ending(state.terminated or last.terminated, now=state.terminated is not None),
        devices=tuple(
            facts.DeviceHealth(resource=key(told.name or ""), id=value(device.resource_id), health=value(device.health))
            for told in first(_RESOURCES, status.allocated_resources_status, losses)
            for device in first(_DEVICES, told.resources, losses)
        ),
    )


def _tolerations(tolerations: Sequence[wire.Toleration] | None, losses: Losses) -> tuple[facts.Toleration, ...]:
    return tuple(
        facts.Toleration(
            key=key(item.key or ""),
            operator=value(item.operator) or "Equal",
            value=value(item.value),
            effect=value(item.effect),
        )
        for item in first(_TOLERATIONS, tolerations, losses)
    )


def _ending(terminated: wire.Terminated | None, *, now: bool) -> facts.Ending | None:
    if terminated is None:
        return None
    reason, at = value(terminated.reason), when(terminated.finished_at)
    return facts.Ending(reason=reason, code=terminated.exit_code, at=at, now=now)
