"""On which nodes a controller's pods may run, as far as labels say."""

from kubegap_checks.facts.controllers import Template
from kubegap_checks.facts.nodes import Node


def selects(template: Template, node: Node) -> bool:
    """Node selector and required node affinity; a term without requirements matches no node."""
    labels = {**node.labels, "metadata.name": node.name}
    wanted = all(labels.get(key) == value for key, value in template.node_selector.items())
    terms = template.node_terms
    return wanted and (
        not terms or any(term and all(requirement.matches(labels) for requirement in term) for term in terms)
    )


def asked_labels(template: Template) -> tuple[str, ...]:
    """The keys of the labels that decide."""
    terms = (requirement.key for term in template.node_terms for requirement in term)
    return tuple(dict.fromkeys((*template.node_selector, *terms)))
