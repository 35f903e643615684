"""What a file with a kubegap entry can be asked, whatever it is written in."""

from typing import Any, Protocol

from kubegap_checks.text import Text

NAME = "kubegap"
MARK = "\ufeff"

Entry = dict[str, Any]


class UneditableError(Exception):
    """The file is not what its client reads, or holds the entry in a form that is better changed by hand."""

    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


class Form(Protocol):
    """Text has no byte order mark; its line ends are as in the file. Each method raises UneditableError."""

    @property
    def takes_mark(self) -> bool:
        """Whether the client reads a file that begins with a byte order mark."""
        ...

    def entry(self, text: str) -> Entry | None: ...

    def span(self, text: str) -> tuple[int, int] | None:
        """From where to where the entry stands."""
        ...

    def put(self, text: str, entry: Entry) -> str:
        """The text with this entry and nothing else changed; an empty text becomes a new file's."""
        ...

    def drop(self, text: str, *, keep: int) -> str:
        """The text without the entry, and without the tables around it that it emptied, beyond the first `keep`."""
        ...

    def depth(self, text: str) -> int:
        """How many of the tables around the entry the text has."""
        ...

    def snippet(self, entry: Entry) -> str:
        """What a person would add by hand."""
        ...


def split(form: Form, content: bytes | None) -> tuple[str, str]:
    """The byte order mark, if there is one, and the text; UneditableError where the client cannot read it."""
    try:
        text = (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise UneditableError(Text(en="it is not UTF-8", ko="UTF-8이 아님")) from None
    mark = MARK if text.startswith(MARK) else ""
    if mark and not form.takes_mark:
        raise UneditableError(
            Text(
                en="it begins with a byte order mark, which its client does not read",
                ko="이 클라이언트가 읽지 못하는 바이트 순서 표식(BOM)으로 시작함",
            )
        )
    return mark, text.removeprefix(MARK)


def newline_of(text: str) -> str:
    """Of the first line; a new file gets a line feed."""
    first, found, _ = text.partition("\n")
    return "\r\n" if found and first.endswith("\r") else "\n"


def not_safe() -> UneditableError:
    return UneditableError(
        Text(
            en="the kubegap entry cannot be changed without touching what is around it",
            ko="주변 내용을 건드리지 않고는 kubegap 항목을 고칠 수 없음",
        )
    )
