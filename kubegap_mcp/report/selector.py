"""Kubernetes label selectors: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas."""

import re
from collections.abc import Callable, Mapping

from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError

Matches = Callable[[Mapping[str, str]], bool]

_KEY = r"(?P<key>[A-Za-z0-9][A-Za-z0-9_./-]*)"
_SET = re.compile(_KEY + r"\s+(?P<op>in|notin)\s*\((?P<values>[^()]*)\)")
_EQUAL = re.compile(_KEY + r"\s*(?P<op>==|=|!=)\s*(?P<value>[A-Za-z0-9_.-]*)")
_EXISTS = re.compile(r"(?P<op>!?)\s*" + _KEY)


def parse(selector: str) -> Matches:
    """A test of a node's labels; raises ConfigError that names the part which is no selector."""
    wanted = [_requirement(part.strip()) for part in re.split(r",(?![^(]*\))", selector)]
    return lambda labels: all(matches(labels) for matches in wanted)


def _requirement(part: str) -> Matches:
    if found := _SET.fullmatch(part):
        values = {value.strip() for value in found["values"].split(",")}
        return _is_in(found["key"], values, negated=found["op"] == "notin")
    if found := _EQUAL.fullmatch(part):
        return _is_in(found["key"], {found["value"]}, negated=found["op"] == "!=")
    if found := _EXISTS.fullmatch(part):
        key, negated = found["key"], bool(found["op"])
        return lambda labels: (key in labels) != negated
    raise ConfigError(
        Text(
            en=f"{part[:60]!r} is no label selector: write it as for kubectl, such as a=b,c!=d,e in (f,g)",
            ko=f"{part[:60]!r}: 레이블 셀렉터가 아님. kubectl처럼 a=b,c!=d,e in (f,g) 형식으로 쓴다",
        )
    )


def _is_in(key: str, values: set[str], *, negated: bool) -> Matches:
    # As in Kubernetes, a node without the label satisfies != and notin.
    return lambda labels: (labels.get(key) in values) != negated
