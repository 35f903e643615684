"""Which images bring the software of accelerators and adapters to nodes, and which object says so."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.derived import derived
from kubegap_checks.facts.operators import ClusterPolicy, NVIDIADriver, Operand
from kubegap_checks.facts.read import Facts, Unread, UnreadError
from kubegap_checks.images import Image, parse
from kubegap_checks.inventory.sources import once, read_or_unread
from kubegap_checks.model import Subject
from kubegap_checks.signals.components import Component, component_of, components


class Installed(Struct, frozen=True, kw_only=True):
    """One component as one object asks for it; `path` is the field that is to be changed, `seen` its value."""

    component: Component
    subject: Subject
    image: Image
    path: str
    seen: str


class Installation(Struct, frozen=True, kw_only=True):
    """`unread` is what could not be read and might ask for more."""

    found: tuple[Installed, ...]
    unread: tuple[Unread, ...]


@derived
def installation(facts: Facts) -> Installation:
    """What an operator's object asks for; then the DaemonSets, but those that such an object accounts for."""
    policies, no_policies = read_or_unread(facts, ClusterPolicy)
    drivers, no_drivers = read_or_unread(facts, NVIDIADriver)
    sets, no_sets = read_or_unread(facts, DaemonSet)
    asked = [item for policy in policies for item in _operands(Subject("ClusterPolicy", policy.name), policy.operands)]
    asked += [item for one in drivers for item in _operands(Subject("NVIDIADriver", one.name), one.operands)]
    # Where the operator's objects are unread, a DaemonSet of the same component may be theirs.
    theirs = {item.component.id for item in asked}
    if no_policies or no_drivers:
        theirs |= {row.id for row in components() if row.operand}
    own = [item for one in sets for item in _images(one) if item.component.id not in theirs]
    return Installation(found=(*asked, *own), unread=once(no_policies, no_drivers, no_sets))


def installs(facts: Facts) -> bool:
    """Whether anything in the cluster brings such software to nodes; False only where all of it was read."""
    whole = installation(facts)
    if whole.unread and not whole.found:
        raise UnreadError(*whole.unread)
    return bool(whole.found)


def _operands(subject: Subject, operands: Mapping[str, Operand]) -> Iterator[Installed]:
    """The operands that are not switched off and whose version is said; else it is the operator release's own."""
    known = {row.operand: row for row in components() if row.operand}
    for field, operand in operands.items():
        row = known.get(field)
        if row is None or operand.enabled is False or not operand.version:
            continue
        # A digest in its place neither moves nor tells a version, just like a tag that is none.
        image = Image(repository=f"{operand.repository}/{operand.image}", tag=operand.version)
        path = "spec.version" if subject.kind == "NVIDIADriver" else f"spec.{field}.version"
        yield Installed(component=row, subject=subject, image=image, path=path, seen=operand.version)


def _images(one: DaemonSet) -> Iterator[Installed]:
    """Each image once, however many containers run it."""
    for container in {container.image: container for container in reversed(one.template.containers)}.values():
        image = parse(container.image)
        if row := component_of(image.repository):
            listed = "initContainers" if container.init else "containers"
            path = f"spec.template.spec.{listed}[{container.name}].image"
            subject = Subject("DaemonSet", one.name, one.namespace)
            yield Installed(component=row, subject=subject, image=image, path=path, seen=container.image)
