"""Where nodes carry results of a burn-in, every GPU node in service must carry one that is not old."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.inventory.accelerators import offered
from kubegap_checks.inventory.node_state import in_service
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.burn_in import Tested, tests_in
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text, moment


def find(facts: Facts) -> Iterator[Finding | Unread]:
    found = offered(facts)
    nodes = {devices.node.name: devices.node for devices in found.devices if not devices.idle}
    tester = next((test.tester for node in nodes.values() for test in tests_in(node.labels)), "")
    if not tester:
        return
    limit = facts.read_at - timedelta(days=threshold("burn_in_stale").value)
    for node in nodes.values():
        tests = list(tests_in(node.labels))
        if not in_service(node, facts.read_at):
            continue
        if not tests:
            yield _untested(node, tester)
        elif last := _last(tests):
            at, test = last
            if at < limit:
                yield _old(node, test, at)
    yield from found.unread


def _last(tests: list[Tested]) -> tuple[datetime, Tested] | None:
    """The newest of the results, where all of them tell their day: one that does not may be newer."""
    dated = [(test.at, test) for test in tests if test.at]
    return max(dated, key=lambda pair: pair[0]) if len(dated) == len(tests) else None


def _untested(node: Node, tester: str) -> Finding:
    return Finding(
        subject=Subject("Node", node.name),
        says=Text(
            en=f"it carries no result of a burn-in, while other GPU nodes carry those of {tester}",
            ko=f"다른 GPU 노드에는 {tester} 결과가 있는데 이 노드에는 번인 결과가 없음",
        ),
        evidence={"metadata.creationTimestamp": moment(node.created)},
    )


def _old(node: Node, test: Tested, at: datetime) -> Finding:
    return Finding(
        subject=Subject("Node", node.name),
        says=Text(
            en=f"{test.tester} tested it last on {at:%Y-%m-%d}", ko=f"{test.tester}의 마지막 점검이 {at:%Y-%m-%d}임"
        ),
        evidence={f"metadata.labels.{test.key}": test.value},
    )


def _applies(facts: Facts) -> bool:
    """Tests whose results stand elsewhere, in jobs or outside of the cluster, cannot be seen."""
    return any(True for node in facts.known(Node) for _ in tests_in(node.labels))


CHECK = Check(
    module=__name__,
    title=Text(en="GPU nodes without a recent burn-in", ko="최근 번인 결과가 없는 GPU 노드"),
    why=Text(
        en="Weak links and slow GPUs show only under load; a node that was not tested brings them into a run, where "
        "one of them slows or stops all others.",
        ko="약한 링크와 느린 GPU는 부하가 걸려야 드러난다. 점검하지 않은 노드 하나가 학습 전체를 느리게 하거나 멈춘다.",
    ),
    fix=Text(
        en="Run the burn-in on these nodes while they are idle, before they take part in a long run.",
        ko="긴 학습에 투입하기 전, 유휴 상태일 때 이 노드들에서 번인을 실행한다.",
    ),
    severity=Severity.LOW,
    confidence=Confidence.LIKELY,
    reads=(Node, ResourceSlice),
    cites=(
        Cite(
            incident="2024-imbue-70b-cluster-bring-up",
            because=Text(
                en="faulty ports showed only when a burn-in loaded all of them at once (on bare metal without "
                "Kubernetes)",
                ko="모든 포트에 동시에 부하를 주는 번인을 돌려서야 불량 포트가 드러났음(Kubernetes 없는 베어메탈)",
            ),
        ),
        Cite(
            incident="2024-microsoft-superbench-gray-failures",
            because=Text(
                en="about one in ten new nodes failed a validation before customers got them, most of them in adapters "
                "and copy paths",
                ko="새 노드 열 대 중 한 대꼴로 고객에게 넘기기 전 검증에서 탈락했고, 대부분 어댑터와 복사 경로 "
                "문제였음",
            ),
        ),
    ),
    verify=(
        "kubectl get node NODE -o jsonpath='{.metadata.labels}'",
        "kubectl get cronjobs,jobs -A",
    ),
    looks_like=(
        Text(
            en="a node that has just joined, is cordoned or is under repair",
            ko="막 합류했거나 cordon 또는 수리 중인 노드",
        ),
        Text(
            en="a cluster whose testers write no labels, so that nothing can be said",
            ko="점검 도구가 레이블을 남기지 않아 판단할 수 없는 클러스터",
        ),
        Text(en="a tester whose label does not tell the day", ko="레이블에 점검 날짜가 없는 도구"),
    ),
    find=find,
    applies=_applies,
)
