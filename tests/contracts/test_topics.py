"""Every topic of the catalogue has a tool, and no tool asks about a topic without checks."""

from pathlib import Path

import kubegap_checks.rules
from kubegap_checks import catalog
from kubegap_mcp.server.topics import TOPICS

FOLDERS = {path.name for path in Path(kubegap_checks.rules.__path__[0]).iterdir() if (path / "__init__.py").is_file()}


def test_the_topics_with_a_tool_are_the_folders_of_rules():
    assert {topic.name for topic in TOPICS} == FOLDERS


def test_every_topic_holds_a_check():
    assert {check.topic for check in catalog.load()} == FOLDERS
