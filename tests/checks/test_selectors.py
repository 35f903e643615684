import pytest

from kubegap_checks.facts.selectors import Requirement, Selector

LABELS = {"pool": "gpu", "cores": "64"}


@pytest.mark.parametrize(
    ("requirement", "matches"),
    [
        pytest.param(Requirement(key="pool", operator="In", values=("cpu", "gpu")), True, id="one of the values"),
        pytest.param(Requirement(key="pool", operator="In", values=("cpu",)), False, id="none of the values"),
        pytest.param(Requirement(key="zone", operator="NotIn", values=("a",)), True, id="a label that is not there"),
        pytest.param(Requirement(key="pool", operator="NotIn", values=("gpu",)), False, id="a value that is excluded"),
        pytest.param(Requirement(key="pool", operator="Exists"), True, id="there"),
        pytest.param(Requirement(key="zone", operator="Exists"), False, id="not there"),
        pytest.param(Requirement(key="zone", operator="DoesNotExist"), True, id="rightly not there"),
        pytest.param(Requirement(key="pool", operator="DoesNotExist"), False, id="there and should not be"),
        pytest.param(Requirement(key="cores", operator="Gt", values=("63",)), True, id="greater"),
        pytest.param(Requirement(key="cores", operator="Gt", values=("64",)), False, id="equal is not greater"),
        pytest.param(Requirement(key="cores", operator="Lt", values=("65",)), True, id="less"),
        pytest.param(Requirement(key="cores", operator="Lt", values=("64",)), False, id="equal is not less"),
        pytest.param(Requirement(key="pool", operator="Gt", values=("1",)), False, id="no number"),
        pytest.param(Requirement(key="cores", operator="Gt"), False, id="nothing to compare with"),
        pytest.param(Requirement(key="pool", operator="Near", values=("gpu",)), False, id="an unknown operator"),
    ],
)
def test_a_requirement_matches_as_the_api_server_does(requirement: Requirement, *, matches: bool):
    assert requirement.matches(LABELS) is matches


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        pytest.param(Selector(labels={}), True, id="an empty selector matches everything"),
        pytest.param(Selector(labels={"pool": "gpu"}), True, id="the label has the value"),
        pytest.param(Selector(labels={"pool": "cpu"}), False, id="the label has another value"),
        pytest.param(
            Selector(labels={"pool": "gpu"}, requirements=(Requirement(key="zone", operator="Exists"),)),
            False,
            id="all must match",
        ),
    ],
)
def test_a_selector_matches_as_the_api_server_does(selector: Selector, *, matches: bool):
    assert selector.matches(LABELS) is matches
