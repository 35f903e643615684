"""What is said of a question that a metrics source did not answer: the reason, and the smallest thing to do about it.

Nothing here holds an address, a header or a credential; what the source itself said is cut and cleaned.
"""

import re
from collections.abc import Mapping
from typing import Final

from kubegap_checks.facts.read import Reason, Unread
from kubegap_checks.text import Text
from kubegap_mcp.foreign.complaint import complaint
from kubegap_mcp.transport.exchange import Cause

METRICS: Final = Text(en="metrics", ko="메트릭")
NO_SOURCE: Final = Unread(
    what=METRICS,
    reason="no_metrics_source",
    remedy=Text(
        en="name a Prometheus with --prometheus URL (or KUBEGAP_PROMETHEUS)",
        ko="--prometheus URL(또는 KUBEGAP_PROMETHEUS)로 Prometheus를 지정한다",
    ),
)
NOT_KEPT: Final = Unread(
    what=METRICS,
    reason="no_metrics_source",
    remedy=Text(
        en="these files hold no metrics: take a snapshot with `kubegap snapshot --prometheus URL`, or ask the live "
        "cluster with --prometheus URL",
        ko="이 파일에는 메트릭이 없음. `kubegap snapshot --prometheus URL`로 스냅샷을 만들거나, 실제 클러스터에 "
        "--prometheus URL을 주고 묻는다",
    ),
)
OTHER_CONTEXT: Final = Unread(
    what=METRICS,
    reason="no_metrics_source",
    remedy=Text(
        en="the metrics source is that of the context in use: start kubegap with this --context and its --prometheus",
        ko="메트릭 소스는 지금 쓰는 컨텍스트의 것임. 이 --context와 그 클러스터의 --prometheus로 kubegap을 시작한다",
    ),
)
# Names with dots and ports, which complaint() takes for plain words: prom.corp, thanos-store:10901.
_PLACE: Final = re.compile(
    r"(?:[\w-]+\.)+[A-Za-z][\w-]+(?::\d+)?|\b[A-Za-z][\w-]*:\d{2,5}\b|\[[0-9a-fA-F:]+\](?::\d+)?"
)

RENEW: Final = Text(
    en="the metrics source refused the credentials: renew the token or password in its file, or let this user query",
    ko="메트릭 소스가 자격 증명을 거부함. 파일의 토큰이나 비밀번호를 새로 하거나 이 사용자에게 조회 권한을 준다",
)
LOG_IN: Final = Text(
    en="the metrics source wants to know who asks: name token_file, or username and password_file, and a tenant's "
    "header if it has tenants, under [prometheus]",
    ko="메트릭 소스가 인증을 요구함. [prometheus]에 token_file이나 username과 password_file을 적고, 테넌트가 있으면 그 "
    "헤더도 적는다",
)
_REACH: Final[Mapping[Cause, Text]] = {
    "name": Text(
        en="the name of the metrics source does not resolve: check its URL and the network or VPN",
        ko="메트릭 소스의 이름을 찾을 수 없음. URL과 네트워크, VPN을 확인한다",
    ),
    "refused": Text(
        en="nothing answers at the address of the metrics source: check its URL and the network or VPN",
        ko="메트릭 소스의 주소에서 응답하는 것이 없음. URL과 네트워크, VPN을 확인한다",
    ),
    "tls": Text(
        en="TLS to the metrics source failed: check its URL, and name its authority as ca_file under [prometheus]",
        ko="메트릭 소스와의 TLS 실패. URL을 확인하고 [prometheus]의 ca_file에 인증 기관을 적는다",
    ),
    "proxy": Text(
        en="the proxy does not let the metrics source through: check HTTPS_PROXY, HTTP_PROXY and NO_PROXY",
        ko="프록시가 메트릭 소스로 통과시키지 않음. HTTPS_PROXY, HTTP_PROXY, NO_PROXY를 확인한다",
    ),
    "broken": Text(
        en="the metrics source closed the connection: look at its health, then ask again with refresh",
        ko="메트릭 소스가 연결을 끊음. 상태를 확인하고 refresh로 다시 묻는다",
    ),
}
_REDIRECTED: Final = Text(
    en="the metrics source answers with a redirect, which kubegap does not follow: name the final address, or give "
    "credentials if it leads to a login page",
    ko="메트릭 소스가 다른 주소로 넘기지만 kubegap은 따라가지 않음. 최종 주소를 적거나, 로그인 페이지라면 자격 증명을 "
    "준다",
)
_ILL: Final = Text(
    en="the metrics source has trouble of its own: look at its health, then ask again with refresh",
    ko="메트릭 소스 자체에 문제가 있음. 상태를 확인하고 refresh로 다시 묻는다",
)
_NOT_THE_API: Final = Text(
    en="what answers is not the Prometheus API: name its base, below which /api/v1/query lies, or its service and port "
    "(not Grafana, not a login page; Mimir's ends in /prometheus)",
    ko="응답이 Prometheus API가 아님. 그 밑에 /api/v1/query가 있는 기준 주소나 서비스와 포트를 적는다(Grafana나 로그인 "
    "페이지가 아님. Mimir는 /prometheus로 끝남)",
)
_CUT: Final = Text(
    en="the answer of the metrics source broke off: look at its health and any proxy on the way, then ask again with "
    "refresh",
    ko="메트릭 소스의 응답이 중간에 끊김. 소스와 중간 프록시를 확인하고 refresh로 다시 묻는다",
)
_TOO_LARGE: Final = Text(
    en="the metrics source answers with more than 64 MB: narrow it to one cluster with selector under [prometheus]",
    ko="메트릭 소스의 응답이 64 MB를 넘음. [prometheus]의 selector로 클러스터 하나로 좁힌다",
)
_LATE: Final = Text(
    en="the metrics source did not answer in time: look at its load, or ask again with a longer --deadline",
    ko="메트릭 소스가 제시간에 응답하지 않음. 부하를 확인하거나 --deadline을 늘려 다시 묻는다",
)


