"""A multi-node NVLink domain must be ready soon after the pods that need it are on its nodes."""

from collections.abc import Iterator
from datetime import timedelta

from kubegap_checks.facts.nodes import ComputeDomain
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text, moment


def find(facts: Facts) -> Iterator[Finding | Unread]:
    pods = tuple(facts.seen(Pod))  # all of them, or those of the namespace that was asked about
    since = facts.read_at - timedelta(minutes=threshold("compute_domain_grace").value)
    for domain in facts.known(ComputeDomain):
        inside = [pod for pod in pods if pod.namespace == domain.namespace and pod.device_claims and not pod.deleting]
        # A domain forms when all of its pods have a node: until then it is not late.
        if domain.status == "Ready" or any(not pod.node for pod in inside):
            continue
        late = [pod for pod in inside if pod.node in domain.nodes and pod.created and pod.created < since]
        if late:
            yield _not_ready(domain, late)


def _not_ready(domain: ComputeDomain, late: list[Pod]) -> Finding:
    pod = min(late, key=lambda pod: pod.name)
    return Finding(
        subject=Subject("ComputeDomain", domain.name, domain.namespace),
        says=Text(
            en=f"the domain is not ready while {len(late)} pods are on its nodes; {len(domain.nodes)} of "
            f"{domain.num_nodes} nodes have joined",
            ko=f"파드 {len(late)}개가 도메인의 노드에 있는데 아직 준비되지 않음, 노드 {domain.num_nodes}대 중 "
            f"{len(domain.nodes)}대 참여",
        ),
        evidence={
            "status.status": domain.status,
            "spec.numNodes": domain.num_nodes,
            "status.nodes": len(domain.nodes),
            f"Pod[{pod.namespace}/{pod.name}].spec.nodeName": pod.node,
        },
        since=moment(pod.created),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A multi-node NVLink domain does not become ready", ko="준비되지 않는 다중 노드 NVLink 도메인"),
    why=Text(
        en="Pods that claim a channel of the domain wait in ContainerCreating until it is ready, and a run whose "
        "domain breaks loses NVLink between its nodes.",
        ko="도메인 채널을 요청한 파드는 도메인이 준비될 때까지 ContainerCreating에 머물고, 실행 중에 도메인이 "
        "깨지면 노드 간 NVLink를 잃는다.",
    ),
    fix=Text(
        en="Read the logs of the domain's daemon on each of its nodes, stop an IMEX service that runs on the host, and "
        "start the domain's pods again.",
        ko="도메인의 각 노드에서 데몬 로그를 확인하고, 호스트에서 따로 도는 IMEX 서비스가 있으면 중지한 뒤 도메인의 "
        "파드를 다시 시작한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(ComputeDomain, Pod),
    cites=(
        Cite(
            incident="2026-huggingface-jobs-h200-error-802",
            because=Text(
                en="jobs were placed on hosts whose NVLink fabric had not finished initialising; there within one "
                "machine, and the job failed instead of waiting",
                ko="NVLink 패브릭 초기화가 끝나지 않은 호스트에 작업이 배정되었음. 노드 안의 NVLink였고, 기다리는 대신 "
                "작업이 실패했다는 점이 다름",
            ),
        ),
    ),
    verify=(
        "kubectl -n NAMESPACE get computedomains.resource.nvidia.com NAME -o yaml",
        "kubectl get nodes -L nvidia.com/gpu.clique",
    ),
    looks_like=(
        Text(en="an idle domain, which is not ready before a pod needs it", ko="아직 쓰는 파드가 없는 유휴 도메인"),
        Text(en="a domain whose pods have only just been placed", ko="파드가 이제 막 배치된 도메인"),
        Text(en="a domain some of whose pods wait for a node", ko="일부 파드가 아직 노드를 기다리는 도메인"),
    ),
    find=find,
    applies=lambda facts: bool(facts.known(ComputeDomain)),
)
