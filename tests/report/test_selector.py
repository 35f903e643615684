"""Label selectors mean what they mean to kubectl."""

import pytest

from kubegap_mcp.errors import ConfigError
from kubegap_mcp.report.selector import parse

LABELS = {"zone": "a", "nvidia.com/gpu.product": "H100", "empty": ""}


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        pytest.param("zone=a", True, id="equal"),
        pytest.param("zone==a", True, id="equal, twice"),
        pytest.param("zone = b", False, id="another value"),
        pytest.param("zone!=b", True, id="not equal"),
        pytest.param("rack!=b", True, id="not equal, and the label is absent"),
        pytest.param("zone", True, id="there"),
        pytest.param("rack", False, id="not there"),
        pytest.param("!rack", True, id="absent"),
        pytest.param("! zone", False, id="not absent"),
        pytest.param("empty=", True, id="an empty value"),
        pytest.param("rack=", False, id="an empty value is not an absent label"),
        pytest.param("zone in (a,b)", True, id="in a set"),
        pytest.param("zone in(c)", False, id="in another set"),
        pytest.param("zone notin (a, b)", False, id="not in the set"),
        pytest.param("rack notin (a)", True, id="not in a set, and the label is absent"),
        pytest.param("nvidia.com/gpu.product=H100,zone in (a,b),!rack", True, id="all of several"),
        pytest.param("nvidia.com/gpu.product=H100,zone=b", False, id="one of several fails"),
    ],
)
def test_a_selector_matches_as_for_kubectl(selector, matches):
    assert parse(selector)(LABELS) is matches


@pytest.mark.parametrize(
    "selector",
    ["", ",", "zone=a,", "zone=a=b", "in (a)", "zone in a", "zone in (a", "a b", "zone>3", "가=b"],
)
def test_what_is_no_selector_is_refused_with_an_example(selector):
    with pytest.raises(ConfigError, match="is no label selector: write it as for kubectl"):
        parse(selector)
