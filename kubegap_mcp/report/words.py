"""The fixed phrases of every answer in English and in Korean, and how things are counted and texts cut."""

from collections.abc import Mapping

from kubegap_checks.model import Status
from kubegap_checks.text import Lang, Text

# An age keeps two digits or so: 90 s, 90 min and 36 h before the next larger unit.
_MINUTES_FROM_S = 120
_HOURS_FROM_S = 2 * 3600
_DAYS_FROM_S = 2 * 86400

STATUS: Mapping[Status, Text] = {
    "gap": Text(en="gap", ko="틈 있음"),
    "clear": Text(en="clear", ko="이상 없음"),
    "unknown": Text(en="unknown", ko="확인 못 함"),
    "not_applicable": Text(en="not applicable", ko="해당 없음"),
    "silenced": Text(en="silenced", ko="무시함"),
}
SEVERITY: Mapping[str, Text] = {
    "critical": Text(en="critical", ko="치명적"),
    "high": Text(en="high", ko="높음"),
    "medium": Text(en="medium", ko="중간"),
    "low": Text(en="low", ko="낮음"),
}
CONFIDENCE: Mapping[str, Text] = {
    "certain": Text(en="certain", ko="확실"),
    "likely": Text(en="likely", ko="유력"),
    "hint": Text(en="hint", ko="의심"),
}
REASON: Mapping[str, Text] = {
    "forbidden": Text(en="forbidden", ko="권한 없음"),
    "not_in_snapshot": Text(en="not in the snapshot", ko="스냅샷에 없음"),
    "timed_out": Text(en="timed out", ko="시간 초과"),
    "unreachable": Text(en="unreachable", ko="연결 안 됨"),
    "no_metrics_source": Text(en="no metrics source", ko="메트릭 소스 없음"),
    "stale": Text(en="stale", ko="오래된 값"),
    "invalid": Text(en="read, but not usable", ko="읽었지만 쓸 수 없음"),
}
VERDICT: Mapping[str, Text] = {
    "ready": Text(en="ready", ko="준비됨"),
    "not_ready": Text(en="not ready", ko="준비 안 됨"),
    "unknown": Text(en="unknown", ko="확인 못 함"),
}
FABRIC: Mapping[str, Text] = {
    "infiniband": Text.same("InfiniBand"),
    "roce": Text.same("RoCE"),
    "efa": Text.same("EFA"),
    "gpudirect_tcpx": Text.same("GPUDirect-TCPX"),
    "none": Text(en="none", ko="없음"),
    "unknown": Text(en="unknown", ko="확인 못 함"),
}
SOURCE: Mapping[str, Text] = {
    "live": Text(en="live", ko="실시간"),
    "snapshot": Text(en="snapshot", ko="스냅샷"),
    "demo": Text(en="demo", ko="데모"),
    "kubeconfig": Text.same("kubeconfig"),
    "in_cluster": Text(en="in-cluster", ko="클러스터 안"),
    "none": Text(en="no kubeconfig", ko="kubeconfig 없음"),
}
NOTE: Mapping[str, Text] = {
    "silenced": Text(en="silenced", ko="무시함"),
    "threshold": Text(en="threshold", ko="기준값"),
    "left_out": Text(en="left out", ko="생략"),
    "partial": Text(en="partial", ko="일부"),
    "demo": Text(en="demo", ko="데모"),
}
RECORD_KIND: Mapping[str, Text] = {
    "event": Text(en="one incident", ko="사고 사례"),
    "pattern": Text(en="a fault seen by many", ko="여럿이 겪은 장애"),
    "study": Text(en="numbers over a fleet", ko="대규모 통계"),
}
SOURCE_KIND: Mapping[str, Text] = {
    "postmortem": Text(en="postmortem", ko="사후 분석"),
    "paper": Text(en="paper", ko="논문"),
    "logbook": Text(en="logbook", ko="일지"),
    "status-page": Text(en="status page", ko="상태 페이지"),
    "talk": Text(en="talk", ko="발표"),
    "issue": Text(en="issue", ko="이슈"),
    "code": Text(en="code", ko="코드"),
    "statement": Text(en="statement", ko="공식 입장"),
    "page": Text(en="page", ko="웹 페이지"),
}
LEVEL: Mapping[str, Text] = {
    "full": Text(en="full", ko="전체 확인"),
    "partial": Text(en="partial", ko="일부 확인"),
    "excerpts": Text(en="excerpts", ko="발췌만 확인"),
    "secondary": Text(en="secondary", ko="2차 자료로 확인"),
}
# The fields in which a search finds its words, by the names that the index gives them.
MATCHED: Mapping[str, Text] = {
    "id": Text(en="id", ko="식별자"),
    "organization": Text(en="organization", ko="조직"),
    "title": Text(en="title", ko="제목"),
    "gist": Text(en="gist", ko="요약"),
    "symptom": Text(en="symptom", ko="증상"),
    "component": Text(en="component", ko="구성 요소"),
    "cause": Text(en="cause", ko="원인"),
    "trigger": Text(en="trigger", ko="계기"),
    "tags": Text(en="tags", ko="태그"),
    "what_happened": Text(en="what happened", ko="무슨 일이 있었나"),
    "detection": Text(en="detection", ko="감지"),
    "actions": Text(en="actions", ko="조치"),
    "follow_ups": Text(en="follow-ups", ko="후속 조치"),
    "lessons": Text(en="lessons", ko="교훈"),
    "figures": Text(en="figures", ko="수치"),
}
FIX = Text(en="Fix", ko="조치")
VERIFY = Text(en="Verify by hand", ko="직접 확인하려면")
READS = Text(en="Reads", ko="읽는 것")
COMPARES = Text(en="Compares with", ko="비교하는 기준값")
LOOKS_LIKE = Text(en="Looks like it and is not reported", ko="비슷해 보이지만 보고하지 않는 것")
DEMO = Text(
    en="this is the packaged demo cluster, not a real one",
    ko="실제 클러스터가 아니라 kubegap에 들어 있는 데모 클러스터임",
)


