import pytest

from kubegap_checks.facts.metrics import VolumeFill
from kubegap_mcp.metrics.plan import plan
from kubegap_mcp.metrics.port import Answer, Series
from kubegap_mcp.metrics.rows import Answered, rows
from tests.checks.build import facts

NAMES = frozenset({"kubelet_volume_stats_used_bytes", "kubelet_volume_stats_capacity_bytes"})
TERM = "claim_bytes/kubelet_volume_stats_used_bytes"


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({"namespace": "ml"}, id="the series' own label"),
        pytest.param({"namespace": "kube-system", "exported_namespace": "ml"}, id="the target has one of its own"),
    ],
)
def test_a_claim_is_known_by_its_own_namespace(labels: dict[str, str]):
    series = Series(labels={"kubegap": TERM, "persistentvolumeclaim": "data", **labels}, points=((0.0, 50.0),))
    answered = Answered(plan=plan(VolumeFill, NAMES, ""), answers=(Answer(series=(series,)),))

    (row,) = rows({VolumeFill: answered}, Answer(), facts())[VolumeFill]  # type: ignore[misc]

    assert isinstance(row, VolumeFill)
    assert (row.namespace, row.claim, row.quantity, row.value) == ("ml", "data", "claim_bytes", 50)
