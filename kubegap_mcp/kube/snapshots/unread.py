"""What is said of a kind that a snapshot does not hold, or not whole."""

from kubegap_checks.facts.read import Kind, Unread
from kubegap_checks.text import Text


def not_in_snapshot(kind: Kind) -> Unread:
    command = f"`kubectl get {kind.resource}{' -A' if kind.namespaced else ''} -o json > {kind.plural}.json`"
    remedy = Text(
        en=f"add it with {command}, or take the snapshot with `kubegap snapshot`",
        ko=f"{command}로 추가하거나 `kubegap snapshot`으로 스냅샷을 만드세요",
    )
    return Unread(what=kind.resource, reason="not_in_snapshot", remedy=remedy)


def cut_short(kind: Kind) -> Unread:
    """The file is one page of a list that had more."""
    command = f"`kubectl get {kind.resource}{' -A' if kind.namespaced else ''} -o json > {kind.plural}.json`"
    remedy = Text(
        en=f"the list in the snapshot is only its first part: get it again with {command}",
        ko=f"스냅샷의 목록이 앞부분뿐입니다. {command}로 다시 받으세요",
    )
    return Unread(what=kind.resource, reason="not_in_snapshot", remedy=remedy)
