"""Paths that a person or a variable names, of which nothing is known yet."""

import os
import stat
from pathlib import Path


def at_home(path: Path) -> Path:
    """`~` as a shell has it, for callers that have none: an MCP client starts a server without one."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 (Path's raises where there is no such home)


def is_there(path: Path) -> bool:
    """Whether there is a file to read, or one that may not be looked at, which only opening it can tell."""
    try:
        return stat.S_ISREG(at_home(path).stat().st_mode)
    except PermissionError:
        return True
    except (OSError, ValueError):  # of a name that is too long, too
        return False
