"""What of a storage driver's settings may be kept: known keys, and hashes where a value names a bucket or a host."""

import re
from functools import cache, lru_cache
from typing import Final, Literal

import msgspec

from kubegap_checks.signals.storage_drivers import Evidence, StorageDriver, storage_driver, storage_drivers
from kubegap_mcp.foreign.clean import CUT, NAME, Names
from kubegap_mcp.kube.gather.lenient import Losses, first

_OPTIONS: Final = 200
_LONGEST: Final = 4096  # of a handle
_LONGEST_OPTION: Final = 512
# A handle of which nothing may be shown: the filesystem's hash, and the volume's where that is not all of it.
_HASHED: Final = re.compile(r"(?:[a-z0-9]+:)?#[0-9a-f]{8}(?:/#[0-9a-f]{8})?")
# mount.cifs, mount.nfs, blobfuse2, gcsfuse, s3fs and JuiceFS take credentials, hosts and buckets as options.
_OPTION: Final = r"(?P<key>(?:.*?[=\s])??[^=\s]*(?:{})[^=\s]*?)(?P<between>[=\s:])(?P<value>.+)"
_GUARDED: Final = "pass|cred|secret|token|key|sas"
_PRIVATE_OPTION: Final = re.compile(
    _OPTION.format(f"{_GUARDED}|user|addr|host|server|endpoint|bucket|account|cache-xz|proxy"), re.IGNORECASE
)
# A hash of a short password can be guessed, and nobody needs to see one even where names are shown.
_SECRET_OPTION: Final = re.compile(_OPTION.format(_GUARDED), re.IGNORECASE)


def driver_row(name: str) -> StorageDriver | None:
    return _driver_row(name) if len(name) <= NAME else None


@lru_cache(maxsize=512)
def _driver_row(name: str) -> StorageDriver | None:
    return storage_driver(name)


def plain(text: str) -> str:
    """The value without the JSON quotes that some drivers want around it: `"INTELLIGENT_TIERING"`."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':  # noqa: PLR2004 (the two quotes)
        return text
    try:
        return msgspec.json.decode(text, type=str)
    except (msgspec.DecodeError, RecursionError):
        return text


def known_settings(
    settings: dict[str, str] | None, driver: str, where: Literal["class_parameter", "volume_attribute"], names: Names
) -> dict[str, str] | None:
    """The attributes or parameters that the driver's row knows; of a driver without a row nothing is kept."""
    row = driver_row(driver)
    if not settings or row is None:
        return None
    kept: dict[str, str] = {}
    for key, text in settings.items():
        if key in row.keep_attributes:
            kept[key] = _option(text, names) if key == "mountOptions" else names.without_authority(text)
        elif key in row.hash_attributes:
            kept[key] = names.hidden(plain(text))
        elif any(_shows(evidence, key) for evidence in row.visible if evidence.where == where):
            telling = any(_tells(evidence, key, plain(text)) for evidence in row.visible if evidence.where == where)
            kept[key] = text if telling else names.hidden(plain(text))
    return kept or None


def _shows(evidence: Evidence, key: str) -> bool:
    return evidence.key is not None and evidence.key.fullmatch(key) is not None


def _tells(evidence: Evidence, key: str, text: str) -> bool:
    """Whether the value itself is one of the words that the table knows, so that it names nobody."""
    return _shows(evidence, key) and evidence.value is not None and evidence.value.fullmatch(text) is not None


def known_handle(handle: str | None, driver: str, names: Names) -> str | None:
    """What of a volume handle identifies the filesystem, by name where that may be shown, and a hash of the whole.

    A scheme that tells what the volume is (`s3files:`) stays in front of the hash.
    """
    if not handle or names.shown or _HASHED.fullmatch(handle):
        return handle
    row = driver_row(driver)
    if row is None or len(handle) > _LONGEST:
        return names.hidden(handle)
    match = row.filesystem.fullmatch(handle) if row.filesystem else None
    if match is not None:
        end = match.end("fs")
        kept = handle[: end + 1] + names.hidden(handle[end + 1 :])
        return kept if row.filesystem_in(kept) == match["fs"] else names.hidden(handle)
    scheme = _scheme_of(handle, row)
    identity = row.identity_in(handle)
    whole = "" if identity == handle else f"/{names.hidden(handle)}"
    return f"{scheme}{names.hidden(identity.removeprefix(scheme))}{whole}"


def _scheme_of(handle: str, row: StorageDriver) -> str:
    scheme, colon, _ = handle.partition(":")
    tells = any(evidence.where == "volume_handle" and evidence.seen_in({"": handle}) for evidence in row.visible)
    return scheme + colon if colon and tells else ""


def filesystem(handle: str | None, driver: str) -> str:
    """The identity of the filesystem in what `known_handle` left."""
    if not handle:
        return ""
    if _HASHED.fullmatch(handle):
        return handle.partition("/")[0]
    row = driver_row(driver)
    return row.identity_in(handle) if row else handle


def known_options(options: list[str] | None, names: Names, losses: Losses) -> list[str] | None:
    """Mount options, with the value hashed of those that can name a host, a bucket or a user."""
    return [_option(option, names) for option in first(_OPTIONS, options, losses)] or None


def _option(option: str, names: Names) -> str:
    return ",".join(_private(part, names) for part in option[:_LONGEST_OPTION].split(","))


def _private(part: str, names: Names) -> str:
    secret = _SECRET_OPTION.fullmatch(part)
    found = secret if names.shown else _PRIVATE_OPTION.fullmatch(part)
    if found is None:
        return names.without_authority(part)
    key = names.without_authority(found["key"])
    return f"{key}{found['between']}{CUT if secret else names.hidden(found['value'])}"


@cache
def _claim_evidence() -> tuple[Evidence, ...]:
    return tuple(
        evidence for row in storage_drivers() for evidence in row.visible if evidence.where == "claim_annotation"
    )


@lru_cache(maxsize=4096)
def is_claim_evidence(annotation: str) -> bool:
    return any(_shows(evidence, annotation) for evidence in _claim_evidence())