def forbidden(grant: Text) -> Unread:
    return _unread("forbidden", grant)


def no_secret() -> Unread:
    remedy = Text(
        en="the file with the token or password for the metrics source cannot be read, or holds none: check "
        "token_file or password_file",
        ko="메트릭 소스의 토큰이나 비밀번호 파일을 읽을 수 없거나 비었음. token_file이나 password_file을 확인한다",
    )
    return _unread("forbidden", remedy)


def no_authority() -> Unread:
    remedy = Text(
        en="ca_file for the metrics source holds no certificate: name a PEM file with its authority",
        ko="메트릭 소스의 ca_file에 인증서가 없음. 인증 기관이 든 PEM 파일을 적는다",
    )
    return _unread("unreachable", remedy)


def no_proxy() -> Unread:
    remedy = Text(
        en="the proxy for the metrics source is not an address: correct HTTPS_PROXY or HTTP_PROXY",
        ko="메트릭 소스로 가는 프록시가 주소가 아님. HTTPS_PROXY나 HTTP_PROXY를 바로잡는다",
    )
    return _unread("unreachable", remedy)


def not_asked(why: Text) -> Unread:
    """The API server before it could not be asked, for a reason of its own."""
    return _unread("unreachable", why)


def no_answer(cause: Cause) -> Unread:
    if cause == "timed_out":
        return timed_out()
    if cause == "cut":
        return _unread("unreachable", _CUT)
    if cause == "too_large":
        return _unread("invalid", _TOO_LARGE)
    return _unread("unreachable", _REACH[cause])


def timed_out() -> Unread:
    return _unread("timed_out", _LATE)


def redirected() -> Unread:
    return _unread("unreachable", _REDIRECTED)


def ill() -> Unread:
    return _unread("unreachable", _ILL)


def not_the_api() -> Unread:
    return _unread("invalid", _NOT_THE_API)


def refused(error: str) -> Unread:
    """The source understood the question and does not answer it: a limit of its own, or a query that it cannot run."""
    why = said(error)
    remedy = Text(
        en=f"the metrics source does not answer this query ({why}): look at its limits and version",
        ko=f"메트릭 소스가 이 쿼리에 답하지 않음({why}). 소스의 제한과 버전을 확인한다",
    )
    return _unread("invalid", remedy)


def selects_nothing() -> Unread:
    return Unread(
        what=METRICS,
        reason="stale",
        remedy=Text(
            en="no fresh series has the labels that selector under [prometheus] asks for: correct it; `kubegap doctor` "
            "tells which values they have",
            ko="[prometheus]의 selector에 맞는 최근 시계열이 없음. selector를 바로잡는다. 레이블에 어떤 값이 있는지는 "
            "`kubegap doctor`로 확인한다",
        ),
        cause=True,
    )


def said(text: str) -> str:
    """What a source says, as far as it can be shown: one line, no address, no long word that may be a secret."""
    return _PLACE.sub("…", complaint(text)) or "…"


def _unread(reason: Reason, remedy: Text) -> Unread:
    return Unread(what=METRICS, reason=reason, remedy=remedy)
