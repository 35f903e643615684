"""A tool that says in one sentence what is wrong with a call, and keeps its own faults to itself."""

from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import Field, ValidationError

from kubegap_checks.text import Lang, Text

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from pydantic_core import ErrorDetails


class StrictTool(Tool):
    """Refuses unknown arguments, which the SDK ignores: a misspelt `context` would silently ask another cluster."""

    lang: Lang = Field(default="en", exclude=True)  # where a call does not name one

    async def run(
        self,
        arguments: dict[str, Any],
        context: "Context[Any, Any]",
        convert_result: bool = False,  # noqa: FBT001, FBT002
    ) -> Any:  # noqa: ANN401 (the SDK's signature)
        known = self.parameters["properties"]
        asked = arguments.get("lang")
        lang: Lang = "ko" if asked == "ko" else "en" if asked == "en" else self.lang
        if unknown := [name for name in arguments if name not in known]:
            text = Text(
                en=f"{self.name} has no argument {_listed(unknown)}: it takes {', '.join(known)}",
                ko=f"{self.name}에 없는 인자: {_listed(unknown)}. 쓸 수 있는 인자: {', '.join(known)}",
            )
            raise ToolError(text.of(lang))
        try:
            return await super().run(arguments, context, convert_result)
        except UnexpectedToolError as error:
            text = Text(
                en=f"{self.name} failed by a fault of kubegap itself; nothing was changed. "
                "The server's log (stderr) tells more: please report it with that",
                ko=f"kubegap의 결함으로 {self.name}에 실패함. 바뀐 것은 없음. 서버 로그(stderr)에 자세한 내용이 "
                "있으니 함께 이슈로 알린다",
            )
            raise UnexpectedToolError(text.of(lang)) from error.__cause__
        except ToolError as error:
            # The SDK puts its own words before the sentence; the cause has the sentence alone.
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(self._refusal(cause).of(lang)) from cause
            raise (cause if isinstance(cause, ToolError) else error) from None

    def _refusal(self, error: ValidationError) -> Text:
        problems = list(dict.fromkeys(_problem(detail) for detail in error.errors(include_url=False)))
        en, ko = "; ".join(problem.en for problem in problems), "; ".join(problem.ko for problem in problems)
        return Text(
            en=f"{self.name} was called wrongly: {en}. Correct it, or leave out an optional argument",
            ko=f"{self.name} 호출이 잘못됨: {ko}. 바로잡거나, 꼭 필요하지 않은 인자는 뺀다",
        )


def _problem(detail: "ErrorDetails") -> Text:
    name = ".".join(str(part) for part in detail["loc"] if isinstance(part, str))
    said, limits = detail["msg"], detail.get("ctx", {})
    match detail["type"]:
        case "missing":
            return Text(en=f"{name} is missing", ko=f"{name} 인자가 없음")
        case "literal_error":
            ko = f"{str(limits['expected']).replace(' or ', ', ')} 중 하나여야 함"
        case "greater_than_equal":
            ko = f"{limits['ge']} 이상이어야 함"
        case "greater_than":
            ko = f"{limits['gt']:g}보다 커야 함"
        case "less_than_equal":
            ko = f"{limits['le']} 이하여야 함"
        case "string_too_short" | "too_short":
            ko = "비어 있음"
        case "string_too_long":
            ko = f"{limits['max_length']}자 이하여야 함"
        case kind:
            ko = _WRONG_KIND.get(kind.partition("_")[0], f"맞지 않는 값({said})")
    return Text(en=f"{name}: {said}", ko=f"{name}: {ko}")


# By how pydantic's types of errors begin: int_type, int_parsing, float_parsing, finite_number, bool_parsing, list_type.
_WRONG_KIND = {
    "int": "정수여야 함",
    "float": "숫자여야 함",
    "finite": "유한한 숫자여야 함",
    "bool": "true나 false여야 함",
    "list": "목록이어야 함",
    "string": "문자열이어야 함",
}


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name[:60]) for name in names[:5])
