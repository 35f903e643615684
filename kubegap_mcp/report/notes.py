"""What a person must know about how an answer was made, and what it cannot show."""

from collections.abc import Iterator, Sequence

from kubegap_checks.facts.read import Facts
from kubegap_checks.signals.workloads import owner_kind
from kubegap_checks.text import Text
from kubegap_mcp.report.models import Note
from kubegap_mcp.report.parts import Telling
from kubegap_mcp.report.words import DEMO, cut

_NAMED = 5  # namespaces or runs in a note
_NAME = 63  # letters of one within a sentence


def about(telling: Telling) -> list[Note]:
    """What the person must know about how the answer was made."""
    result: list[Note] = []
    if telling.reading.cluster.source == "demo":
        result.append(Note(kind="demo", text=telling.say(DEMO)))
    if telling.namespace:
        name = cut(telling.namespace, _NAME)
        text = Text(
            en=f"only workloads of namespace {name} are shown, beside nodes and shared objects",
            ko=f"워크로드는 네임스페이스 {name}의 것만 보여 줌. 노드와 공용 자원은 모두 보여 줌",
        )
        result.append(Note(kind="partial", text=telling.say(text)))
        if not _may_hold_work(telling.reading.facts, telling.namespace):
            text = Text(
                en=f"nothing that these checks look at is in namespace {name}: check that the name is right",
                ko=f"네임스페이스 {name}에는 이 점검들이 볼 워크로드가 없음. 이름이 맞는지 확인한다",
            )
            result.append(Note(kind="partial", text=telling.say(text)))
    if (only := telling.reading.only_namespaces) is not None:
        seen = _listed(only)
        text = Text(
            en=f"only namespace{'' if len(only) == 1 else 's'} {seen} seen: nothing is clear for the rest",
            ko=f"네임스페이스 {seen}만 읽음. 나머지는 이상이 없다고 할 수 없음",
        )
        result.append(Note(kind="partial", text=telling.say(text)))
    return [*result, *_of_hosts(telling)]


def _of_hosts(telling: Telling) -> Iterator[Note]:
    """What of the work cannot be seen, where another scheduler runs its jobs in long-lived pods."""
    hosts: dict[str, list[str]] = {}
    for run in sorted(telling.runs, key=str):
        owner = owner_kind(run.kind)
        if owner and owner.hosts:
            hosts.setdefault(owner.hosts, []).append(str(run))
    for scheduler, runs in hosts.items():
        named = _listed(runs)
        text = Text(
            en=f"{scheduler} runs jobs in the pods of {named}: its jobs, queues and restarts are no Kubernetes objects "
            "and are not judged",
            ko=f"{scheduler}가 {named}의 파드 안에서 작업을 돌림. 그 작업과 큐, 재시작은 쿠버네티스 오브젝트가 "
            "아니어서 판정하지 않음",
        )
        yield Note(kind="partial", text=telling.say(text))


def _may_hold_work(facts: Facts, namespace: str) -> bool:
    """False only where all work was read, and none of it is in the namespace."""
    work = [record for record in facts.kinds if record.KIND.workload]
    return not work or any(
        facts.unread(record) or any(getattr(row, "namespace", "") == namespace for row in facts.seen(record))
        for record in work
    )


def _listed(namespaces: Sequence[str]) -> str:
    named = [cut(name, _NAME) for name in namespaces[:_NAMED]]
    more = len(namespaces) - len(named)
    return ", ".join([*named, *([f"+{more}"] if more else [])]) or "-"
