"""A live cluster as the source of a snapshot."""

from datetime import timedelta

from kubegap_checks.facts.read import Record, Unread
from kubegap_mcp.kube.live.session import Question, Session, in_time
from kubegap_mcp.kube.snapshots.write import KindRead


class LiveObjects:
    """Reads each kind when it is asked for, all within one patience."""

    def __init__(self, session: Session, question: Question) -> None:
        self._session = session
        self._question = question

    @property
    def context(self) -> str:
        return self._session.target.name

    @property
    def server_version(self) -> str | None:
        return self._question.hello.server_version

    @property
    def ahead(self) -> timedelta:
        return self._question.hello.ahead

    async def objects(self, record: type[Record]) -> KindRead | Unread:
        reading = self._session.objects(record, self._question)
        seen = await in_time(record.KIND, self._question.patience, reading)
        if isinstance(seen.part, Unread):
            return seen.part
        return KindRead(objects=seen.part.items, unread=seen.part.unread, namespaces=seen.namespaces)
