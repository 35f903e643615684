"""Node classes -> the images that machines are made from."""

from typing import Final

from kubegap_checks.facts import node_classes as facts
from kubegap_mcp.kube.gather.fields import name, value
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.wire import node_classes as wire

_TERMS: Final = 30  # the API allows no more


def build(node_class: wire.EC2NodeClass, losses: Losses) -> facts.EC2NodeClass:
    spec = node_class.spec or wire.EC2NodeClassSpec()
    return facts.EC2NodeClass(
        name=name(node_class.metadata.name),
        image_aliases=tuple(value(term.alias) for term in first(_TERMS, spec.ami_selector_terms, losses) if term.alias),
    )


GATHERERS: Final = (gathers(facts.EC2NodeClass, wire.EC2NodeClass, keep_name, build),)
