import pytest

from kubegap_checks.facts.controllers import DaemonSet
from kubegap_checks.facts.read import Facts
from kubegap_checks.rules.gpu_health.health_checks_disabled import CHECK
from tests.checks.build import container, daemon_set, facts, template

OFF = "DP_DISABLE_HEALTHCHECKS"
ON = "DP_ENABLE_HEALTHCHECKS"


def plugin(*, desired: int = 3, **env: str | None) -> DaemonSet:
    containers = (container("init", env={}), container("plugin", env=env))
    return daemon_set("nvidia-device-plugin", template=template(*containers), desired=desired)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(plugin(**{OFF: "all"})), "gap", id="all"),
        pytest.param(facts(plugin(**{OFF: "XIDS"})), "gap", id="every Xid, in capitals"),
        pytest.param(facts(plugin(**{OFF: "94, all"})), "gap", id="all, in a list"),
        pytest.param(facts(plugin(**{OFF: "all,94"})), "gap", id="all, first in a list"),
        pytest.param(facts(plugin(**{OFF: "94,63"})), "clear", id="single Xids"),
        pytest.param(facts(plugin(**{OFF: "small"})), "clear", id="a word that ends in all"),
        pytest.param(facts(plugin(**{OFF: ""})), "clear", id="an empty value"),
        pytest.param(facts(plugin(**{ON: "all"})), "clear", id="the other variable"),
        pytest.param(facts(plugin(**{OFF: "all", ON: "48,79"})), "clear", id="all but some"),
        pytest.param(facts(plugin(**{OFF: "all", ON: ""})), "gap", id="all, and the other variable empty"),
        pytest.param(facts(plugin(**{OFF: "all", ON: None})), "unknown", id="all but what a config map names"),
        pytest.param(facts(plugin(desired=0, **{OFF: "all"})), "clear", id="on no node"),
        pytest.param(facts(plugin()), "clear", id="no variable"),
        pytest.param(facts(plugin(**{OFF: None})), "unknown", id="a value from elsewhere"),
        pytest.param(facts(), "not_applicable", id="no DaemonSet"),
        pytest.param(facts(unread=(DaemonSet,)), "unknown", id="DaemonSets unread"),
    ],
)
def test_a_plugin_that_ignores_every_fault_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_it_names_the_daemon_set_and_the_value():
    [finding] = CHECK.run(facts(plugin(**{OFF: "xids"}))).findings

    assert str(finding.subject) == "DaemonSet/kube-system/nvidia-device-plugin"
    assert finding.says.en == "NVIDIA device plugin ignores every fault of its devices on 3 nodes"
    assert finding.evidence == {
        "spec.template.spec.containers[plugin].env[DP_DISABLE_HEALTHCHECKS]": "xids",
        "status.desiredNumberScheduled": 3,
    }
