"""How long the storage under a run fetched from the object store behind it."""

from collections.abc import Iterable
from dataclasses import dataclass

from kubegap_checks.facts.metrics import TierReads
from kubegap_checks.facts.read import Unread
from kubegap_checks.inventory.backing import Backing
from kubegap_checks.inventory.courses import Points, above, minutes, warmed_up
from kubegap_checks.inventory.storage_gauges import told
from kubegap_checks.inventory.training import TrainingRun, Use
from kubegap_checks.signals.quantities import group
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetches:
    """The points of one row that lie above what is let pass; `whole` where they are of all that the storage holds."""

    row: TierReads
    points: Points
    whole: bool

    @property
    def minutes(self) -> int:
        return minutes(self.row, self.points)


def fetches(run: TrainingRun, use: Use, backing: Backing, rows: Iterable[TierReads]) -> Fetches | None:
    """The longest, after the run has warmed up; None where no row tells of this storage."""
    found = told(backing, use.volume, "fetches", rows)
    limit = threshold("tier_reads_rate").value * 1e6
    wait = threshold("tier_reads_warm_up").value
    each = [
        Fetches(row=row, points=above(warmed_up(row.points, run.pods, wait), limit), whole=found.whole)
        for row in found.rows
    ]
    return max(each, key=lambda one: len(one.points), default=None)


def untold(backing: Backing) -> Unread:
    return Unread(
        what=Text(
            en=f"what {backing.name} reads from its object store",
            ko=f"{backing.name}에서 오브젝트 스토리지를 읽는 양",
        ),
        reason="invalid",
        remedy=group(TierReads.KIND.plural).collect,
    )
