"""What is said of a kind that a snapshot does not hold, or not whole."""

from kubegap_checks.facts.read import Kind, Unread
from kubegap_checks.text import Text


def not_in_snapshot(kind: Kind) -> Unread:
    remedy = Text(
        en=f"take the snapshot with `kubegap snapshot`, which also says where there are none, or add {_command(kind)}",
        ko=f"없는 것까지 기록하는 `kubegap snapshot`으로 스냅샷을 만들거나 {_command(kind)}를 더한다",
    )
    return Unread(what=Text.same(kind.resource), reason="not_in_snapshot", remedy=remedy)


def cut_short(kind: Kind) -> Unread:
    """The file is one page of a list that had more."""
    remedy = Text(
        en=f"the list in the snapshot is only its first part: get it again with {_command(kind)}",
        ko=f"스냅샷의 목록이 앞부분뿐임. {_command(kind)}로 다시 받는다",
    )
    return Unread(what=Text.same(kind.resource), reason="not_in_snapshot", remedy=remedy)


def taken_by_another(kind: Kind) -> Unread:
    """The objects are there, without what the kubegap that took them did not read yet."""
    remedy = Text(
        en="the kubegap that took the snapshot kept less of these objects than this one reads: take it again with "
        "`kubegap snapshot`",
        ko="스냅샷을 만든 kubegap 버전은 이 객체에서 지금 읽는 필드를 다 남기지 않음. `kubegap snapshot`으로 다시 "
        "만든다",
    )
    return Unread(what=Text.same(kind.resource), reason="not_in_snapshot", remedy=remedy)


def _command(kind: Kind) -> str:
    """`--raw` keeps the kind of an empty list; `-o json` would print a list of nothing in particular."""
    root = f"/apis/{kind.group}" if kind.group else "/api"
    return f"`kubectl get --raw {root}/{kind.versions[0]}/{kind.plural} > {kind.resource}.json`"
