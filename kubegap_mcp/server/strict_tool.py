"""A tool that says in one sentence what is wrong with a call, and keeps its own faults to itself."""

from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import ValidationError

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from pydantic_core import ErrorDetails


class StrictTool(Tool):
    """Refuses unknown arguments, which the SDK ignores: a misspelt `context` would silently ask another cluster."""

    async def run(
        self,
        arguments: dict[str, Any],
        context: "Context[Any, Any]",
        convert_result: bool = False,  # noqa: FBT001, FBT002
    ) -> Any:  # noqa: ANN401 (the SDK's signature)
        known = self.parameters["properties"]
        if unknown := [name for name in arguments if name not in known]:
            raise ToolError(f"{self.name} has no argument {_listed(unknown)}: it takes {', '.join(known) or 'none'}")
        try:
            return await super().run(arguments, context, convert_result)
        except UnexpectedToolError as error:
            raise UnexpectedToolError(
                f"{self.name} failed by a fault of kubegap itself; nothing was changed. "
                "The server's log (stderr) tells more: please report it with that"
            ) from error.__cause__
        except ToolError as error:
            # The SDK puts its own words before the sentence; the cause has the sentence alone.
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(self._refusal(cause)) from cause
            raise (cause if isinstance(cause, ToolError) else error) from None

    def _refusal(self, error: ValidationError) -> str:
        problems = "; ".join(dict.fromkeys(_problem(detail) for detail in error.errors(include_url=False)))
        return f"{self.name} was called wrongly: {problems}. Correct it, or leave out an optional argument"


def _problem(detail: "ErrorDetails") -> str:
    name = ".".join(str(part) for part in detail["loc"] if isinstance(part, str))
    if detail["type"] == "missing":
        return f"{name} is missing"
    return f"{name}: {detail['msg']}"


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name[:60]) for name in names[:5])
