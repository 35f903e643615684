"""A fake application: answers at once, remembers what it was asked, fails or waits where a test says so."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from server import answers

from kubegap_mcp.report.models import Answer
from kubegap_mcp.server import LazyApp
from kubegap_mcp.settings import Settings

if TYPE_CHECKING:
    import anyio

    from kubegap_mcp.app import Kubegap

PAGES = {"2024-lab-lost-gpu": "# A lost GPU\n", "gpu_health.gpu_missing": "# Fewer GPUs than expected\n"}


class FakeApp:
    def __init__(self, *, lang: str = "en") -> None:
        self.settings = Settings(lang=cast("Any", lang))
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.failure: Exception | None = None
        self.instead: Answer | None = None
        self.hold: anyio.Event | None = None
        self.waiting = 0
        self.progress_steps: list[tuple[int, int]] = [(1, 3), (2, 3), (3, 3)]
        self.closed = 0

    def lazy(self) -> LazyApp:
        return LazyApp(self.settings, lambda _: cast("Kubegap", self))

    async def _answer(self, name: str, asked: dict[str, Any], answer: Answer) -> Answer:
        self.asked.append((name, asked))
        if self.hold is not None:
            self.waiting += 1
            await self.hold.wait()
        if self.failure is not None:
            raise self.failure
        return self.instead or answer

    async def check_topic(self, topic: str, **asked: Any) -> Answer:
        return await self._answer("check_topic", {"topic": topic, **asked}, answers.TOPIC)

    async def audit(self, *, progress: Callable[[int, int], None], **asked: Any) -> Answer:
        for done, total in self.progress_steps:
            progress(done, total)
        return await self._answer("audit", asked, answers.AUDIT)

    async def list_gpu_nodes(self, **asked: Any) -> Answer:
        return await self._answer("list_gpu_nodes", asked, answers.NODES)

    async def explain_gap(self, id: str, **asked: Any) -> Answer:  # noqa: A002
        return await self._answer("explain_gap", {"id": id, **asked}, answers.GAP)

    async def explain_throughput(self, **asked: Any) -> Answer:
        return await self._answer("explain_throughput", asked, answers.THROUGHPUT)

    @property
    def pictures(self) -> "FakePictures":
        return FakePictures(self)

    async def lookup_incident(self, **asked: Any) -> Answer:
        return await self._answer("lookup_incident", asked, answers.INCIDENTS)

    async def list_contexts(self, **asked: Any) -> Answer:
        return await self._answer("list_contexts", asked, answers.CONTEXTS)

    def incident_page(self, id: str, lang: str) -> str:  # noqa: A002
        self.asked.append(("incident_page", {"id": id, "lang": lang}))
        return self._page(id)

    def check_page(self, id: str, lang: str) -> str:  # noqa: A002
        self.asked.append(("check_page", {"id": id, "lang": lang}))
        return self._page(id)

    def rbac(self) -> str:
        return self._page(None)

    def requests_page(self) -> str:
        return "{}"

    def _page(self, key: str | None) -> str:
        if self.failure is not None:
            raise self.failure
        return "kind: ClusterRole\n" if key is None else PAGES[key]

    def close(self) -> None:
        self.closed += 1


class FakePictures:
    def __init__(self, app: FakeApp) -> None:
        self._app = app

    def svg(self, id: str) -> str:  # noqa: A002
        return f"<svg>{self._kept(id)}</svg>"

    def png(self, id: str) -> bytes:  # noqa: A002
        return f"png of {self._kept(id)}".encode()

    def _kept(self, id: str) -> str:  # noqa: A002
        if self._app.failure is not None:
            raise self._app.failure
        return id
