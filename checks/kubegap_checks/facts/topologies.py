"""How a scheduler is told which parts of the network lie in which."""

from typing import ClassVar

from kubegap_checks.facts.read import Kind, Record


class Topology(Record, frozen=True, kw_only=True):
    """Kueue's: the keys of the node labels that name a part of the network, the widest first."""

    KIND: ClassVar[Kind] = Kind(
        name="Topology",
        plural="topologies",
        group="kueue.x-k8s.io",
        versions=("v1beta2", "v1beta1", "v1alpha1"),
    )

    name: str
    levels: tuple[str, ...]
