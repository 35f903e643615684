"""What a person reads, in English and in Korean."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Self

Lang = Literal["en", "ko"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    en: str
    ko: str

    @classmethod
    def same(cls, text: str) -> Self:
        """A name that is written alike in both: of a resource, a field, a product."""
        return cls(en=text, ko=text)

    def of(self, lang: Lang) -> str:
        return self.ko if lang == "ko" else self.en


def moment(time: datetime | None) -> str | None:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ") if time else None
