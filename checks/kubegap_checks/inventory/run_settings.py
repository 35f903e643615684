"""Settings in the environment of a training run that hurt it, where what they act on is there."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from kubegap_checks.facts.derived import row_derived
from kubegap_checks.facts.pods import Container, Pod
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.training import TrainingRun, devices, workers
from kubegap_checks.model import Confidence, Seen
from kubegap_checks.signals.fabrics import fabric_of
from kubegap_checks.signals.harmful_env import HarmfulSetting, harmful_env, is_debugging
from kubegap_checks.signals.tables import Regex
from kubegap_checks.text import Text


class Held(Struct, frozen=True, kw_only=True):
    """A setting that a container holds, its value, and the fields that show it and what it acts on."""

    value: str | None
    evidence: Mapping[str, Seen]
    confidence: Confidence


def held(facts: Facts, run: TrainingRun, row: HarmfulSetting) -> tuple[Held | Unread, ...]:
    """The first place where the run holds a setting to its harm, or else what could not be read to tell."""
    found = tuple(_on_gpus(facts, run, row, row.product) if row.product else _on_adapters(run, row))
    return tuple(item for item in found if isinstance(item, Held))[:1] or found


def _on_adapters(run: TrainingRun, row: HarmfulSetting) -> Iterator[Held | Unread]:
    """Between nodes: only pods that ask for adapters have what the setting switches off."""
    if len({pod.node for pod in run.pods if pod.node}) > 1:
        for pod, container in _holding(run, row):
            for name, count in pod.resources.items():
                signal = fabric_of(name)
                if count and signal and signal.transport in row.transport:
                    path = f"Pod[{pod.namespace}/{pod.name}].spec.containers.resources.limits[{name}]"
                    yield _judged(run, row, pod, container, {path: count})


def _on_gpus(facts: Facts, run: TrainingRun, row: HarmfulSetting, product: Regex) -> Iterator[Held | Unread]:
    """Between the GPUs of one pod, where they are a product that it matters to."""
    holding = [(pod, container) for pod, container in _holding(run, row) if devices(pod) > 1]
    if not holding:
        return
    try:
        found = offered(facts)
    except UnreadError as error:
        yield from error.unread
        return
    on_node = {one.node.name: one.product for one in found.devices if one.product}
    for pod, container in holding:
        name = on_node.get(pod.node)
        if name is None:
            yield from found.unread or (_unnamed(run),)
        elif product.fullmatch(name):
            yield _judged(run, row, pod, container, {f"Node[{pod.node}].product": name})


def _holding(run: TrainingRun, row: HarmfulSetting) -> Iterator[tuple[Pod, Container]]:
    """The containers that hold the setting, and those of which it is not known."""
    for pod in run.pods:
        for container in workers(pod):
            if _hurts(container)[id(row)] is not False:
                yield pod, container


@row_derived
def _hurts(container: Container) -> Mapping[int, bool | None]:
    """By the identities of the table's rows."""
    return {id(row): row.hurts(container.env) for row in harmful_env()}


def _judged(
    run: TrainingRun, row: HarmfulSetting, pod: Pod, container: Container, acts_on: Mapping[str, Seen]
) -> Held | Unread:
    if row.hurts(container.env) is None:
        return _from_elsewhere(run, row)
    value = container.env[row.name]
    path = f"Pod[{pod.namespace}/{pod.name}].spec.containers[{container.name}].env[{row.name}]"
    sure = [row.confidence, run.sign.confidence, *[Confidence.HINT] * is_debugging(container.env)]
    return Held(
        value=value,
        evidence={path: value, **acts_on},
        confidence=min(sure, key=lambda confidence: confidence.rank),
    )


def _from_elsewhere(run: TrainingRun, row: HarmfulSetting) -> Unread:
    return Unread(
        what=Text(en=f"whether {row.name} hurts {run.subject}", ko=f"{row.name} 설정이 {run.subject}에 해로운지"),
        reason="invalid",
        remedy=Text(
            en="write its value, and those of the NCCL settings beside it, into the pod's spec",
            ko="이 변수와 함께 쓰는 NCCL 설정의 값을 파드 spec에 직접 지정",
        ),
    )


def _unnamed(run: TrainingRun) -> Unread:
    return Unread(
        what=Text(en=f"which GPUs {run.subject} runs on", ko=f"{run.subject} 작업이 쓰는 GPU 제품"),
        reason="invalid",
        remedy=Text(
            en="run GPU Feature Discovery, which labels nodes with their product",
            ko="노드에 제품 레이블을 다는 GPU Feature Discovery를 실행",
        ),
    )
