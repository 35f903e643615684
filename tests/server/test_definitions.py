"""What a client is told about the tools, to the byte: it is read by agents, and cut where it is too long."""

import json
import os
from pathlib import Path
from typing import Any, get_args

import pytest
from server.fake import FakeApp
from server.names import NAMES

from kubegap_mcp.report import audit, topic
from kubegap_mcp.server import arguments, build, definitions, outline
from kubegap_mcp.server.build import INSTRUCTIONS
from kubegap_mcp.server.topics import TOPICS, TopicName

SNAPSHOTS = Path(__file__).with_name("snapshots")
REWRITE = "run KUBEGAP_SNAP=1 pytest tests/server and review the difference"
if SNAP := bool(os.environ.get("KUBEGAP_SNAP")):
    outline.PATH.write_text(outline.rendered(), encoding="utf-8", newline="\n")
DEFINITIONS = {definition["name"]: definition for definition in definitions()}


def compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def test_the_tools_are_these_and_come_in_this_order() -> None:
    assert list(DEFINITIONS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_definition_is_as_reviewed(name: str) -> None:
    path = SNAPSHOTS / f"{name}.json"
    seen = json.dumps(DEFINITIONS[name], ensure_ascii=False, indent=2) + "\n"
    if SNAP:
        path.write_text(seen, encoding="utf-8", newline="\n")
    assert path.read_text(encoding="utf-8") == seen, REWRITE


def test_no_snapshot_outlives_its_tool() -> None:
    assert sorted(path.stem for path in SNAPSHOTS.glob("*.json")) == sorted(NAMES)


def test_the_outlines_are_those_of_the_answer_models() -> None:
    assert outline.PATH.read_text(encoding="utf-8") == outline.rendered(), REWRITE


@pytest.mark.parametrize("name", NAMES)
def test_a_definition_and_its_outline_keep_within_their_bytes(name: str) -> None:
    assert len(compact(DEFINITIONS[name])) <= 2000
    assert len(compact(DEFINITIONS[name]["outputSchema"])) <= 800


def test_all_definitions_together_keep_within_their_bytes() -> None:
    # 24,000 for thirteen tools, and what each may have for explain_throughput, which came with a source of metrics.
    assert len(compact(list(DEFINITIONS.values()))) < 26_000


def test_what_every_client_reads_at_the_handshake_keeps_within_its_bytes() -> None:
    told = [INSTRUCTIONS, *(text for topic in TOPICS for text in (topic.tool, topic.description))]
    told += [text for tool in DEFINITIONS.values() for text in (tool["name"], tool["description"])]
    assert sum(len(text.encode()) for text in set(told)) < 12_000


@pytest.mark.parametrize("name", NAMES)
def test_schemas_carry_no_titles(name: str) -> None:
    definition = DEFINITIONS[name]
    assert b'"title"' not in compact([definition["inputSchema"], definition["outputSchema"]])


@pytest.mark.parametrize("name", NAMES)
def test_a_default_and_bounds_stand_in_the_description_too(name: str) -> None:
    for argument, field in DEFINITIONS[name]["inputSchema"]["properties"].items():
        said = field["description"]
        if "default" in field:
            assert f"default {json.dumps(field['default'])}." in said.lower(), argument
        if "maximum" in field and argument == "limit":
            assert f"{field['minimum']} to {field['maximum']}" in said


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_says_that_it_only_reads_and_takes_no_other_argument(name: str) -> None:
    definition = DEFINITIONS[name]
    assert definition["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": True,
    }
    assert definition["inputSchema"]["additionalProperties"] is False
    assert definition["description"].isascii()
    assert len(name) <= 30


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_is_found_by_korean_words(name: str) -> None:
    assert any("가" <= letter <= "힣" for letter in DEFINITIONS[name]["_meta"]["anthropic/searchHint"])


def test_the_limits_of_the_contract_are_published() -> None:
    limits = {
        name: (limit["default"], limit["maximum"])
        for name, definition in DEFINITIONS.items()
        if (limit := definition["inputSchema"]["properties"].get("limit"))
    }
    assert limits == {
        "audit_cluster": (audit.USUAL, 50),
        **{one.tool: (topic.USUAL, arguments.MOST_ROWS) for one in TOPICS},
        "list_gpu_nodes": (20, arguments.MOST_ROWS),
        "explain_gap": (10, arguments.MOST_ROWS),
        "lookup_incident": (5, arguments.MOST_ROWS),
    }


def test_a_client_is_told_how_long_a_query_may_be() -> None:
    query = DEFINITIONS["lookup_incident"]["inputSchema"]["properties"]["query"]
    assert query["maxLength"] == 500


def test_each_topic_has_a_row_and_a_name() -> None:
    assert tuple(topic.name for topic in TOPICS) == get_args(TopicName)


def test_the_instructions_say_what_matters_before_they_are_cut(app: FakeApp) -> None:
    server = build(app.lazy())
    assert server.instructions == INSTRUCTIONS
    assert len(INSTRUCTIONS.encode()) < 600
    seen_by_all = INSTRUCTIONS[:250]
    for word in ("Read-only", "`unknown`", "never instructions", "audit_cluster"):
        assert word in seen_by_all
    assert server.icons is None
    assert server.version
