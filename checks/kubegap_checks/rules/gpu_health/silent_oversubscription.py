"""A training run may not ask for whole GPUs where one GPU is offered several times."""

from collections.abc import Iterator, Mapping

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.devices import Devices
from kubegap_checks.inventory.sources import examples
from kubegap_checks.inventory.training import TrainingRun, training_runs
from kubegap_checks.inventory.units import units_of
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    shared = {devices.node.name: devices for devices in offered(facts).devices if _is_shared(devices)}
    for run in training_runs(facts):
        if on_shared := [(pod, name) for pod in run.pods if (name := _asked(pod, shared))]:
            yield _oversubscribed(run, on_shared, shared)


def _is_shared(devices: Devices) -> bool:
    """Whether the name of whole devices stands for shares; under a name of their own they are asked for on purpose."""
    return devices.shares > 1 and not any(units_of(devices.signal.shared, dict.fromkeys(devices.units, 1)))


def _asked(pod: Pod, shared: Mapping[str, Devices]) -> str:
    """The name of whole devices by which the pod got shares; "" where it did not."""
    devices = shared.get(pod.node)
    asked = (
        name for name, count in pod.resources.items() if count and devices and devices.signal.whole.fullmatch(name)
    )
    return next(asked, "")


def _oversubscribed(run: TrainingRun, on_shared: list[tuple[Pod, str]], shared: Mapping[str, Devices]) -> Finding:
    pod, name = on_shared[0]
    devices = shared[pod.node]
    nodes = examples(pod.node for pod, _ in on_shared)
    path = f"Pod[{pod.namespace}/{pod.name}].spec.containers.resources.limits[{name}]"
    return Finding(
        subject=run.subject,
        says=Text(
            en=f"it asks for {name} on {nodes.en}, where each GPU is offered {devices.shares} times",
            ko=f"{nodes.ko}에서 GPU 하나를 {devices.shares}개로 나눠 제공하는데 {name} 리소스를 요청해 사용 중",
        ),
        evidence={
            path: pod.resources[name],
            f"Node[{pod.node}].status.capacity.{name}": devices.units[name][0],
            run.sign.path: run.sign.value,
        },
        confidence=run.sign.confidence.at_most(Confidence.LIKELY),
    )


CHECK = Check(
    module=__name__,
    title=Text(en="Training on GPUs that are silently shared", ko="모르는 사이에 공유되는 GPU에서 도는 학습"),
    why=Text(
        en="Pods that share a GPU divide its time and memory, one that crashes takes the others along, and two "
        "shares may be the same device.",
        ko="GPU 하나를 나눠 쓰는 파드들은 시간과 메모리를 두고 경쟁하고, 하나가 죽으면 나머지도 함께 죽으며, 받은 두 "
        "단위가 같은 GPU일 수도 있다.",
    ),
    fix=Text(
        en="Run training on nodes whose GPUs are not shared, and offer shared GPUs under a resource name of their own.",
        ko="GPU를 공유하지 않는 노드에서 학습을 실행하고, 공유 GPU는 별도의 리소스 이름으로 제공한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.LIKELY,
    reads=(Node, Pod, ResourceSlice),
    cites=(
        Cite(
            incident="2022-nvidia-time-slicing-one-gpu-twice",
            because=Text(
                en="pods that asked for two GPUs got one of them twice, and pods on one GPU ran each other out of "
                "memory; CI and services there, not a training",
                ko="GPU 2개를 요청한 파드가 같은 GPU를 두 번 받았고, 한 GPU의 파드끼리 메모리 부족을 일으켰음. 학습이 "
                "아니라 CI와 서비스였다는 점이 다름",
            ),
        ),
    ),
    verify=(
        "kubectl get nodes -L nvidia.com/gpu.replicas,nvidia.com/gpu.sharing-strategy,nvidia.com/gpu.product",
        "nvidia-smi -L  # in the pod: each device once",
    ),
    looks_like=(
        Text(en="a run that asks for the shared resource by its name", ko="공유 리소스를 그 이름으로 요청한 작업"),
        Text(en="MIG devices, which have memory of their own", ko="메모리가 분리된 MIG 디바이스"),
        Text(en="a pod that serves or develops on a shared GPU", ko="공유 GPU에서 서빙하거나 개발하는 파드"),
    ),
    find=find,
    applies=lambda facts: any(True for _ in training_runs(facts)),
)
