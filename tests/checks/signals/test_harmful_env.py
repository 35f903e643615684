"""Settings of NCCL that hurt, and values that only look like theirs."""

import pytest

from kubegap_checks.signals.harmful_env import HarmfulSetting, harmful_env
from kubegap_checks.signals.tables import SignalTableError, parse
from kubegap_checks.signals.workloads import shown_env


def _setting(name: str) -> HarmfulSetting:
    return next(row for row in harmful_env() if row.name == name)


@pytest.mark.parametrize(
    ("name", "value", "hurts"),
    [
        ("NCCL_IB_DISABLE", "2", True),
        ("NCCL_IB_DISABLE", "", False),
        ("NCCL_NET", "Socket2", False),
        ("FI_PROVIDER", "tcp;ofi_rxm", True),
        ("FI_PROVIDER", "^tcp", False),
        ("FI_PROVIDER", "efa", False),
        ("NCCL_P2P_LEVEL", "10", False),
        ("NCCL_IB_TIMEOUT", "17", True),
        ("NCCL_IB_TIMEOUT", "0", False),  # waits without end
        ("NCCL_PROTO", "LL,LL128,Simple", False),
        ("NCCL_ALGO", "allreduce:tree", False),
        ("NCCL_ALGO", "NVLSTree", True),
    ],
)
def test_a_value_hurts_only_where_it_matches_in_full(name: str, value: str, hurts: bool):  # noqa: FBT001
    assert _setting(name).hurts({name: value}) is hurts


@pytest.mark.parametrize(
    ("product", "has_nvlink"),
    [
        ("NVIDIA-A100-SXM4-80GB", True),
        ("NVIDIA H100 80GB HBM3", True),
        ("NVIDIA-GB200", True),
        ("NVIDIA-A100-80GB-PCIe", False),
        ("NVIDIA-H200-NVL", False),
        ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", False),
        ("NVIDIA-H100-80GB-HBM3-SHARED", False),
    ],
)
def test_only_whole_gpus_on_boards_with_nvswitch_are_sure_to_have_nvlink(product: str, has_nvlink: bool):  # noqa: FBT001
    pattern = _setting("NCCL_P2P_DISABLE").product

    assert pattern is not None
    assert (pattern.fullmatch(product) is not None) is has_nvlink


def test_every_variable_that_decides_is_one_whose_value_is_kept():
    names = {name for row in harmful_env() for name in (row.name, *(other.name for other in row.unless))}

    assert [name for name in sorted(names) if shown_env(name, "1") is None] == []


def test_a_row_that_does_not_say_where_it_hurts_is_refused():
    row = "- {name: A, value: b, severity: low, confidence: hint, does: {en: a, ko: 가}, source: s}"

    with pytest.raises(SignalTableError, match="either transport or product"):
        parse("harmful_env.yaml", row, HarmfulSetting)
