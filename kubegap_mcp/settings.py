"""What the person who starts kubegap may choose; every field has the default that most want."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.silences import Silence


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where the cluster comes from and how answers are told.

    At most one of `snapshot` and `demo`; without either the cluster is live. `deadline_s` replaces both the
    topic's 30 s and the audit's 60 s. `show_names` shows hosts, buckets and account ids instead of a hash.
    `trace` is a file for every request that leaves the process. `incidents` are folders of records of one's own,
    beside the packaged ones; `thresholds` are numbers in place of the catalogue's, by id. `metrics` is where a live
    cluster's metrics come from, None where no source is named.
    """

    kubeconfig: Path | None = None
    context: str | None = None
    namespace: str | None = None
    snapshot: Path | None = None
    demo: bool = False
    lang: Literal["en", "ko"] = "en"
    deadline_s: float | None = None
    cache_s: float = 60.0
    show_names: bool = False
    trace: Path | None = None
    incidents: tuple[Path, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict[str, float])
    silences: tuple[Silence, ...] = ()
    metrics: MetricsSettings | None = None
