"""The fixed phrases of every answer in English and in Korean, and how things are counted and texts cut."""

from collections.abc import Mapping

from kubegap_checks.model import Status
from kubegap_checks.text import Lang, Text

STATUS: Mapping[Status, Text] = {
    "gap": Text(en="gap", ko="틈 있음"),
    "clear": Text(en="clear", ko="이상 없음"),
    "unknown": Text(en="unknown", ko="확인 못 함"),
    "not_applicable": Text(en="not applicable", ko="해당 없음"),
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
FIX = Text(en="Fix", ko="조치")
VERIFY = Text(en="Verify by hand", ko="직접 확인하려면")
READS = Text(en="Reads", ko="읽는 것")
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


def cut(text: str, letters: int) -> str:
    """At most so many letters; what JSON cannot hold is mended."""
    text = text if text.isascii() else text.encode("utf-8", "replace").decode()
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"
