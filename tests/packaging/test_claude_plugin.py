"""The marketplace and the plugin of Claude Code, by what `claude plugin validate` and its installer ask of them."""

import json
import re
from pathlib import Path
from typing import Any

import kubegap_mcp

ROOT = Path(__file__).parents[2]
MARKETPLACE: dict[str, Any] = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))
(ENTRY,) = MARKETPLACE["plugins"]
FOLDER = ROOT / ENTRY["source"]
PLUGIN: dict[str, Any] = json.loads((FOLDER / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))


def test_the_marketplace_leads_to_the_plugin():
    assert MARKETPLACE["name"] == "kubegap"
    assert MARKETPLACE["owner"]["name"]
    assert ENTRY["source"].startswith("./")
    assert {key: ENTRY[key] for key in ("name", "description", "license", "keywords")} == {
        key: PLUGIN[key] for key in ("name", "description", "license", "keywords")
    }
    # plugin.json has the version; a second one here could disagree.
    assert "version" not in ENTRY


def test_the_plugin_starts_the_server_of_its_own_version():
    assert PLUGIN["mcpServers"] == {
        "kubegap": {"command": "uvx", "args": [f"kubegap-mcp@{kubegap_mcp.__version__}"]},
    }
    assert PLUGIN["version"] == kubegap_mcp.__version__


def test_the_plugin_says_who_made_it_and_under_what_licence():
    assert PLUGIN["author"]["name"]
    assert PLUGIN["license"] == "Apache-2.0"


def test_tool_names_stay_within_what_clients_take():
    # Claude Code names a plugin's tool mcp__plugin_<plugin>_<server>__<tool>; 64 is the shortest limit of a client.
    prefix = f"mcp__plugin_{PLUGIN['name']}_{next(iter(PLUGIN['mcpServers']))}__"
    assert len(prefix) == 29
    assert re.fullmatch("[a-z_]+", prefix)


def test_the_readme_is_long_enough_for_a_catalogue():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) >= 40
    assert "/plugin install kubegap --marketplace kubegap/kubegap" in text
