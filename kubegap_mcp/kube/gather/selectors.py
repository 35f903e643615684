"""Label selectors and node affinity -> records."""

from collections.abc import Sequence
from typing import Final

from kubegap_checks.facts.selectors import Requirement, Selector
from kubegap_mcp.kube.gather.fields import key, strings, texts, value
from kubegap_mcp.kube.gather.lenient import Losses, first, whole
from kubegap_mcp.kube.wire import selectors as wire

_MOST: Final = 500


def selector(told: wire.LabelSelector | None, losses: Losses) -> Selector | None:
    if told is None:
        return None
    return Selector(
        labels=strings(told.match_labels, losses), requirements=requirements(told.match_expressions, losses)
    )


def requirements(told: Sequence[wire.Requirement] | None, losses: Losses) -> tuple[Requirement, ...]:
    return tuple(
        Requirement(key=key(item.key or ""), operator=value(item.operator), values=texts(item.values, losses))
        for item in whole(_MOST, told, ("key", "operator"), losses)
    )


def node_terms(affinity: wire.NodeAffinity | None, losses: Losses) -> tuple[tuple[Requirement, ...], ...]:
    """The terms of a required node affinity; a term that names a node by field has its name as a requirement too."""
    required = affinity.required if affinity else None
    return tuple(
        (*requirements(term.match_expressions, losses), *requirements(term.match_fields, losses))
        for term in first(_MOST, required.node_selector_terms if required else None, losses)
    )
