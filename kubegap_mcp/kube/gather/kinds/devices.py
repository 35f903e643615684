"""What agents and drivers say about a node's devices -> records."""

from collections.abc import Mapping
from typing import Final

from kubegap_checks.facts import nodes as facts
from kubegap_mcp.foreign.clean import VALUE, Names
from kubegap_mcp.kube.gather.fields import key, name, value, when
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses, first
from kubegap_mcp.kube.wire import nodes as wire
from kubegap_mcp.kube.wire.meta import Meta

_NODE_LABEL: Final = "nfd.node.kubernetes.io/node-name"
_PCI: Final = 4000
_MODULES: Final = 4000
_DEVICES: Final = 1000  # the API allows 128 in a slice
_DOMAIN_NODES: Final = 10_000
# Addresses of a DRA network device: nothing that a rule looks at, and nothing to show.
_ADDRESSES: Final = ("/ipv4", "/ipv6", "/mac")


def reduce_feature(feature: wire.NodeFeature, names: Names, losses: Losses) -> wire.NodeFeature:  # noqa: ARG001
    meta = feature.metadata
    node = (meta.labels or {}).get(_NODE_LABEL)
    feature.metadata = Meta(
        name=meta.name, namespace=meta.namespace, labels={_NODE_LABEL: node} if node is not None else None
    )
    return feature


def build_feature(feature: wire.NodeFeature, losses: Losses) -> facts.NodeFeature:
    meta = feature.metadata
    features = (feature.spec or wire.NodeFeatureSpec()).features or wire.Features()
    pci = features.instances.pci if features.instances else None
    modules = features.flags.modules if features.flags else None
    return facts.NodeFeature(
        node=name((meta.labels or {}).get(_NODE_LABEL) or meta.name),
        pci=None if pci is None else _pci(pci, losses),
        modules=None if modules is None else _modules(modules, losses),
    )


def _pci(pci: wire.PciDevices, losses: Losses) -> tuple[facts.PciDevice, ...]:
    devices: list[facts.PciDevice] = []
    for element in first(_PCI, pci.elements, losses):
        found = element.attributes
        if found is None or not found.vendor or not found.cls:
            losses.add()  # a device that is not counted must not look like one that is not there
            continue
        told = (found.vendor, found.cls, found.device or "")
        devices.append(_DEVICES_KNOWN.get(told) or _pci_device(*told))
    return tuple(devices)


# A few models are in all nodes, and each is one record.
_DEVICES_KNOWN: Final[dict[tuple[str, str, str], facts.PciDevice]] = {}
_MOST_KNOWN: Final = 4096


def _pci_device(vendor: str, cls: str, device: str) -> facts.PciDevice:
    found = facts.PciDevice(vendor=_hex(vendor), cls=_hex(cls), device=_hex(device))
    if len(vendor) + len(cls) + len(device) <= VALUE and len(_DEVICES_KNOWN) < _MOST_KNOWN:
        _DEVICES_KNOWN[vendor, cls, device] = found
    return found


def _hex(text: str) -> str:
    return value(text).lower().removeprefix("0x")


def _modules(modules: wire.Flags, losses: Losses) -> frozenset[str]:
    return frozenset(key(module) for module in first(_MODULES, tuple(modules.elements or ()), losses))


def reduce_slice(resources: wire.ResourceSlice, names: Names, losses: Losses) -> wire.ResourceSlice:  # noqa: ARG001
    resources.metadata = Meta(name=resources.metadata.name)
    for device in (resources.spec.devices if resources.spec else None) or ():
        basic = device.basic or wire.BasicDevice()
        device.attributes = _without_addresses(device.attributes or basic.attributes)
        device.taints = device.taints or basic.taints
        device.basic = None
    return resources


def _without_addresses(attributes: dict[str, wire.Attribute] | None) -> dict[str, wire.Attribute] | None:
    return {name: found for name, found in attributes.items() if not name.endswith(_ADDRESSES)} if attributes else None


def build_slice(resources: wire.ResourceSlice, losses: Losses) -> facts.ResourceSlice:
    spec = resources.spec or wire.ResourceSliceSpec()
    pool = spec.pool or wire.Pool()
    return facts.ResourceSlice(
        name=name(resources.metadata.name),
        driver=name(spec.driver),
        node=name(spec.node_name),
        pool=name(pool.name),
        generation=pool.generation or 0,
        slices_in_pool=pool.resource_slice_count or 0,
        devices=tuple(_device(device, losses) for device in first(_DEVICES, spec.devices, losses)),
    )


def _device(device: wire.Device, losses: Losses) -> facts.SliceDevice:
    return facts.SliceDevice(
        name=name(device.name),
        attributes=_attributes(device.attributes or {}),
        taints=tuple(
            facts.DeviceTaint(
                key=key(taint.key), value=value(taint.value), effect=value(taint.effect), added=when(taint.time_added)
            )
            for taint in first(_DEVICES, device.taints, losses)
            if taint.key
        ),
    )


def _attributes(attributes: Mapping[str, wire.Attribute]) -> Mapping[str, str]:
    """Strings, versions, numbers and booleans as text; a form that a later API adds is left out."""
    flat: dict[str, str] = {}
    for attribute, found in attributes.items():
        text = found.string if found.string is not None else found.version
        if text is None and found.int_ is not None:
            text = str(found.int_)
        if text is None and found.bool_ is not None:
            text = "true" if found.bool_ else "false"
        if text is not None:
            flat[key(attribute)] = value(text)
    return flat


def build_domain(domain: wire.ComputeDomain, losses: Losses) -> facts.ComputeDomain:
    status = domain.status or wire.ComputeDomainStatus()
    spec = domain.spec or wire.ComputeDomainSpec()
    return facts.ComputeDomain(
        namespace=name(domain.metadata.namespace),
        name=name(domain.metadata.name),
        status=value(status.status),
        num_nodes=spec.num_nodes or 0,
        nodes=tuple(name(node.name) for node in first(_DOMAIN_NODES, status.nodes, losses) if node.name),
    )


GATHERERS: Final = (
    gathers(facts.NodeFeature, wire.NodeFeature, reduce_feature, build_feature),
    gathers(facts.ResourceSlice, wire.ResourceSlice, reduce_slice, build_slice),
    gathers(facts.ComputeDomain, wire.ComputeDomain, keep_name, build_domain),
)
