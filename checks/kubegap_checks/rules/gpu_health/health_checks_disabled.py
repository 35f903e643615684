"""A device plugin may not be told to ignore every fault of its devices."""

from collections.abc import Iterator

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.pods import Container
from kubegap_checks.facts.read import Facts, Unread
from kubegap_checks.model import Check, Cite, Confidence, Finding, Severity, Subject
from kubegap_checks.signals.health_switches import HealthSwitch, health_switches
from kubegap_checks.text import Text


def find(facts: Facts) -> Iterator[Finding | Unread]:
    for agent in facts.known(DaemonSet):
        for container in agent.template.containers if agent.desired else ():
            for switch in health_switches():
                if switch.env in container.env:
                    yield from _judged(agent, container, switch)


def _judged(agent: DaemonSet, container: Container, switch: HealthSwitch) -> Iterator[Finding | Unread]:
    value, but = container.env[switch.env], container.env.get(switch.unless_env, "")
    path = f"spec.template.spec.containers[{container.name}].env[{switch.env}]"
    if value is None or but is None:
        yield Unread(
            what=Text.same(f"{path} of DaemonSet/{agent.namespace}/{agent.name}"),
            reason="invalid",
            remedy=Text(
                en="look at the secret or config map that it is taken from",
                ko="값을 가져오는 Secret이나 ConfigMap을 확인",
            ),
        )
    elif switch.value.fullmatch(value) and not but:
        yield Finding(
            subject=Subject("DaemonSet", agent.name, agent.namespace),
            key=switch.env,
            says=Text(
                en=f"{switch.agent} ignores every fault of its devices on {agent.desired} nodes",
                ko=f"노드 {agent.desired}대에서 {switch.agent}의 상태 점검이 꺼져 모든 디바이스 장애를 무시함",
            ),
            evidence={path: value, "status.desiredNumberScheduled": agent.desired},
        )


CHECK = Check(
    module=__name__,
    title=Text(en="The device plugin's health checks are switched off", ko="디바이스 플러그인의 상태 점검이 꺼져 있음"),
    why=Text(
        en="A GPU with a fatal error stays allocatable, so that any new pod may get it, and the count that would "
        "have shown the fault no longer drops.",
        ko="치명적인 오류가 난 GPU도 allocatable에 남아 새 파드에 계속 배정되고, 고장을 알려 주던 allocatable 개수도 "
        "줄지 않는다.",
    ),
    fix=Text(
        en="Take the variable out where the plugin is configured, or name only errors that leave the device usable.",
        ko="플러그인 설정에서 해당 변수를 제거하거나, 디바이스를 계속 쓸 수 있는 오류 코드만 지정한다.",
    ),
    severity=Severity.MEDIUM,
    confidence=Confidence.CERTAIN,
    reads=(DaemonSet,),
    cites=(
        Cite(
            incident="2021-nvidia-gpu-unhealthy-forever",
            because=Text(
                en="the same variable was recommended there to ignore single errors that had taken GPUs out for "
                "good; set to all, it keeps broken ones in as well",
                ko="GPU가 일시적 오류로 영영 빠지는 문제에 특정 오류만 무시하도록 권한 변수임. all로 두면 정말 고장 "
                "난 GPU도 그대로 남음",
            ),
        ),
        Cite(
            incident="2023-huggingface-idefics80b-row-remap-loss-spikes",
            because=Text(
                en="a GPU with memory errors stayed in use and the loss diverged after one of them, a link that was "
                "never proven; on machines without Kubernetes",
                ko="메모리 오류가 난 GPU를 계속 썼고 오류 뒤에 손실이 발산했음(인과는 확인되지 않음). Kubernetes "
                "환경은 아님",
            ),
        ),
    ),
    verify=("kubectl -n NAMESPACE get daemonset NAME -o jsonpath='{.spec.template.spec.containers[*].env}'",),
    looks_like=(
        Text(
            en="single errors that are ignored, such as a contained one", ko="격리된 오류처럼 일부 코드만 무시하는 설정"
        ),
        Text(en="all ignored but those that a second variable names", ko="두 번째 변수에 지정한 오류만 감시하는 설정"),
        Text(en="a DaemonSet that no node runs", ko="어떤 노드에서도 실행되지 않는 DaemonSet"),
    ),
    find=find,
    applies=lambda facts: bool(facts.known(DaemonSet)),
)
