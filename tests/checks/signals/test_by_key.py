"""A table is asked about a key once, whatever number of nodes carries it."""

from kubegap_checks.signals import by_key
from kubegap_checks.signals.by_key import ByKey

ASKED: list[str] = []


def find(key: str) -> str | None:
    ASKED.append(key)
    return key.upper() if key.startswith("gpu") else None


def test_a_key_is_asked_about_once_and_keeps_its_place():
    ASKED.clear()
    table = ByKey(find)

    assert table.told(["gpu-b", "cpu", "gpu-a"]) == [("gpu-b", "GPU-B"), ("gpu-a", "GPU-A")]
    assert table.told(["gpu-a", "cpu"]) == [("gpu-a", "GPU-A")]
    assert ASKED == ["gpu-b", "cpu", "gpu-a"]


def test_keys_that_somebody_makes_up_do_not_pile_up():
    ASKED.clear()
    table = ByKey(find)
    most = by_key._MOST  # noqa: SLF001

    table.told(f"{kind}-{number}" for number in range(most) for kind in ("gpu", "cpu"))
    assert table.told(["gpu-1"]) == [("gpu-1", "GPU-1")]
    assert len(table._told) + len(table._silent) <= most + 1  # noqa: SLF001
