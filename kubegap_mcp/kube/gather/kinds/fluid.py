"""Fluid's Dataset -> how large it is, and how much of it can be cached."""

import re
from typing import Final

from kubegap_checks.facts import storage as facts
from kubegap_mcp.kube.gather.fields import name
from kubegap_mcp.kube.gather.kind import gathers, keep_name
from kubegap_mcp.kube.gather.lenient import Losses
from kubegap_mcp.kube.wire import storage as wire

# Sizes for people, as docker/go-units writes them: `28.78GiB`, `390.2MiB`, `0.00B`. Until it has counted, Fluid
# writes words there: fluid-cloudnative/fluid:pkg/ddc/alluxio/const.go
_SIZE: Final = re.compile(r"(?P<number>[0-9]{1,12}(?:\.[0-9]{1,6})?) ?(?P<unit>[kKMGTP]?)(?P<binary>i?)B?")
_UNITS: Final = " KMGTP"


def build(dataset: wire.FluidDataset, losses: Losses) -> facts.FluidDataset:  # noqa: ARG001
    status = dataset.status or wire.FluidStatus()
    states = status.cache_states or wire.FluidCache()
    return facts.FluidDataset(
        namespace=name(dataset.metadata.namespace),
        name=name(dataset.metadata.name),
        total=_size(status.ufs_total),
        capacity=_size(states.cache_capacity),
    )


def _size(text: str | None) -> int | None:
    match = _SIZE.fullmatch(text) if text else None
    if match is None:
        return None
    step = 1024.0 if match["binary"] else 1000.0
    return round(float(match["number"]) * step ** _UNITS.index(match["unit"].upper() or " "))


GATHERERS: Final = (gathers(facts.FluidDataset, wire.FluidDataset, keep_name, build),)
