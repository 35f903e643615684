import pytest
from msgspec.structs import replace

from kubegap_checks.facts.controllers import DaemonSet, Deployment
from kubegap_checks.facts.read import Facts
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.control_plane.fleet_agent_can_overload_api import CHECK
from tests.checks.build import container, daemon_set, deployment, facts, template


def agents(image: str, nodes: int) -> DaemonSet:
    return daemon_set("agent", template=template(container(image=image)), desired=nodes)


def server(image: str, name: str = "server") -> Deployment:
    return deployment(name, template=template(container(image=image)))


CALICO = agents("docker.io/calico/node:v3.31.0", 51)
DATADOG = agents("gcr.io/datadoghq/agent:7.70.0", 101)
TYPHA = server("docker.io/calico/typha:v3.31.0")


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(facts(CALICO), "gap", id="Calico without Typha"),
        pytest.param(facts(agents("rancher/mirrored-calico-node:v3.30", 51)), "gap", id="the same from a mirror"),
        pytest.param(facts(DATADOG), "gap", id="Datadog without its Cluster Agent"),
        pytest.param(facts(agents("registry.datadoghq.com/agent:7.76.0", 101)), "gap", id="from its newer registry"),
        pytest.param(facts(CALICO, replace(TYPHA, replicas=0)), "gap", id="Typha is scaled to zero"),
        pytest.param(facts(CALICO, server("gcr.io/datadoghq/cluster-agent:7")), "gap", id="another's fan-out"),
        pytest.param(facts(CALICO, server("calico/calico:v3.33.0")), "gap", id="another part in Calico's one image"),
        pytest.param(facts(DATADOG, server("datadog/operator:1", "calico-typha")), "gap", id="another's name"),
        pytest.param(facts(CALICO, TYPHA), "clear", id="Typha stands between"),
        pytest.param(facts(CALICO, server("calico/calico:v3.33.0", "calico-typha")), "clear", id="Typha in one image"),
        pytest.param(facts(DATADOG, server("gcr.io/datadoghq/cluster-agent:7")), "clear", id="so does Cluster Agent"),
        pytest.param(facts(replace(CALICO, desired=50)), "clear", id="50 nodes of Calico"),
        pytest.param(facts(replace(DATADOG, desired=100)), "clear", id="100 nodes of Datadog"),
        pytest.param(facts(agents("calico/csi:v3.31.0", 500)), "not_applicable", id="another image of Calico"),
        pytest.param(facts(), "not_applicable", id="no DaemonSet"),
        pytest.param(facts(unread=(DaemonSet,)), "unknown", id="DaemonSets unread"),
        pytest.param(facts(CALICO, unread=(Deployment,)), "unknown", id="Deployments unread"),
    ],
)
def test_an_agent_of_many_nodes_must_not_ask_the_api_server_itself(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_what_it_says():
    verdict = CHECK.run(facts(CALICO))

    [finding] = verdict.findings
    assert (verdict.severity_of(finding), verdict.confidence_of(finding)) == (Severity.MEDIUM, Confidence.LIKELY)
    assert finding.says.en == "Calico asks the API server from 51 nodes, and no Typha stands between"
