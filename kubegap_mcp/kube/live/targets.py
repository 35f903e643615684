"""Which cluster a context names: the kubeconfig as it stands now, or the cluster that this process runs in."""

import os
import threading
from pathlib import Path

from kubegap_checks.text import Text
from kubegap_mcp.cluster import Contexts
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube.live.kubeconfig import Kubeconfig, Target, in_cluster_target, shown
from kubegap_mcp.kube.live.kubeconfig_files import fingerprint, no_kubeconfig, paths


class Targets:
    """Blocking and thread-safe; reads the kubeconfig again whenever a file of it changed."""

    def __init__(self, kubeconfig: Path | None, context: str | None, service_account: Path) -> None:
        self._chosen = kubeconfig
        self._context = context
        self._service_account = service_account
        self._reading = threading.Lock()
        self._config: tuple[tuple[object, ...], Kubeconfig] | None = None

    def target(self, context: str | None = None) -> Target:
        """Of that context, else of the one that was chosen, else of the current one; raises ConfigError."""
        asked = context or self._context
        config = self._kubeconfig()
        if config is not None:
            return config.target(asked)
        target = in_cluster_target(os.environ, self._service_account)
        if target is None:
            raise no_kubeconfig()
        if asked not in {None, target.name}:
            named = shown(asked or "")
            raise ConfigError(
                Text(
                    en=f"there is no context {named} here: leave it out, or name {target.name}",
                    ko=f"여기에 없는 컨텍스트: {named}. 빼고 묻거나 {target.name}을 적는다",
                )
            )
        return target

    def contexts(self) -> Contexts:
        """By name only; none where there is no kubeconfig."""
        config = self._kubeconfig()
        if config is not None:
            names = tuple(shown(name) for name in config.names)
            chosen = self._context or config.current
            missing = shown(chosen) if chosen and not config.has(chosen) else None
            return Contexts(
                names=names,
                current=shown(config.current) if config.current and config.has(config.current) else None,
                in_use=shown(chosen) if chosen and not missing else None,
                source="kubeconfig",
                missing=missing,
            )
        target = in_cluster_target(os.environ, self._service_account)
        if target is not None:
            return Contexts(names=(target.name,), current=target.name, in_use=target.name, source="in_cluster")
        return Contexts(names=(), current=None, in_use=None, source="none")

    def _kubeconfig(self) -> Kubeconfig | None:
        """None where there is none."""
        files = paths(self._chosen)
        if not files:
            return None
        now = fingerprint(files)
        with self._reading:
            if self._config is None or self._config[0] != now:
                self._config = (now, Kubeconfig(files))
            return self._config[1]
