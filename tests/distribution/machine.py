"""A home with nothing in it but what installers put there, and an MCP client that tries what they installed."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

ROOT = Path(__file__).parents[2]
PYTHON = Path(sys.base_prefix) / "bin" / "python3"
LONGEST_S = 150


@dataclass(frozen=True, slots=True)
class Machine:
    """`tools` holds uv and pipx, `packages` the wheel and the sdist of this checkout."""

    home: Path
    tools: Path
    packages: Path
    more: Mapping[str, str] = field(default_factory=dict[str, str])

    def offline(self, proxy: str) -> "Machine":
        """The same machine for a program that is given no way out."""
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "UV_OFFLINE": "1"}
        away = dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"), proxy)
        return replace(self, more=quiet | away)

    @property
    def wheel(self) -> str:
        (wheel,) = self.packages.glob("*.whl")
        return str(wheel)

    @property
    def sdist(self) -> str:
        (sdist,) = self.packages.glob("*.tar.gz")
        return str(sdist)

    @property
    def environment(self) -> dict[str, str]:
        """Where packages come from stays as this machine has it; everything else is the home's own."""
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "UV_"))}
        return kept | {
            "HOME": str(self.home),
            "PATH": f"{self.home / '.local' / 'bin'}:{self.tools}:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PIPX_DEFAULT_PYTHON": str(PYTHON),
            "UV_CACHE_DIR": str(self.packages / "cache"),
            "UV_FIND_LINKS": str(self.packages),
            "UV_PYTHON": str(PYTHON),
            "UV_PYTHON_DOWNLOADS": "never",
            "UV_SYSTEM_CERTS": "1",
            **self.more,
        }

    def run(self, *words: str, fails: bool = False) -> str:
        """What a command says; it must succeed, or fail where that is expected."""
        ran = subprocess.run(
            words,
            cwd=self.home,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=LONGEST_S,
            check=False,
        )
        assert (ran.returncode != 0) == fails, f"{' '.join(words)}\n{ran.stdout[-3000:]}"
        return ran.stdout

    def serves(self, command: Sequence[str]) -> list[str]:
        """The tools of the server that a command starts, after one of them has answered."""
        program, *arguments = command
        server = StdioServerParameters(command=program, args=arguments, env=self.environment, cwd=self.home)

        async def ask() -> list[str]:
            with anyio.fail_after(LONGEST_S):
                async with Client(stdio_client(server)) as client:
                    assert not (await client.call_tool("lookup_incident", {"id": "IL-0129"})).is_error
                    return [tool.name for tool in (await client.list_tools()).tools]

        return anyio.run(ask)
