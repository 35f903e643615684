"""The application, loaded with the first question: catalogue, library and clients would double the time to start."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from anyio import to_thread

if TYPE_CHECKING:
    from kubegap_checks.text import Lang
    from kubegap_mcp.app import Kubegap
    from kubegap_mcp.settings import Settings

Loader = Callable[["Settings"], "Kubegap"]


def load_app(settings: "Settings") -> "Kubegap":
    from kubegap_mcp.app import Kubegap  # noqa: PLC0415 (the heavy import that this module puts off)

    return Kubegap(settings)


class LazyApp:
    def __init__(self, settings: "Settings", load: Loader = load_app) -> None:
        self._settings = settings
        self._load = load
        self._app: Kubegap | None = None
        self._lock = threading.Lock()

    def lang(self, asked: "Lang | None") -> "Lang":
        return asked or self._settings.lang

    async def get(self) -> "Kubegap":
        """The one application; questions that arrive while it loads wait for the same one."""
        if self._app is None:
            return await to_thread.run_sync(self._loaded, abandon_on_cancel=True)
        return self._app

    def _loaded(self) -> "Kubegap":
        with self._lock:
            if self._app is None:
                self._app = self._load(self._settings)
            return self._app

    def close(self) -> None:
        """Ends what the application started, if it was ever loaded; safe to call twice."""
        if self._app is not None:
            self._app.close()
