"""What every API object and every list of them carries.

All fields may be missing or null: Go writes an empty slice or map as null. What has another type than the API
says is the business of `lenient`.
"""

from datetime import datetime
from typing import Annotated, Generic, TypeVar

import msgspec

# A time without zone cannot be compared with the others; the API server never writes one.
Time = Annotated[datetime, msgspec.Meta(tz=True)]


class Wire(msgspec.Struct, gc=False, omit_defaults=True, rename="camel"):
    """A part of an API object. Without garbage collection: objects are trees, nothing points back."""


class Owner(Wire):
    kind: str | None = None
    name: str | None = None
    controller: bool | None = None


class Meta(Wire):
    name: str | None = None
    namespace: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    owner_references: list[Owner] | None = None


class Top(Wire):
    """A whole object.

    `kubegap_incomplete` stands in objects that kubegap pruned for a snapshot and could not fully understand then,
    so that reading them back is as doubtful as the first time.
    """

    metadata: Meta = msgspec.field(default_factory=Meta)
    kubegap_incomplete: bool = False


class Named(Wire):
    name: str | None = None


class Glance(Wire):
    """What is looked at first of a kind of whose objects few are kept."""

    metadata: Named = msgspec.field(default_factory=Named)
    kubegap_incomplete: bool = False


W = TypeVar("W", bound=Top)


class ListMeta(Wire):
    continue_: str | None = msgspec.field(default=None, name="continue")


class ObjectList(Wire, Generic[W]):
    items: list[W] | None
    api_version: str | None = None
    metadata: ListMeta | None = None


class RawList(Wire):
    """The same list with its objects left as they are, for when one of them is not what it should be."""

    items: list[msgspec.Raw] | None
    api_version: str | None = None
    metadata: ListMeta | None = None


class Head(Wire):
    """What tells an object of unknown kind apart; a list also has items."""

    kind: str | None = None
    api_version: str | None = None
    metadata: Meta | None = None
    items: list[msgspec.Raw] | None = None
