"""Device plugins, and whose devices they offer."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.accelerators import Vendor
from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceAgent(Row):
    """`image` matches in full what stands before the tag; `vendor` is of accelerators, `fabric` of adapters."""

    product: Filled
    image: Regex
    vendor: Vendor | None = None
    fabric: Literal["efa"] | None = None


@cache
def device_agents() -> tuple[DeviceAgent, ...]:
    return read("device_agents.yaml", DeviceAgent)
