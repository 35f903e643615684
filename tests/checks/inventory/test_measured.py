from kubegap_checks.facts.metrics import ContainerMemory, Exported
from kubegap_checks.inventory.measured import publishes, unmeasured
from tests.checks.build import facts


def told(series: str, quantity: str, node: str = "gpu-1") -> Exported:
    return Exported(quantity=quantity, node=node, value=1, labels={"series": series})


RSS = told("container_memory_rss", "rss_growth")
WORKING_SET = told("container_memory_working_set_bytes", "working_set")


def test_one_series_may_carry_several_quantities():
    given = facts(WORKING_SET)

    assert publishes(given, "working_set")
    assert publishes(given, "working_set_growth")
    assert not publishes(given, "rss_growth")


def test_a_node_is_measured_by_the_series_whatever_else_they_carry():
    assert list(unmeasured(facts(WORKING_SET, RSS), ContainerMemory, {"gpu-1"})) == []
    assert len(list(unmeasured(facts(WORKING_SET), ContainerMemory, {"gpu-1"}))) == 1
