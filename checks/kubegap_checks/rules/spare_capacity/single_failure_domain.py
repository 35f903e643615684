"""Replicas that serve must not all stand on one node, or in one zone, where their accelerators are elsewhere too."""

from collections.abc import Iterator, Mapping, Sequence

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.pods import Pod, Run
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.node_state import zone_of
from kubegap_checks.inventory.training import training_runs
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.workloads import owner_kind
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    products = {one.node.name: one.product for one in offered(facts).devices}
    zones = {node.name: zone_of(node) for node in facts.known(Node)}
    for run, nodes in _serving(facts).items():
        like = [name for name, product in products.items() if product == products.get(nodes[0])]
        zone = zones.get(nodes[0])
        if len(set(nodes)) == 1 and len(like) > 1:
            yield _on_one_node(run, nodes)
        elif zone and {zones.get(name) for name in nodes} == {zone} and {zones[name] for name in like} - {zone, None}:
            yield _in_one_zone(run, nodes, zone)


def _serving(facts: Facts) -> Mapping[Run, Sequence[str]]:
    """The nodes of all replicas of what serves, where there are several and all are placed."""
    pods: dict[Run, list[Pod]] = {}
    for pod in facts.known(Pod):
        owner = owner_kind(pod.run.kind)
        if owner and owner.serves and not pod.deleting:
            pods.setdefault(pod.run, []).append(pod)
    trains = {run.run for run in training_runs(facts)}
    return {
        run: [pod.node for pod in replicas]
        for run, replicas in pods.items()
        if run not in trains and len(replicas) > 1 and all(pod.node for pod in replicas)
    }


def _on_one_node(run: Run, nodes: Sequence[str]) -> Finding:
    says = Text(
        en=f"all {len(nodes)} replicas are on node {nodes[0]}",
        ko=f"레플리카 {len(nodes)}개가 모두 노드 {nodes[0]}에 있음",
    )
    return Finding(subject=Subject.of_run(run), key="node", says=says, evidence={"Pod.spec.nodeName": nodes[0]})


def _in_one_zone(run: Run, nodes: Sequence[str], zone: str) -> Finding:
    return Finding(
        subject=Subject.of_run(run),
        key="zone",
        says=Text(
            en=f"all {len(nodes)} replicas are in zone {zone}, and GPUs of their kind are in others too",
            ko=f"레플리카 {len(nodes)}개가 모두 존 {zone}에 있는데, 같은 종류의 GPU가 다른 존에도 있음",
        ),
        evidence={"Pod.spec.nodeName": ", ".join(sorted(set(nodes))[:5]), "zone": zone},
        severity=Severity.LOW,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="All replicas of a model in one failure domain", ko="모델의 모든 레플리카가 한 장애 도메인에 있음"),
    why=Text(
        en="One lost node or zone takes the model out of service, and reloading its weights elsewhere takes minutes "
        "to hours.",
        ko="노드나 존 하나만 잃어도 모델 서빙이 멈추고, 다른 곳에서 가중치를 다시 올리는 데 몇 분에서 몇 시간이 "
        "걸린다.",
    ),
    fix=Text(
        en="Spread the replicas with a topology spread constraint over host names, and over zones where GPUs are in "
        "several.",
        ko="호스트 이름을 기준으로, GPU가 여러 존에 있으면 존도 기준으로 topologySpreadConstraints를 걸어 레플리카를 "
        "나눈다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(Node, ResourceSlice, Pod),
    cites=(
        Cite(
            incident="2022-openai-gpu-cluster-loss",
            because=Text(
                en="the headroom was smaller than the domain that was lost, and models took up to 12 hours to reload; "
                "there the domain was one cluster of three",
                ko="잃어버린 장애 도메인보다 여유가 작았고 모델을 다시 올리는 데 최대 12시간이 걸렸음. 이 사례의 "
                "장애 도메인은 "
                "클러스터 세 곳 중 하나였음",
            ),
        ),
        Cite(
            incident="2022-kakao-pangyo-datacentre-fire",
            because=Text(
                en="systems whose second copy lay in the same building failed with it, and it took over five days "
                "until all were back; not a GPU cluster",
                ko="두 번째 사본이 같은 건물에 있던 시스템은 함께 멈췄고, 모두 복구되기까지 닷새가 넘게 걸렸음. GPU "
                "클러스터는 아님",
            ),
        ),
    ),
    verify=(
        "kubectl get pods -n NAMESPACE -o wide",
        "kubectl get nodes -L topology.kubernetes.io/zone,nvidia.com/gpu.product",
    ),
    looks_like=(
        Text(en="one replica only", ko="레플리카가 하나뿐임"),
        Text(en="no other node has such GPUs", ko="같은 GPU가 다른 노드에 없음"),
        Text(en="a training run, which belongs close together", ko="가까이 모여 있어야 하는 학습 작업"),
        Text(en="all GPUs of the kind are in one zone", ko="같은 종류의 GPU가 한 존에만 있음"),
    ),
    find=find,
    applies=lambda facts: bool(_serving(facts)),
)
