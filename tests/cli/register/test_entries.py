"""What the entry says: for each client what it needs, of an older entry what its owner has set."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cli.register.conftest import Register
from cli.register.machine import BACKUP


def codex(home: Path) -> dict[str, Any]:
    entry: dict[str, Any] = tomllib.loads((home / ".codex" / "config.toml").read_text(encoding="utf-8"))["mcp_servers"]
    return entry["kubegap"]


def test_claude_code(home: Path, program: str, register: Register) -> None:
    register(["register", "claude-code", "--yes"])

    assert json.loads((home / ".claude.json").read_text(encoding="utf-8")) == {
        "mcpServers": {
            "kubegap": {
                "type": "stdio",
                "command": program,
                "args": [],
                "env": {"KUBECONFIG": "${KUBECONFIG:-}"},
                "timeout": 120000,
            }
        }
    }


def test_codex(home: Path, program: str, register: Register) -> None:
    register(["register", "codex", "--yes"])

    entry = codex(home)
    names = entry.pop("env_vars")
    assert entry == {
        "command": program,
        "args": [],
        "startup_timeout_sec": 20,
        "tool_timeout_sec": 120,
        "supports_parallel_tool_calls": True,
        "required": True,
    }
    assert len(names) == len(set(names))
    assert {"KUBECONFIG", "KUBEGAP_LANG", "AWS_PROFILE", "AWS_SESSION_TOKEN", "HTTPS_PROXY", "NO_PROXY"} <= {*names}
    assert {"KUBERNETES_SERVICE_HOST", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG"} <= {*names}


def test_codex_waits_for_what_its_owner_registered_and_not_for_what_a_project_shares(
    home: Path, project: Path, register: Register
) -> None:
    register(["register", "codex", "--yes", "--no-required"])
    assert codex(home)["required"] is False
    register(["register", "codex", "--yes"])
    assert codex(home)["required"] is False  # as its owner chose
    register(["register", "codex", "--yes", "--required"])
    assert codex(home)["required"] is True
    register(["register", "codex", "--yes", "--scope", "project"])
    assert "required" not in codex(project)
    register(["register", "codex", "--yes", "--scope", "project", "--required"])
    assert codex(project)["required"] is True


def test_gemini_is_told_the_names_of_secrets_that_are_set_and_never_their_values(
    home: Path, program: str, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "swordfish")
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    register(["register", "gemini", "--yes"])

    text = (home / ".gemini" / "settings.json").read_text(encoding="utf-8")
    entry = {"command": program, "args": [], "env": {"AWS_SESSION_TOKEN": "$AWS_SESSION_TOKEN"}}
    assert json.loads(text) == {"mcpServers": {"kubegap": entry}}


@pytest.mark.parametrize(
    ("client", "path", "key"), [("cursor", ".cursor/mcp.json", "mcpServers"), ("vscode", ".vscode/mcp.json", "servers")]
)
def test_editors(client: str, path: str, key: str, home: Path, project: Path, program: str, register: Register) -> None:
    register(["register", client, "--yes"])

    file = (home if client == "cursor" else project) / path
    entry = {"type": "stdio", "command": program, "args": []}
    assert json.loads(file.read_text(encoding="utf-8")) == {key: {"kubegap": entry}}


def test_the_servers_options_are_passed_on_with_whole_paths(home: Path, project: Path, register: Register) -> None:
    (project / "taken").mkdir()
    (project / "taken" / "n.json").write_text('{"apiVersion":"v1","kind":"List","items":[]}')
    (project / "k.toml").write_text("")
    options = ["--snapshot", "taken", "--config", "k.toml", "--incidents", "own", "--namespace", "ml", "--lang", "ko"]
    code, _, err = register(["register", "codex", "--yes", *options, "--deadline", "200", "--show-names"])

    assert (code, err) == (0, "")
    entry = codex(home)
    assert entry["args"] == [
        "--show-names",
        *("--snapshot", str(project / "taken"), "--config", str(project / "k.toml")),
        *("--incidents", str(project / "own"), "--namespace", "ml", "--lang", "ko", "--deadline", "200"),
    ]
    assert entry["tool_timeout_sec"] == 230


def test_a_metrics_source_is_passed_on_by_its_address_and_its_secrets_by_the_names_of_variables(
    home: Path, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBEGAP_PROMETHEUS_TOKEN_FILE", "/home/ann/swordfish")
    code, _, err = register(["register", "codex", "--yes", "--prometheus", "https://prom.example/prometheus"])

    assert (code, err) == (2, "kubegap: token_file for Prometheus names a file that is not there: correct it\n")
    (home / "swordfish").write_text("t-1")
    monkeypatch.setenv("KUBEGAP_PROMETHEUS_TOKEN_FILE", str(home / "swordfish"))
    code, _, err = register(["register", "codex", "--yes", "--prometheus", "https://prom.example/prometheus"])

    assert (code, err) == (0, "")
    entry = codex(home)
    assert entry["args"] == ["--prometheus", "https://prom.example/prometheus"]
    assert {"KUBEGAP_PROMETHEUS", "KUBEGAP_PROMETHEUS_TOKEN_FILE"} <= {*entry["env_vars"]}
    assert "swordfish" not in str(entry)


def test_a_service_of_the_cluster_is_passed_on_by_name(home: Path, register: Register) -> None:
    register(["register", "codex", "--yes", "--prometheus-service", "monitoring/prometheus:9090"])

    assert codex(home)["args"] == ["--prometheus-service", "monitoring/prometheus:9090"]


OLD_TOML = """\
# mine
[mcp_servers.kubegap] # the entry
command = "old"
env_vars = ["MINE", "KUBECONFIG"]
tool_timeout_sec = 999  # slow cluster
enabled = true