def plural(count: int, one: str) -> str:
    """`1 node`, `2 nodes`, also for kinds: `3 StorageClasses`, `2 NicClusterPolicies`."""
    if count == 1:
        return f"1 {one}"
    if one.endswith(("s", "x", "ch")):
        return f"{count} {one}es"
    if one.endswith("y") and one[-2:-1] not in "aeiou":
        return f"{count} {one[:-1]}ies"
    return f"{count} {one}s"


def objects(kind: str, count: int, lang: Lang) -> str:
    """How many objects of a kind: `37 nodes`, `노드 37대`."""
    if kind == "Node":
        return f"노드 {count}대" if lang == "ko" else plural(count, "node")
    return f"{kind} {count}개" if lang == "ko" else plural(count, kind)


def age(seconds: int) -> Text:
    """How long ago, in the largest unit that does not hide it."""
    if seconds < _MINUTES_FROM_S:
        return Text(en=f"{seconds} s ago", ko=f"{seconds}초 전")
    if seconds < _HOURS_FROM_S:
        return Text(en=f"{seconds // 60} min ago", ko=f"{seconds // 60}분 전")
    if seconds < _DAYS_FROM_S:
        return Text(en=f"{seconds // 3600} h ago", ko=f"{seconds // 3600}시간 전")
    return Text(en=f"{seconds // 86400} days ago", ko=f"{seconds // 86400}일 전")


def headline(status: Status, summary: str, lang: Lang) -> str:
    """The summary; before it the status, unless that is a gap, which the summary counts itself."""
    return f"{summary}." if status == "gap" else f"{STATUS[status].of(lang)}. {summary}."


def cut(text: str, letters: int) -> str:
    """At most so many letters; what JSON cannot hold is mended."""
    text = text if text.isascii() else text.encode("utf-8", "replace").decode()
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"
