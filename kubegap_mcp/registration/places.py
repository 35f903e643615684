"""Where each client looks for its servers, as its own `mcp add` writes them; what was seen stands in decision 9."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.registration.forms import Form
from kubegap_mcp.registration.json_form import JsonForm
from kubegap_mcp.registration.toml_form import TomlForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    home: Path
    project: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """`private`: a new file is for this user's eyes only, as the client itself would make it."""

    client: str
    scope: str
    path: Path
    form: Form
    private: bool
    then: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """`scopes`, the usual one first; `traces` tell that this client is used on the machine."""

    title: str
    program: str
    traces: Callable[[Machine], tuple[Path, ...]]
    scopes: Mapping[str, Callable[[Machine], Place]]


def place(client: str, scope: str | None, machine: Machine) -> Place:
    scopes = CLIENTS[client].scopes
    scope = scope or next(iter(scopes))
    if scope not in scopes:
        raise ConfigError(
            Text(
                en=f"{client} has no scope {scope}: give {' or '.join(scopes)}",
                ko=f"{client}에는 {scope} 범위가 없음. 쓸 수 있는 범위: {', '.join(scopes)}",
            )
        )
    return scopes[scope](machine)


def _claude_home(machine: Machine) -> Path:
    return Path(machine.environment.get("CLAUDE_CONFIG_DIR") or machine.home) / ".claude.json"


def _claude_user(machine: Machine) -> Place:
    form = JsonForm(keys=("mcpServers",))
    return Place(client="claude-code", scope="user", path=_claude_home(machine), form=form, private=True)


def _claude_local(machine: Machine) -> Place:
    form = JsonForm(keys=("projects", repository(machine.project).as_posix(), "mcpServers"))
    return Place(client="claude-code", scope="local", path=_claude_home(machine), form=form, private=True)


def _claude_project(machine: Machine) -> Place:
    form = JsonForm(keys=("mcpServers",))
    then = Text(
        en="Claude Code asks once, in this folder, whether it may start the servers of .mcp.json",
        ko="이 폴더에서 Claude Code를 열면 .mcp.json의 서버를 시작해도 되는지 한 번 물음",
    )
    path = machine.project / ".mcp.json"
    return Place(client="claude-code", scope="project", path=path, form=form, private=False, then=then)


def _codex_home(machine: Machine) -> Path:
    return Path(machine.environment.get("CODEX_HOME") or machine.home / ".codex")


def _codex_user(machine: Machine) -> Place:
    path = _codex_home(machine) / "config.toml"
    return Place(client="codex", scope="user", path=path, form=TomlForm("mcp_servers"), private=True)


def _codex_project(machine: Machine) -> Place:
    path = machine.project / ".codex" / "config.toml"
    then = Text(
        en="Codex reads this file only in a project that it was told to trust",
        ko="Codex는 신뢰한다고 지정한 프로젝트에서만 이 파일을 읽음",
    )
    form = TomlForm("mcp_servers")
    return Place(client="codex", scope="project", path=path, form=form, private=False, then=then)


def _gemini_user(machine: Machine) -> Place:
    form = JsonForm(keys=("mcpServers",), comments=True, takes_mark=False)
    then = Text(
        en="Gemini CLI starts servers only in a folder that it was told to trust",
        ko="Gemini CLI는 신뢰한다고 지정한 폴더에서만 서버를 시작함",
    )
    path = machine.home / ".gemini" / "settings.json"
    return Place(client="gemini", scope="user", path=path, form=form, private=True, then=then)


def _editor(client: str, scope: str, *path: str, key: str = "mcpServers") -> Callable[[Machine], Place]:
    def at(machine: Machine) -> Place:
        folder = machine.home if scope == "user" else machine.project
        form = JsonForm(keys=(key,), comments=True, trailing_commas=True)
        return Place(client=client, scope=scope, path=folder.joinpath(*path), form=form, private=scope == "user")

    return at


CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(
        title="Claude Code",
        program="claude",
        traces=lambda machine: (_claude_home(machine), machine.home / ".claude", machine.project / ".mcp.json"),
        scopes={"user": _claude_user, "local": _claude_local, "project": _claude_project},
    ),
    "codex": Client(
        title="Codex",
        program="codex",
        traces=lambda machine: (_codex_home(machine), machine.project / ".codex"),
        scopes={"user": _codex_user, "project": _codex_project},
    ),
    "gemini": Client(
        title="Gemini CLI",
        program="gemini",
        traces=lambda machine: (machine.home / ".gemini",),
        scopes={"user": _gemini_user},
    ),
    "cursor": Client(
        title="Cursor",
        program="cursor",
        traces=lambda machine: (machine.home / ".cursor", machine.project / ".cursor"),
        scopes={
            "user": _editor("cursor", "user", ".cursor", "mcp.json"),
            "project": _editor("cursor", "project", ".cursor", "mcp.json"),
        },
    ),
    "vscode": Client(
        title="VS Code",
        program="code",
        traces=lambda machine: (machine.home / ".vscode", machine.project / ".vscode"),
        scopes={"project": _editor("vscode", "project", ".vscode", "mcp.json", key="servers")},
    ),
}


def repository(folder: Path) -> Path:
    """The folder that Claude Code files a project under: the git repository's, a worktree's main one, else itself."""
    for root in (folder, *folder.parents):
        git = root / ".git"
        if git.is_dir():
            return root
        if git.is_file():
            told = git.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()
            main = (root / told).parents
            # .git/worktrees/NAME of the main repository; a submodule's is .git/modules/NAME, and it stays itself.
            return main[1].parent if main[0].name == "worktrees" and main[1].name == ".git" else root
    return folder