[mcp_servers.kubegap.env]
A = "b"
# inner

# about git
[mcp_servers.git]
command = "git"
"""


def test_what_the_owner_of_a_codex_entry_has_set_stays(home: Path, program: str, register: Register) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(OLD_TOML)
    register(["register", "codex", "--yes"])

    text = path.read_text(encoding="utf-8")
    entry = codex(home)
    assert (entry["command"], entry["tool_timeout_sec"], entry["enabled"]) == (program, 999, True)
    assert (entry["env_vars"][:2], entry["env"]) == (["MINE", "KUBECONFIG"], {"A": "b"})
    assert text.startswith("# mine\n[mcp_servers.kubegap] # the entry\n")
    assert text.endswith(
        '[mcp_servers.kubegap.env]\nA = "b"\n# inner\n\n# about git\n[mcp_servers.git]\ncommand = "git"\n'
    )
    assert "tool_timeout_sec = 999  # slow cluster\n" in text
    assert path.with_name(path.name + BACKUP).read_text() == OLD_TOML

    register(["register", "codex", "--yes", "--remove"])
    gone = '# mine\n# inner\n\n# about git\n[mcp_servers.git]\ncommand = "git"\n'
    assert path.read_text(encoding="utf-8") == gone


def test_what_the_owner_of_a_json_entry_has_set_stays(home: Path, program: str, register: Register) -> None:
    path = home / ".claude.json"
    old = {"command": "old", "args": ["--demo"], "env": {"A": "b"}, "timeout": 5, "alwaysLoad": True}
    path.write_text(json.dumps({"mcpServers": {"a": {}, "kubegap": old, "z": {}}}, indent=4))
    register(["register", "claude-code", "--yes"])

    servers = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]
    assert list(servers) == ["a", "kubegap", "z"]
    assert servers["kubegap"] == {
        **old,
        "command": program,
        "args": [],
        "type": "stdio",
        "env": {"KUBECONFIG": "${KUBECONFIG:-}", "A": "b"},
    }
    register(["register", "claude-code", "--yes", "--remove"])
    assert path.read_text(encoding="utf-8") == json.dumps({"mcpServers": {"a": {}, "z": {}}}, indent=4)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_entry_is_taken_out_of_any_place(place: int, indent: int | None, home: Path, register: Register) -> None:
    servers = {"a": {"command": "x"}, "b": {"command": "y"}}
    names = [*servers]
    names.insert(place, "kubegap")
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    both = {"mcpServers": {name: servers.get(name, {"command": "k"}) for name in names}}
    path.write_text(json.dumps(both, indent=indent))

    register(["register", "cursor", "--yes", "--remove"])

    assert path.read_text() == json.dumps({"mcpServers": servers}, indent=indent)


def test_a_server_behind_a_url_makes_way_as_a_whole(home: Path, program: str, register: Register) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('[mcp_servers.kubegap]\nurl = "http://127.0.0.1:1"\n\n[z]\n')
    register(["register", "codex", "--yes"])

    assert "url" not in codex(home)
    assert codex(home)["command"] == program
    assert path.read_text(encoding="utf-8").endswith("\n\n[z]\n")
