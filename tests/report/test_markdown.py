"""Text stays where it is put: on its line, in its cell, as plain letters."""

import pytest
from markdown_it import MarkdownIt
from report.build import HOSTILE

from kubegap_mcp.report.markdown import cell, inline, opening, prose, table

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def shape(markdown: str) -> list[str]:
    """The kinds of everything that a reader sees, without the letters."""
    return [
        kind
        for token in PARSER.parse(markdown)
        for kind in (token.type, *(child.type for child in token.children or ()))
    ]


def letters(markdown: str) -> str:
    return "".join(child.content for token in PARSER.parse(markdown) for child in token.children or ())


TRICKS = [
    pytest.param(HOSTILE, id="everything at once"),
    pytest.param("a\r\n\r\n# b", id="line ends"),
    pytest.param("a\u2028b\u202ec", id="invisible letters"),
    pytest.param("[x](https://evil.example)", id="a link"),
    pytest.param("[x][y]", id="a reference"),
    pytest.param("![x](https://evil.example)", id="an image"),
    pytest.param("<https://evil.example>", id="an autolink"),
    pytest.param("<img src=x>", id="a tag"),
    pytest.param("<!-- hidden", id="a comment"),
    pytest.param("**a** __b__ ~~c~~ _d_ *e*", id="strong and struck text"),
    pytest.param("`rm -rf /` ``x``", id="code"),
    pytest.param("a | b \\| c \\\\| d \\", id="pipes and backslashes"),
    pytest.param("&lt;b&gt; &#35;", id="entities"),
]
OPENINGS = [
    pytest.param(text, id=text)
    for text in ("# a", "> a", "- a", "+ a", "* a", "1. a", "12) a", "~~~", "```", "---", "===", "    a", "| a |")
]


@pytest.mark.parametrize("text", TRICKS)
def test_a_text_within_a_line_is_letters_alone(text):
    assert shape(f"a {inline(text)} z") == ["paragraph_open", "inline", "text", "paragraph_close"]


@pytest.mark.parametrize("text", [*TRICKS, *OPENINGS])
def test_a_text_at_the_beginning_of_a_list_item_starts_no_block(text):
    plain = shape("- a\n- b")
    assert shape(f"- {opening(text)}\n- b") == plain


@pytest.mark.parametrize("text", [*TRICKS, *OPENINGS])
def test_a_text_stays_in_its_cell(text):
    rows = "\n".join(table(["one", "two"], [(text, "b"), ("c", text)]))
    assert shape(rows) == shape("\n".join(table(["one", "two"], [("a", "b"), ("c", "d")])))


@pytest.mark.parametrize("value", ["a|b", "a\\", "x_y", "status.conditions[Ready]", "nvidia.com/gpu_count", "a*b*"])
def test_the_letters_of_a_text_are_still_there(value):
    assert letters(inline(value)) == value
    assert cell(value).replace("\\|", "|").startswith(inline(value)[:1])


def test_common_names_of_a_cluster_are_left_as_they_are():
    for name in ("gpu-0003", "status.capacity[nvidia.com/gpu]", "node_memory", "team-a/train-0", "v1.36.1+k3s1", "7%"):
        assert inline(name) == name


def test_nothing_is_a_dash():
    assert inline(None) == "-"


def test_a_sentence_of_the_catalogue_keeps_its_code_and_nothing_else():
    assert shape(prose("see `kubectl get <node>`, not <b>this</b> or *that*")) == [
        "paragraph_open",
        "inline",
        "text",
        "code_inline",
        "text",
        "paragraph_close",
    ]
