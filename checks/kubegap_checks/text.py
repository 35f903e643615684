"""What a person reads, in English and in Korean."""

from dataclasses import dataclass
from typing import Literal

Lang = Literal["en", "ko"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    en: str
    ko: str

    def of(self, lang: Lang) -> str:
        return self.ko if lang == "ko" else self.en
