"""What is said of a read that a live cluster did not give: the reason, and the smallest thing that would change it."""

from collections.abc import Sequence

from kubegap_checks.facts.read import Kind, Unread
from kubegap_checks.text import Text

_VERSIONS = 5  # named in a remedy

_AGAIN = Text(
    en="ask again with refresh, or with a longer --deadline",
    ko="refresh로 다시 묻거나 --deadline을 늘려 묻는다",
)


def forbidden(kind: Kind) -> Unread:
    remedy = Text(
        en=f"grant list on {kind.resource} (`kubegap rbac` prints the role)",
        ko=f"{kind.resource}에 list 권한을 준다(필요한 역할은 `kubegap rbac`이 출력함)",
    )
    return Unread(what=Text.same(kind.resource), reason="forbidden", remedy=remedy)


def elsewhere_forbidden(kind: Kind) -> Unread:
    """Beside the rows of the namespaces that may be read."""
    remedy = Text(
        en=f"grant list on {kind.resource} in all namespaces (`kubegap rbac` prints the role)",
        ko=f"모든 네임스페이스의 {kind.resource}에 list 권한을 준다(필요한 역할은 `kubegap rbac`이 출력함)",
    )
    return Unread(what=Text.same(kind.resource), reason="forbidden", remedy=remedy)


def not_all_namespaces(kind: Kind, most: int) -> Unread:
    remedy = Text(
        en=f"grant list on {kind.resource} in all namespaces: one by one only {most} are read",
        ko=f"모든 네임스페이스의 {kind.resource}에 list 권한을 준다. 하나씩은 {most}개까지만 읽음",
    )
    return Unread(what=Text.same(kind.resource), reason="forbidden", remedy=remedy)


def timed_out(kind: Kind) -> Unread:
    return Unread(what=Text.same(kind.resource), reason="timed_out", remedy=_AGAIN)


def unreachable(kind: Kind) -> Unread:
    remedy = Text(
        en="the API server did not give this answer: look at its health and the network, then ask again with refresh",
        ko="API 서버가 이 요청에 응답하지 못함. 서버 상태와 네트워크를 확인하고 refresh로 다시 묻는다",
    )
    return Unread(what=Text.same(kind.resource), reason="unreachable", remedy=remedy)


def busy(kind: Kind) -> Unread:
    """429 at each try: API priority and fairness, or a gateway that limits requests."""
    remedy = Text(
        en="the API server turns requests away as too many (429): wait a few minutes and ask again with refresh, about "
        "one topic at a time",
        ko="API 서버가 요청이 너무 많다며 거절함(429). 몇 분 뒤 주제 하나씩 refresh로 다시 묻는다",
    )
    return Unread(what=Text.same(kind.resource), reason="unreachable", remedy=remedy)


def refused(kind: Kind, why: Text) -> Unread:
    """Credentials that were accepted for other kinds, and then no more."""
    return Unread(what=Text.same(kind.resource), reason="unreachable", remedy=why)


def redirected(kind: Kind) -> Unread:
    remedy = Text(
        en="the API server answers with a redirect, which kubegap does not follow: name the final address in the "
        "kubeconfig",
        ko="API 서버가 다른 주소로 넘기지만 kubegap은 따라가지 않음. kubeconfig에 최종 주소를 적는다",
    )
    return Unread(what=Text.same(kind.resource), reason="unreachable", remedy=remedy)


def invalid(kind: Kind) -> Unread:
    remedy = Text(
        en=f"the answer is not a list of {kind.name}: compare with `kubectl get {kind.resource} -o json`, and look "
        "for a proxy on the way",
        ko=f"응답이 {kind.name} 목록이 아님. `kubectl get {kind.resource} -o json`과 비교하고 중간 프록시를 확인한다",
    )
    return Unread(what=Text.same(kind.resource), reason="invalid", remedy=remedy)


def unknown_version(kind: Kind, offered: Sequence[str]) -> Unread:
    """The names come from the server, and may stand in a path: gate.is_version."""
    served, known = ", ".join(offered[:_VERSIONS]), ", ".join(kind.versions)
    remedy = Text(
        en=f"{kind.resource} is served as {served} only, and kubegap knows {known}: look for a newer kubegap, or serve "
        "one of these versions too",
        ko=f"{kind.resource}의 제공 버전은 {served}뿐인데 kubegap이 아는 버전은 {known}임. kubegap을 업데이트하거나 "
        "아는 버전도 제공한다",
    )
    return Unread(what=Text.same(kind.resource), reason="invalid", remedy=remedy)


def stale_discovery(kind: Kind) -> Unread:
    remedy = Text(
        en=f"the API server has no fresh knowledge of the group {kind.group or 'core'}: look at `kubectl get "
        "apiservices`",
        ko=f"API 서버가 {kind.group or 'core'} 그룹의 최신 정보를 갖고 있지 않음. `kubectl get apiservices`를 확인한다",
    )
    return Unread(what=Text.same(kind.resource), reason="stale", remedy=remedy)


def undiscovered(kind: Kind) -> Unread:
    remedy = Text(
        en="let this user read /api and /apis (the cluster role system:discovery), so that kubegap can tell whether "
        f"{kind.resource} is installed",
        ko=f"{kind.resource}의 설치 여부를 알 수 있도록 /api와 /apis를 읽게 한다(클러스터 역할 system:discovery)",
    )
    return Unread(what=Text.same(kind.resource), reason="forbidden", remedy=remedy)


def lacks_core(kind: Kind) -> Unread:
    remedy = Text(
        en=f"the API server does not list {kind.resource} among its resources, which every cluster has: compare with "
        "`kubectl api-resources`, and look for a proxy on the way",
        ko=f"어느 클러스터에나 있는 {kind.resource}가 API 서버의 리소스 목록에 없음. `kubectl api-resources`와 "
        "비교하고 중간 프록시를 확인한다",
    )
    return Unread(what=Text.same(kind.resource), reason="invalid", remedy=remedy)


def changing(kind: Kind) -> Unread:
    remedy = Text(
        en="the list changed faster than it could be read: ask again with refresh",
        ko="읽는 동안 목록이 계속 바뀜. refresh로 다시 묻는다",
    )
    return Unread(what=Text.same(kind.resource), reason="timed_out", remedy=remedy)
