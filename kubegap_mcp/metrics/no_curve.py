"""Why there is no curve to tell of, each with the next step."""

from collections.abc import Collection, Sequence

from kubegap_checks.facts.read import Unread
from kubegap_checks.text import Text
from kubegap_mcp.errors import KubegapError, NotReadError, UnknownNameError
from kubegap_mcp.metrics.curve import DEFAULT_WINDOW, Job
from kubegap_mcp.names import meant, nearest, quoted, try_one_of

_NAMED = 5  # jobs
KEPT = 5  # jobs whose curves a snapshot keeps: some 100 kB each


def unread(what: Unread) -> NotReadError:
    if what.reason == "not_in_snapshot":
        return _not_kept()
    return NotReadError(
        Text(
            en=f"throughput could not be read ({what.what.en}): {what.remedy.en}",
            ko=f"처리량을 읽지 못함({what.what.ko}). {what.remedy.ko}",
        )
    )


def _not_kept() -> NotReadError:
    return NotReadError(
        Text(
            en=f"the snapshot does not hold this curve: `kubegap snapshot --prometheus URL` keeps those of the {KEPT} "
            f"largest training runs over {DEFAULT_WINDOW}, so leave out metric and window, name another job, take the "
            "snapshot again, or ask the live cluster",
            ko=f"스냅샷에 없는 곡선임. `kubegap snapshot --prometheus URL`은 가장 큰 학습 작업 {KEPT}개의 "
            f"{DEFAULT_WINDOW} 곡선을 담음. metric과 window를 빼거나, 다른 작업을 지정하거나, 스냅샷을 다시 만들거나, "
            "실제 클러스터에 묻는다",
        )
    )


def unknown_metric(name: str, names: Collection[str], found: Sequence[str]) -> UnknownNameError:
    """`found` are those of the source's names that may tell throughput."""
    if hint := meant(nearest(name, sorted(names))) or (try_one_of(found) if found else None):
        en, ko = f": {hint.en}, or leave metric out", f". {hint.ko}. metric을 빼면 알아서 찾음"
    else:
        en = ", nor any that is known to tell throughput: name one that your trainer publishes"
        ko = ". 처리량으로 알려진 메트릭도 없음. 학습 코드가 내보내는 메트릭 이름을 지정한다"
    return UnknownNameError(
        Text(
            en=f"the metrics source has no metric {quoted(name)}{en}",
            ko=f"메트릭 소스에 없는 메트릭: {quoted(name)}{ko}",
        )
    )


def without_samples(name: str) -> NotReadError:
    return NotReadError(
        Text(
            en=f"{quoted(name)} has no sample in this window: ask for a longer one, or check that its exporter is up",
            ko=f"이 구간에 {quoted(name)}의 표본이 없음. 더 긴 구간으로 묻거나 익스포터가 살아 있는지 확인한다",
        )
    )


def without_series(
    job: Job | None, metric: str | None, others: Sequence[str], lacking: Sequence[Unread]
) -> KubegapError:
    """No job to ask about, or none of the series is the job's."""
    if job is None and lacking:
        return NotReadError(
            Text(
                en=f"no training run was seen, as not all pods could be read: {lacking[0].remedy.en}, or name a metric",
                ko=f"파드를 모두 읽지 못해 학습 작업을 찾지 못함. {lacking[0].remedy.ko}. metric을 지정해도 됨",
            )
        )
    if job is None:
        return NotReadError(
            Text(
                en="no training run was found in this cluster: name a metric, or a job whose name its series bear",
                ko="이 클러스터에서 학습 작업을 찾지 못함. metric을 지정하거나, 시계열에 이름이 남은 job을 지정한다",
            )
        )
    if not job.pods:
        en, ko = _others(others)
        return UnknownNameError(
            Text(
                en=f"no pods and no series are of a job {quoted(job.title)}{en}",
                ko=f"작업 {quoted(job.title)}의 파드도 시계열도 없음{ko}",
            )
        )
    named = Text.same(quoted(metric)) if metric else Text(en="throughput", ko="처리량")
    return NotReadError(
        Text(
            en=f"no series of {named.en} bears a pod, the name or a node of {quoted(job.title)}: let the trainer "
            "publish tokens_per_second with labels namespace and pod, name another metric or job, or ask for a longer "
            "window if it ended",
            ko=f"{quoted(job.title)}의 파드, 이름, 노드가 레이블에 있는 {named.ko} 시계열이 없음. 학습 코드가 "
            "tokens_per_second를 namespace, pod 레이블과 함께 내보내게 하거나 다른 metric이나 job을 지정한다. "
            "이미 끝난 작업이면 더 긴 window로 묻는다",
        )
    )


def _others(others: Sequence[str]) -> tuple[str, str]:
    if not others:
        return ": leave job out, or name a metric", ". job을 빼거나 metric을 지정한다"
    listed = ", ".join(quoted(one) for one in others[:_NAMED])
    return f": try one of {listed}", f". 이런 것으로 다시 묻는다: {listed}"
