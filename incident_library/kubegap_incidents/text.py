"""What a person reads exists in English and in Korean, or not at all."""

import re
import unicodedata
from typing import Annotated, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

Lang: TypeAlias = Literal["en", "ko"]

_HANGUL = re.compile("[가-힣]")


def _plain(value: str) -> str:
    if "\n" in value:
        raise PydanticCustomError("line_break", "holds a line break", {"mend": "fold it with >-, or make two texts"})
    # Cf holds the bidirectional overrides, which can make a text read as what it is not. Nearly every text is
    # printable, which is quick to see, and no printable letter is of these categories.
    if not value.isprintable() and any(unicodedata.category(letter) in {"Cc", "Cf", "Co", "Cs"} for letter in value):
        raise PydanticCustomError("control", "holds a control character", {"mend": "remove it"})
    return unicodedata.normalize("NFC", value)


def _korean(value: str) -> str:
    if not _HANGUL.search(value):
        raise PydanticCustomError("no_hangul", "holds no Hangul", {"mend": "write it in Korean"})
    return value


Line: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_plain)]
Korean: TypeAlias = Annotated[Line, AfterValidator(_korean)]


class Text(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    en: Line
    ko: Korean

    def of(self, lang: Lang) -> str:
        return self.ko if lang == "ko" else self.en


class Value(Text):
    """A number with its unit: one line (`24 TB`) where it reads the same in both languages."""

    ko: Line

    @model_validator(mode="before")
    @classmethod
    def _one_line(cls, given: object) -> object:
        return {"en": given, "ko": given} if isinstance(given, str) else given

    @field_validator("ko")
    @classmethod
    def _korean_unless_the_same(cls, ko: str, info: ValidationInfo) -> str:
        return ko if ko == info.data.get("en", ko) else _korean(ko)
