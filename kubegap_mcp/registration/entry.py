"""What the entry says for each client, and what stays of an entry that is already there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from kubegap_mcp.registration.forms import Entry
from kubegap_mcp.registration.variables import HIDDEN_BY_GEMINI, PLAIN

# An audit may take 60 s of its own; a client that gives up at the same moment would never see what was read.
CALL_S = 120
_SPARE_S = 30
_START_S = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """`always` is written; `unless_there` gives way to what a person has set, lists and tables item by item."""

    always: Entry
    unless_there: Entry = field(default_factory=dict[str, Any])


def wanted(
    client: str,
    program: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    deadline_s: float | None = None,
    required: bool | None = None,
    shared: bool = False,
) -> Wanted:
    """The program by its absolute path, not uvx, which looks for a newer version at each start: half a second.

    `shared` is the file of a project, which others may have without the program; there nobody is made to wait for it.
    """
    start: Entry = {"command": program, "args": list(arguments)}
    call_s = max(CALL_S, int((deadline_s or 0) + _SPARE_S))
    if client == "claude-code":
        # Claude Code warns of a variable that is not set unless it has a default; kubegap takes "" as not set.
        rest: Entry = {"env": {"KUBECONFIG": "${KUBECONFIG:-}"}, "timeout": call_s * 1000}
        return Wanted(always={"type": "stdio", **start}, unless_there=rest)
    if client == "codex":
        rest = {
            "env_vars": [*PLAIN, *HIDDEN_BY_GEMINI],
            "startup_timeout_sec": _START_S,
            "tool_timeout_sec": call_s,
            "supports_parallel_tool_calls": True,
        }
        if required is None and not shared:
            rest["required"] = True
        return Wanted(always=start | ({} if required is None else {"required": required}), unless_there=rest)
    if client == "gemini":
        # Only what is set: Gemini turns the others into empty values, which a credential plugin may stumble over.
        hidden = {name: f"${name}" for name in HIDDEN_BY_GEMINI if environment.get(name)}
        return Wanted(always=start, unless_there={"env": hidden} if hidden else {})
    return Wanted(always={"type": "stdio", **start})


def merged(there: Entry | None, want: Wanted) -> Entry:
    """An entry that starts no program (a server behind a URL) makes way as a whole."""
    if there is None or "command" not in there:
        return {**want.always, **want.unless_there}
    entry = {**there, **want.always}
    for key, value in want.unless_there.items():
        entry[key] = _joined(there.get(key), value)
    return entry


def _joined(there: object, value: object) -> object:
    kept = there
    if isinstance(there, list) and isinstance(value, list):
        items = cast("list[object]", there)
        return [*items, *(item for item in cast("list[object]", value) if item not in items)]
    if isinstance(there, dict) and isinstance(value, dict):
        return {**cast("Entry", value), **cast("Entry", there)}
    return value if kept is None else kept
