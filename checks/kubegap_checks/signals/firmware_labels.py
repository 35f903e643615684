"""Labels that tell the firmware of a node's parts."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from kubegap_checks.signals.by_key import ByKey
from kubegap_checks.signals.tables import Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class FirmwareLabel(Row):
    """The group `part` of the key is the part; its version is the group `version`, else the label's value."""

    key: Regex

    def __post_init__(self) -> None:
        if "part" not in self.key.groupindex:
            raise ValueError("key has no group part")


@cache
def firmware_labels() -> tuple[FirmwareLabel, ...]:
    return read("firmware_labels.yaml", FirmwareLabel)


def _told_by(key: str) -> tuple[str, str] | None:
    """The part, and the version where the key has it."""
    found = next((match for row in firmware_labels() if (match := row.key.fullmatch(key))), None)
    return (found["part"], found.groupdict().get("version") or "") if found else None


_PARTS: Final = ByKey(_told_by)


def firmware_in(labels: Mapping[str, str]) -> Mapping[str, tuple[str, str]]:
    """Of each part the label and its version; several versions of one part are joined."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for key, (part, version) in sorted(_PARTS.told(labels)):
        found[part].append((key, version or labels[key]))
    return {part: (told[0][0], ", ".join(version for _, version in told)) for part, told in found.items()}
