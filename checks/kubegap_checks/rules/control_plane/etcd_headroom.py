"""etcd must have room in its quota, a disk as fast as etcd asks for, and a leader that stays."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubegap_checks.facts.metrics import EtcdLoad, Exported
from kubegap_checks.facts.read import Facts, Unread, came
from kubegap_checks.inventory.measured import counted, largest, shown, unpublished
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

_LIMITED: Final = ("etcd_size", "etcd_size_by_api", "etcd_fsync", "etcd_commit", "etcd_leader_changes")
# Beyond the limit of its documentation, etcd's own alerts have a worse one.
_ALARMED: Final = frozenset({"etcd_size", "etcd_fsync", "etcd_commit"})
_SEVERITY: Final = {"etcd_fsync": Severity.LOW, "etcd_commit": Severity.LOW}


def find(facts: Facts) -> Iterator[Finding | Unread]:
    rows, lacking = came(facts.seen(EtcdLoad))
    every = largest(rows)
    raised = [row for row in every if row.quantity in _LIMITED and _is_raised(row)]
    told_by_etcd = any(row.quantity == "etcd_size" for row in raised)
    for row in raised:
        if not (told_by_etcd and row.quantity == "etcd_size_by_api"):
            yield _finding(row, every)
    yield from lacking
    yield from unpublished(facts, EtcdLoad)


def _is_raised(row: EtcdLoad) -> bool:
    return row.value >= threshold(f"etcd_headroom_{row.quantity}").value


def _finding(row: EtcdLoad, every: Sequence[EtcdLoad]) -> Finding:
    job = row.labels.get("job", "")
    inside = [one for one in every if one.quantity == "etcd_in_use" and one.labels.get("job", "") == job]
    rows = [row, *inside] if row.quantity == "etcd_size" else [row]
    en, ko = counted(rows)
    alarm = row.quantity in _ALARMED and row.value >= threshold(f"etcd_alarm_{row.quantity}").value
    return Finding(
        subject=Subject("Component", "etcd"),
        key=f"{job}/{row.quantity}",
        says=Text(en=f"{en} ({job})", ko=f"{ko} ({job})") if job else Text(en=en, ko=ko),
        evidence={f"metrics.{one.quantity}": shown(one, 4) for one in rows},
        severity=Severity.HIGH if alarm else _SEVERITY.get(row.quantity, Severity.MEDIUM),
        confidence=Confidence.HINT if row.quantity == "etcd_size_by_api" else Confidence.LIKELY,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="etcd has little room left", ko="etcd 여유 부족"),
    why=Text(
        en="A database that reaches its quota takes no more writes (NOSPACE), so no pod is started or moved; a slow "
        "disk or a leader that changes delays everything that the API servers do.",
        ko="데이터베이스가 쿼터에 닿으면 쓰기가 막혀(NOSPACE) 파드를 시작하거나 옮길 수 없다. 디스크가 느리거나 "
        "리더가 자주 바뀌면 API 서버의 모든 작업이 늦어진다.",
    ),
    fix=Text(
        en="Find what writes most and let it keep less (events, leases, large custom resources), compact and "
        "defragment member by member, and give etcd a disk of its own; raise the quota to 8 GiB at most.",
        ko="가장 많이 쓰는 대상(이벤트, lease, 큰 커스텀 리소스)을 찾아 보관량을 줄이고, 멤버를 하나씩 압축·조각 "
        "모음한다. etcd 전용 디스크를 쓰고, 쿼터는 8 GiB까지만 올린다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(EtcdLoad, Exported),
    cites=(
        Cite(
            incident="2018-openai-scaling-to-2500-nodes",
            because=Text(
                en="etcd on a slow disk held up the API servers, and later it was full and took no more writes",
                ko="느린 디스크의 etcd가 API 서버를 붙잡았고, 나중에는 가득 차서 쓰기가 모두 막혔음",
            ),
        ),
    ),
    verify=(
        "kubectl get pods -n kube-system -l component=etcd -o wide",
        "kubectl get --raw /metrics | grep -E 'apiserver_storage_(size_bytes|objects)'",
    ),
    looks_like=(
        Text(
            en="a managed control plane, which offers no metrics of etcd: reported only where its API servers tell a "
            "size near 8 GiB, else unknown",
            ko="etcd 메트릭을 제공하지 않는 관리형 컨트롤 플레인(API 서버가 알려 주는 크기가 8 GiB에 가까울 때만 보고)",
        ),
        Text(
            en="a database with much free space inside, far from its quota",
            ko="안에 빈 공간이 많지만 쿼터까지는 먼 데이터베이스",
        ),
        Text(
            en="members that are restarted one by one, with a leader change each",
            ko="멤버를 하나씩 재시작하면서 생기는 리더 교체",
        ),
        Text(
            en="an etcd of another cluster in the same metrics source", ko="같은 메트릭 소스에 든 다른 클러스터의 etcd"
        ),
    ),
    find=find,
)
