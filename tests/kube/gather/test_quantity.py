import pytest

from kubegap_mcp.kube.quantity import count, size


@pytest.mark.parametrize(
    ("quantity", "number"),
    [
        pytest.param("8", 8, id="plain"),
        pytest.param(8, 8, id="a number in JSON"),
        pytest.param("17Gi", 17 * 2**30, id="binary suffix"),
        pytest.param("30400G", 30400 * 10**9, id="decimal suffix"),
        pytest.param("1.5Ki", 1536, id="a part of a binary unit"),
        pytest.param("8000m", 8, id="thousandths that are whole"),
        pytest.param("12e3", 12_000, id="exponent"),
        pytest.param("1E2", 100, id="large exponent letter"),
        pytest.param("2E", 2 * 10**18, id="exa"),
        pytest.param("5E-1", None, id="half a device"),
        pytest.param("7Ei", 7 * 2**60, id="the largest suffix"),
        pytest.param(".5k", 500, id="no leading digit"),
        pytest.param("5.", 5, id="no digit after the point"),
        pytest.param("+3", 3, id="plus sign"),
        pytest.param("-0", 0, id="minus nothing"),
        pytest.param(1e3, 1000, id="a float in JSON"),
        pytest.param("1500m", None, id="one and a half devices"),
        pytest.param("-1", None, id="negative"),
        pytest.param(-1, None, id="negative number"),
        pytest.param("", None, id="empty"),
        pytest.param(".", None, id="a point"),
        pytest.param("8 ", None, id="a space"),
        pytest.param("8gb", None, id="not a suffix"),
        pytest.param("0x8", None, id="hexadecimal"),
        pytest.param("٨", None, id="digits of another script"),
        pytest.param("9" * 20, None, id="over an int64"),
        pytest.param("9" * 100_000, None, id="absurdly long"),
        pytest.param("1e99", None, id="absurd exponent"),
        pytest.param("1e999999999", None, id="an exponent that would fill memory"),
        pytest.param(float("inf"), None, id="infinite"),
        pytest.param(float("nan"), None, id="not a number"),
        pytest.param(True, None, id="true"),
        pytest.param(None, None, id="null"),
        pytest.param(2**70, None, id="a huge number"),
    ],
)
def test_a_quantity_is_a_whole_number_or_nothing(quantity, number):
    assert count(quantity) == number


def test_a_part_of_a_byte_counts_as_one():
    assert size("1500m") == 2
    assert size("100n") == 1
    assert size("-1Ki") is None
