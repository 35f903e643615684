"""Marks of storage software that holds a node's disks."""

from typing import Any

import pytest

from checks import build
from kubegap_checks.signals.nvme_users import nvme_user


@pytest.mark.parametrize(
    ("fields", "product"),
    [
        ({"annotations": {"capacity.topolvm.io/00default": "1024"}}, "TopoLVM"),
        ({"annotations": {"capacity.topolvm.cybozu.com/ssd": "1024"}}, "TopoLVM"),
        ({"annotations": {"capacity.topolvm.io/00default": "0"}}, None),
        ({"annotations": {"weka.io/weka-drives": '["S1"]'}}, "WekaFS"),
        ({"annotations": {"weka.io/weka-shared-drives": '[["550e8400","S1",7000,"/dev/nvme0n1"]]'}}, "WekaFS"),
        ({"annotations": {"weka.io/weka-drives": "[]"}}, None),
        ({"capacity": {"weka.io/drives": 6}}, "WekaFS"),
        ({"capacity": {"weka.io/drives": 0}}, None),
        ({"capacity": None}, None),
    ],
)
def test_which_software_holds_the_disks(fields: dict[str, Any], product: str | None) -> None:
    user = nvme_user(build.node(**fields))

    assert (user.product if user else None) == product
