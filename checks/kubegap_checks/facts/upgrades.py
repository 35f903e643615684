"""How NVIDIA's operators replace the drivers of running nodes."""

from msgspec import Struct


class UpgradePolicy(Struct, frozen=True, kw_only=True):
    """How the operator replaces the driver of running nodes.

    `max_parallel` 0 is without limit; `max_unavailable` is a number or a percentage. Of the time-outs (seconds), 0 is
    for ever and None is not said.
    """

    auto: bool = False
    max_parallel: int | None = None
    max_unavailable: str = ""
    drain: bool = False
    drain_force: bool = False
    drain_timeout: int | None = None
    pod_deletion_force: bool = False
    pod_deletion_timeout: int | None = None
    waits_for: str = ""  # a label selector of the pods that must have ended
    wait_timeout: int | None = None
