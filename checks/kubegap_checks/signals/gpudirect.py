"""What a node's kernel needs so that adapters reach the memory of its GPUs without a copy."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from kubegap_checks.signals.accelerators import Vendor
from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuDirect(Row):
    """Modules and kernels of one vendor.

    `driver` is the module of the GPU's driver, without which nothing works. One of `peer_memory` must be loaded, or
    the kernel must have DMA-BUF: from `dma_buf_kernel` on, and not where the driver's modules are `without_dma_buf`.
    `operator_label` is `true` on nodes that have their driver from the operator, whose policy tells which modules
    those are.
    """

    vendor: Vendor
    driver: Filled
    peer_memory: tuple[Filled, ...]
    dma_buf_kernel: tuple[int, int]
    carried_back: Regex
    without_dma_buf: Filled
    operator_label: Filled

    def has_peer_memory(self, modules: Collection[str]) -> bool:
        return any(module in modules for module in self.peer_memory)

    def is_too_old(self, kernel: str) -> bool:
        """Whether this kernel surely has no DMA-BUF; False where its version cannot be read."""
        version = re.match(r"(\d+)\.(\d+)", kernel)
        if version is None or self.carried_back.fullmatch(kernel):
            return False
        return (int(version[1]), int(version[2])) < self.dma_buf_kernel


@cache
def gpudirect() -> tuple[GpuDirect, ...]:
    return read("gpudirect.yaml", GpuDirect)
