"""Exporters of GPU and fabric metrics, recognized by their image."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from kubegap_checks.signals.accelerators import Vendor
from kubegap_checks.signals.tables import Filled, Regex, Row, read

Measures = Literal["gpu", "fabric"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExporterSignal(Row):
    """`image` matches in full; `vendor` is whose GPUs it measures; `mark` is in the names of what scrapes it.

    A node condition `on_host` shows that the node's own services include the exporter, so that no pod is needed. A
    DaemonSet called `apart` has the same image and publishes nothing.
    """

    product: Filled
    measures: Measures
    image: Regex
    mark: Filled
    vendor: Vendor | None = None
    on_host: str = ""
    apart: str = ""


@cache
def exporters() -> tuple[ExporterSignal, ...]:
    return read("exporters.yaml", ExporterSignal)


def exporter(repository: str) -> ExporterSignal | None:
    return next((row for row in exporters() if row.image.fullmatch(repository)), None)
