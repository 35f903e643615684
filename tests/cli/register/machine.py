"""Other people's configuration files, in homes that are nobody's, and what of them must come through unchanged."""

from dataclasses import dataclass
from pathlib import Path

BACKUP = ".kubegap-backup"


@dataclass(frozen=True, slots=True)
class Target:
    """A client's scope and where its file is, from the home or from the project."""

    client: str
    scope: str
    path: str
    keys: tuple[str, ...] = ("mcpServers",)

    @property
    def is_toml(self) -> bool:
        return self.path.endswith(".toml")

    @property
    def reads_comments(self) -> bool:
        return self.client != "claude-code"

    @property
    def reads_trailing_commas(self) -> bool:
        return self.client in {"cursor", "vscode"}

    @property
    def reads_mark(self) -> bool:
        return self.client != "gemini"

    def file(self, home: Path, project: Path) -> Path:
        return (home if self.scope in {"user", "local"} else project) / self.path

    def words(self, *more: str) -> list[str]:
        return ["register", self.client, "--scope", self.scope, "--lang", "en", *more]


CLAUDE_USER = Target("claude-code", "user", ".claude.json")
CLAUDE_LOCAL = Target("claude-code", "local", ".claude.json", ("projects", "PROJECT", "mcpServers"))
CLAUDE_PROJECT = Target("claude-code", "project", ".mcp.json")
CODEX_USER = Target("codex", "user", ".codex/config.toml")
CODEX_PROJECT = Target("codex", "project", ".codex/config.toml")
GEMINI = Target("gemini", "user", ".gemini/settings.json")
CURSOR_USER = Target("cursor", "user", ".cursor/mcp.json")
CURSOR_PROJECT = Target("cursor", "project", ".cursor/mcp.json")
VSCODE = Target("vscode", "project", ".vscode/mcp.json", ("servers",))
TARGETS = (
    CLAUDE_USER,
    CLAUDE_LOCAL,
    CLAUDE_PROJECT,
    CODEX_USER,
    CODEX_PROJECT,
    GEMINI,
    CURSOR_USER,
    CURSOR_PROJECT,
    VSCODE,
)

# SERVERS stands for the key of the client under test, PROJECT for the folder that it is called from.
JSON_FILES = {
    "empty": "",
    "blank": " \n",
    "an empty object": "{}",
    "an open empty object": "{\n}\n",
    "other settings": '{\n  "theme": "dark",\n  "apiKey": "sk-other"\n}\n',
    "no servers yet": '{\n  "SERVERS": {},\n  "theme": "dark"\n}\n',
    "no servers yet, on lines": '{\n  "SERVERS": {\n  }\n}\n',
    "another server": '{\n  "SERVERS": {\n    "git": {\n      "command": "git-mcp",\n      "args": []\n    }\n  }\n}\n',
    "four spaces, no newline": '{\n    "SERVERS": {\n        "git": {"command": "x"}\n    },\n    "z": [1, 2.50]\n}',
    "tabs": '{\n\t"SERVERS": {\n\t\t"git": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n',
    "in one line": '{"numStartups":3,"SERVERS":{"git":{"command":"x"}},"z":1e3}',
    "in one line with spaces": '{"SERVERS": {"git": {"command": "x"}}, "z": 1}\n',
    "servers in one line": '{\n  "SERVERS": {"git": {"command": "x"}, "b": {}},\n  "z": 1\n}\n',
    "trailing spaces": '{  \n  "SERVERS": {   \n    "git": {"command": "x"}  \n  }  \n}  \n\n',
    "Korean": '{\n  "제목": "한글 \\uc548\\ub155 \\/",\n  "SERVERS": {\n    "가": {"command": "나"}\n  }\n}\n',
    "a namesake elsewhere": '{\n  "other": {"kubegap": 1, "SERVERS": {"kubegap": 2}}\n}\n',
    "a project of Claude Code": '{\n  "projects": {\n    "PROJECT": {\n      "allowedTools": [],\n'
    '      "mcpServers": {}\n    },\n    "/elsewhere": {\n      "mcpServers": {}\n    }\n  }\n}\n',
}
COMMENTED_FILES = {
    "comments": '// mine\n{\n  /* all */\n  "SERVERS": { // servers\n    // about git\n'
    '    "git": {"command": "x"} // git\n    // last\n  }\n}\n// end',
    "only a comment among the servers": '{\n  "SERVERS": {\n    // none yet\n  }\n}\n',
    "a comment in one line": '{"SERVERS": {/* none */}}',
}
TRAILING_COMMAS = {"a trailing comma": '{\n  "SERVERS": {\n    "git": {"command": "x"},\n  },\n}\n'}
TOML_FILES = {
    "empty": "",
    "settings": 'model = "gpt-5.5" # mine\napproval_policy = "never"\n',
    "no last newline": 'model = "x"',
    "blank lines at the end": 'model = "x"\n\n\n',
    "another server": '# servers\n[mcp_servers.git]  # git\ncommand = "x"\nargs = [\n  "[mcp_servers.no]",\n]\n\n'
    '[mcp_servers.git.env]\nTOKEN = "t"\n',
    "servers apart": '[mcp_servers.a]\ncommand = "a"\n\n# trusted\n[projects."/x"]\ntrust_level = "trusted"\n\n'
    '[mcp_servers.b]\ncommand = "b"\n# the end\n',
    "dotted servers": 'mcp_servers.a.command = "a"\n[z]\ny = 1\n',
    "servers with a header": '[mcp_servers]\na = {command = "a"}\n\n[[z]]\ny = 2026-11-29\n',
    "a header within a text": 'notes = """\n[mcp_servers.other]\ncommand = "x"\n"""\n',
    "trailing spaces and tabs": 'model = "x"   \n   \n[a]\t\n\ty = 1   \n',
    "Korean": '"제목" = "한글 \\uC548"\n["프로젝트"]\n"가" = "나"\n',
}


def filled(text: str, target: Target, project: Path) -> str:
    return text.replace("SERVERS", "mcpServers" if target is CLAUDE_LOCAL else target.keys[0]).replace(
        "PROJECT", project.as_posix()
    )
