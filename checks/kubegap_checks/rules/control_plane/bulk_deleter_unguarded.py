"""A job that deletes by the clock must say what it may delete, and never all of a kind."""

from collections.abc import Iterator

from kubegap_checks.facts.cron_jobs import CronJob, Deletion
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.deleted_kinds import deleted_kinds
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    for job in facts.seen(CronJob):
        for deletion in job.deletions:
            if deletion.all and not deletion.selected and not job.suspended:
                yield _finding(job, deletion)


def _reaches_far(deletion: Deletion) -> bool:
    rows = (row for row in deleted_kinds() if row.kind in deletion.kinds)
    return deletion.everywhere or any(row.reach != "work" for row in rows)


def _finding(job: CronJob, deletion: Deletion) -> Finding:
    kinds = ", ".join(deletion.kinds)
    far = _reaches_far(deletion)
    if deletion.everywhere:
        where = Text(en="in every namespace", ko="모든 네임스페이스에서")
    elif far:
        where = Text(en="it can reach", ko="닿는 범위에서")
    else:
        where = Text(en="in its namespace", ko="자기 네임스페이스에서")
    return Finding(
        subject=Subject("CronJob", job.name, job.namespace),
        key=kinds,
        says=Text(
            en=f"it deletes all {kinds} {where.en} without a selector, at {job.schedule}",
            ko=f"{where.ko} 선택 조건 없이 {kinds} 전체를 삭제함, 일정 {job.schedule}",
        ),
        evidence={"spec.schedule": job.schedule, "command": f"kubectl delete {kinds} --all"},
        severity=Severity.MEDIUM if far else Severity.LOW,
        confidence=Confidence.LIKELY if far else Confidence.HINT,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A scheduled job deletes all objects of a kind", ko="한 종류의 객체를 모두 지우는 예약 작업"),
    why=Text(
        en="It deletes what is in use as readily as what was left over: one wrong context, namespace or binding, and "
        "running work is gone.",
        ko="남은 것인지 사용 중인 것인지 가리지 않고 지우므로, 컨텍스트나 네임스페이스, 권한 하나만 잘못돼도 실행 "
        "중인 작업까지 사라진다.",
    ),
    fix=Text(
        en="Let it delete only what carries a label that says so, try it with --dry-run=server first, and give its "
        "service account no more than one namespace.",
        ko="삭제 대상임을 나타내는 레이블이 붙은 것만 지우게 하고, 먼저 --dry-run=server로 시험하며, 서비스 어카운트 "
        "권한을 네임스페이스 하나로 줄인다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(CronJob,),
    cites=(
        Cite(
            incident="2024-github-copilot-cleanup-job",
            because=Text(
                en="a scheduled clean-up job chose the wrong target and removed infrastructure in use (a cloud "
                "resource group, not objects of Kubernetes)",
                ko="예약된 정리 작업이 대상을 잘못 골라 사용 중인 인프라를 지웠음(Kubernetes 객체가 아니라 클라우드 "
                "리소스 그룹)",
            ),
        ),
    ),
    verify=("kubectl get cronjobs -A", "kubectl -n NAMESPACE get cronjob NAME -o yaml"),
    looks_like=(
        Text(
            en="one that selects by labels or fields, such as finished pods",
            ko="레이블이나 필드로 고르는 작업, 예를 들어 끝난 파드",
        ),
        Text(
            en="one that names what it deletes, or reads names from a list",
            ko="이름을 지정하거나 목록에서 이름을 읽어 지우는 작업",
        ),
        Text(en="a dry run, or a job that is suspended", ko="dry run이거나 중지된 작업"),
        Text(
            en="a namespace that is emptied on purpose: the finding is a small hint",
            ko="일부러 비우는 네임스페이스, 낮은 등급의 참고로만 보고함",
        ),
    ),
    find=find,
    applies=lambda facts: any(True for _ in facts.seen(CronJob)),
)
