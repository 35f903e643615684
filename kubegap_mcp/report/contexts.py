"""The answer of `list_contexts`: names only, never servers, users or tokens."""

from kubegap_checks.text import Lang, Text
from kubegap_mcp.cluster import Contexts
from kubegap_mcp.report import fitting
from kubegap_mcp.report.fitting import Room
from kubegap_mcp.report.models import ContextPart, ContextsAnswer, Note
from kubegap_mcp.report.words import DEMO, cut, plural

_NAME = 253


def contexts_answer(contexts: Contexts, lang: Lang) -> ContextsAnswer:
    """As many names as fit; where not all do, the one in use and the current one come first."""
    first = [name for name in (contexts.in_use, contexts.current) if name is not None and name in contexts.names]
    by_need = list(dict.fromkeys([*first, *contexts.names]))

    def build(room: Room) -> ContextsAnswer:
        names = contexts.names if room.rows >= len(by_need) else by_need[: room.rows]
        return ContextsAnswer(
            contexts=[ContextPart(name=cut(name, _NAME), current=name == contexts.current) for name in names],
            in_use=None if contexts.in_use is None else cut(contexts.in_use, _NAME),
            source=contexts.source,
            notes=[*_demo(contexts, lang), *_missing(contexts, lang), *_left_out(len(by_need) - len(names), lang)],
        )

    return fitting.fitted(build, lang, rows=len(by_need))


def _demo(contexts: Contexts, lang: Lang) -> list[Note]:
    return [Note(kind="demo", text=DEMO.of(lang))] if contexts.source == "demo" else []


def _missing(contexts: Contexts, lang: Lang) -> list[Note]:
    if contexts.missing is None:
        return []
    name = cut(contexts.missing, _NAME)
    text = Text(
        en=f"context {name} was to be used and is not in the kubeconfig: pass context, one of those listed",
        ko=f"쓰려던 컨텍스트 {name}: kubeconfig에 없음. context로 목록에 있는 것을 고른다",
    )
    return [Note(kind="partial", text=text.of(lang))]


def _left_out(more: int, lang: Lang) -> list[Note]:
    if more <= 0:
        return []
    text = Text(
        en=f"{plural(more, 'more context')} not listed; `kubectl config get-contexts` lists all",
        ko=f"컨텍스트 {more}개는 싣지 못함. `kubectl config get-contexts`로 모두 볼 수 있음",
    )
    return [Note(kind="left_out", text=text.of(lang))]
