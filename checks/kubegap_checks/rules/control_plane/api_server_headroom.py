"""API servers must have seats left, refuse no requests for long, and answer within what Kubernetes aims for."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubegap_checks.facts.metrics import ApiServerLoad, Exported
from kubegap_checks.facts.read import Facts, Unread, came
from kubegap_checks.inventory.measured import largest, unpublished
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.quantities import quantity
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text

# Where requests of workloads and of people end up by default: one client that misbehaves is refused here alone.
# https://kubernetes.io/docs/concepts/cluster-administration/flow-control/ (Defaults)
_OF_WORKLOADS: Final = frozenset({"workload-low", "global-default", "catch-all"})
_SEVERITY: Final = {"api_memory": Severity.HIGH}  # the kernel ends the process that takes too much
_NAMED: Final = 3


def find(facts: Facts) -> Iterator[Finding | Unread]:
    rows, lacking = came(facts.seen(ApiServerLoad))
    raised = [row for row in largest(rows) if row.value >= threshold(f"api_headroom_{row.quantity}").value]
    refused = {row.labels.get("priority_level", ""): row for row in raised if row.quantity == "apf_refused"}
    for spans in raised:
        level = spans.labels.get("priority_level", "")
        if spans.quantity == "apf_refused_spans" and level in refused:
            yield _refusing(level, refused[level], spans)
    for name in ("api_seats", "api_writes_slow", "api_gets_slow", "api_lists_slow", "api_memory"):
        if some := [row for row in raised if row.quantity == name]:
            yield _strained(name, sorted(some, key=lambda row: -row.value))
    yield from lacking
    yield from unpublished(facts, ApiServerLoad)


def _refusing(level: str, share: ApiServerLoad, spans: ApiServerLoad) -> Finding:
    return Finding(
        subject=Subject("PriorityLevelConfiguration", level),
        says=Text(
            en=f"{share.value:.3g} % of its requests were refused, in {spans.value:.0f} ten-minute spans of the last "
            "hour",
            ko=f"최근 1시간 중 10분 구간 {spans.value:.0f}개에서 요청의 {share.value:.3g}%가 거절됨",
        ),
        evidence={"metrics.apf_refused": round(share.value, 2), "metrics.apf_refused_spans": spans.value},
        severity=Severity.LOW if level in _OF_WORKLOADS else Severity.HIGH,
    )


def _strained(name: str, rows: Sequence[ApiServerLoad]) -> Finding:
    told, few = quantity(name), ", ".join(" ".join((*_call(row), f"{row.value:.3g} %")) for row in rows[:_NAMED])
    more = f", +{len(rows) - _NAMED}" if len(rows) > _NAMED else ""
    return Finding(
        subject=Subject("Component", "kube-apiserver"),
        key=name,
        says=Text(en=f"{told.text.en}: {few}{more}", ko=f"{told.text.ko}: {few}{more}"),
        evidence={" ".join((f"metrics.{name}", *_call(row))): round(row.value, 2) for row in rows[:_NAMED]},
        severity=_SEVERITY.get(name, Severity.MEDIUM),
    )


def _call(row: ApiServerLoad) -> tuple[str, ...]:
    return tuple(row.labels[name] for name in ("verb", "resource") if row.labels.get(name))


CHECK = Check(
    module=__name__,
    title=Text(en="API servers have little room left", ko="API 서버 여유 부족"),
    why=Text(
        en="An API server that refuses or delays requests is near the point where kubelets miss their leases and nodes "
        "are taken for lost; then nothing can be repaired through it either.",
        ko="요청을 거절하거나 늦게 처리하는 API 서버는 kubelet이 lease를 갱신하지 못해 노드가 유실로 처리되기 직전일 "
        "수 있다. 그때는 복구 작업도 API 서버를 통해 할 수 없다.",
    ),
    fix=Text(
        en="Find the client that asks most (audit log; `apiserver_flowcontrol_dispatched_requests_total` by flow "
        "schema) and slow it down, then give the API servers more memory and processors.",
        ko="요청이 가장 많은 클라이언트를 찾아(감사 로그, flow schema별 "
        "`apiserver_flowcontrol_dispatched_requests_total`) 요청을 줄인 뒤 API 서버의 메모리와 CPU를 늘린다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(ApiServerLoad, Exported),
    cites=(
        Cite(
            incident="2024-openai-telemetry-control-plane",
            because=Text(
                en="thousands of nodes asked more than the API servers could answer; nobody saw it coming, and what "
                "could end it needed the same servers",
                ko="노드 수천 대의 요청을 API 서버가 감당하지 못했음. 미리 알아채지 못했고, 되돌리려 해도 같은 API "
                "서버를 거쳐야 했음",
            ),
        ),
        Cite(
            incident="2024-openai-control-plane-memory",
            because=Text(
                en="a control-plane service ran out of memory, and the cluster that took over went the same way",
                ko="컨트롤 플레인 서비스의 메모리가 바닥났고, 트래픽을 넘겨받은 클러스터도 같은 일을 겪었음",
            ),
        ),
    ),
    verify=(
        "kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels",
        "kubectl get --raw /metrics | grep apiserver_flowcontrol_rejected_requests_total",
    ),
    looks_like=(
        Text(
            en="one client that asks too much and is refused at workload-low, global-default or catch-all (low)",
            ko="요청이 과도해 workload-low, global-default, catch-all에서 거절되는 클라이언트 하나(낮은 심각도로 보고)",
        ),
        Text(en="a single burst, or an API server that restarted", ko="한 번의 순간 폭증, 재시작한 API 서버"),
        Text(
            en="watches, logs, exec and port forwards, which last as long as somebody wants",
            ko="원래 오래 이어지는 watch, 로그, exec, 포트 포워딩",
        ),
        Text(en="a resource that is hardly asked for, slow now and then", ko="호출이 거의 없고 가끔 느린 리소스"),
        Text(en="an API server of another cluster in the same source", ko="같은 소스에 든 다른 클러스터의 API 서버"),
    ),
    find=find,
)
