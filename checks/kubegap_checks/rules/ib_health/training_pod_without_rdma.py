"""A training run over several nodes must ask for the fabric that these nodes offer."""

from collections.abc import Iterator, Mapping
from functools import cache

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.nodes import NicClusterPolicy, Node, NodeFeature, ResourceSlice
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts
from kubegap_checks.inventory.fabric_access import (
    asks_for_fabric,
    has_other_way,
    must_be_asked_for,
    offer_of,
    share_memory,
    switches_off,
)
from kubegap_checks.inventory.node_fabric import NodeFabric
from kubegap_checks.inventory.training import RENDEZVOUS, TrainingRun, devices, training_runs, workers
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding]:
    nodes = cache(lambda: must_be_asked_for(facts))
    for run in _trains_over_nodes(facts):
        without = {pod.node: pod for pod in run.pods if not asks_for_fabric(pod) and not has_other_way(pod)}
        if len(without) > 1:
            offering = {name: nodes()[name] for name in without if name in nodes()}
            if len(offering) > 1 and not share_memory(fabric.node for fabric in offering.values()):
                yield _finding(run, without, offering)


def _trains_over_nodes(facts: Facts) -> Iterator[TrainingRun]:
    for run in training_runs(facts):
        if run.sign.confidence is not Confidence.HINT and not run.serves:
            yield run


def _finding(run: TrainingRun, without: Mapping[str, Pod], offering: Mapping[str, NodeFabric]) -> Finding:
    name, fabric = min(offering.items())
    pod, offer = without[name], offer_of(fabric)
    sure = _trains_together(run, pod)
    whole = devices(pod) >= (fabric.accelerators.allocatable or 0)
    return Finding(
        subject=run.subject,
        says=Text(
            en=f"its pods on {len(offering)} nodes that offer {offer} ask for none of it",
            ko=f"{offer} 리소스를 제공하는 노드 {len(offering)}대에서 도는 파드가 이를 요청하지 않음",
        ),
        evidence={
            f"Pod[{pod.namespace}/{pod.name}].spec.containers.resources.limits": ", ".join(sorted(pod.resources)),
            f"Node[{name}].{fabric.path or 'status.allocatable'}": offer,
        },
        severity=Severity.HIGH if sure and whole else Severity.LOW,
        confidence=Confidence.LIKELY if sure else Confidence.HINT,
    )


def _trains_together(run: TrainingRun, pod: Pod) -> bool:
    """Whether its ranks surely talk to each other, and neither what was not read nor a setting says how."""
    containers = workers(pod)
    told = any(name in container.env for container in containers for name in RENDEZVOUS)
    unclear = any(one.env_from or switches_off(one) for one in containers)
    return (told or run.sign.confidence is Confidence.CERTAIN) and not unclear


CHECK = Check(
    module=__name__,
    title=Text(en="A run over several nodes does not ask for their fabric", ko="패브릭을 요청하지 않은 다중 노드 학습"),
    why=Text(
        en="Without the resource a pod does not see the adapters, and NCCL falls back to TCP in silence: the run "
        "works, and is many times slower between nodes.",
        ko="리소스를 요청하지 않은 파드에는 어댑터가 보이지 않고 NCCL은 조용히 TCP로 넘어간다. 학습은 돌지만 노드 간 "
        "통신이 몇 배나 느리다.",
    ),
    fix=Text(
        en="Ask in the job for the fabric resource that its nodes offer, and check in NCCL's log that it is used.",
        ko="노드가 제공하는 패브릭 리소스를 작업에서 요청하고, NCCL 로그에서 실제로 쓰이는지 확인한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(Pod, Node, NodeFeature, ResourceSlice, NicClusterPolicy, DaemonSet),
    cites=(
        Cite(
            incident="2025-experiment-template-nccl-ib-disable",
            because=Text(
                en="jobs stayed on TCP beside a RoCE network, and a step took twice as long; there, on Slurm, it "
                "was a setting and not a missing request",
                ko="RoCE를 두고 TCP로 통신해 스텝이 두 배 넘게 걸렸음. Slurm 사례, 원인은 요청 누락이 아닌 설정",
            ),
        ),
    ),
    verify=(
        "kubectl get pod -n NAMESPACE POD -o jsonpath='{.spec.containers[*].resources}'",
        "kubectl logs -n NAMESPACE POD | grep NCCL  # with NCCL_DEBUG=INFO it names the network in use",
    ),
    looks_like=(
        Text(
            en="pods that open the host's devices, or name a network in an annotation",
            ko="호스트 디바이스를 직접 열거나 어노테이션으로 네트워크를 지정한 파드",
        ),
        Text(
            en="adapters that are claimed through DRA, or a resource that no table knows",
            ko="DRA로 받은 어댑터, 표에 없는 리소스",
        ),
        Text(
            en="a plugin, sockets or multi-node NVLink that the run's settings choose; NCCL_IB_DISABLE is a hint",
            ko="설정으로 플러그인, 소켓, 다중 노드 NVLink를 고른 작업(NCCL_IB_DISABLE은 참고로만 표시)",
        ),
        Text(
            en="a device plugin that gives every GPU pod all verbs devices",
            ko="모든 GPU 파드에 verbs 디바이스를 넣어 주는 디바이스 플러그인",
        ),
        Text(en="pods with some GPUs of a node, shown as low", ko="노드 GPU의 일부만 쓰는 파드(낮은 심각도로 표시)"),
    ),
    find=find,
    applies=lambda facts: any(_trains_over_nodes(facts)),
)
