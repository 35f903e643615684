import pytest

from kubegap_checks.facts.metrics import ApiServerLoad, Exported
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.model import Severity
from kubegap_checks.rules.control_plane.api_server_headroom import CHECK
from tests.checks.build import facts, forbidden
from tests.checks.measured import exported, measured

WATCHED = (*exported("api_seats"), *exported("api_writes_slow"))


def cluster(*rows: Record, unread: tuple[type[Record], ...] = ()) -> Facts:
    return facts(*rows, *WATCHED, unread=unread)


def refused(level: str = "system", percent: float = 3, spans: float = 4) -> tuple[ApiServerLoad, ...]:
    labels = {"priority_level": level}
    return (
        measured(ApiServerLoad, "apf_refused", percent, labels=labels),
        measured(ApiServerLoad, "apf_refused_spans", spans, labels=labels),
    )


def slow(quantity: str, percent: float, verb: str, resource: str) -> ApiServerLoad:
    return measured(ApiServerLoad, quantity, percent, labels={"verb": verb, "resource": resource})


def seats(percent: float) -> ApiServerLoad:
    return measured(ApiServerLoad, "api_seats", percent)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(*refused()), "gap", id="requests of the system are refused"),
        pytest.param(cluster(*refused(percent=1, spans=3)), "gap", id="as many and as often as is too much"),
        pytest.param(cluster(*refused(spans=2)), "clear", id="a burst"),
        pytest.param(cluster(*refused(percent=0.9)), "clear", id="a request now and then"),
        pytest.param(cluster(refused()[0]), "clear", id="nothing tells how often"),
        pytest.param(cluster(refused()[1]), "clear", id="nothing tells how many"),
        pytest.param(
            cluster(refused("system")[0], refused("workload-low")[1]), "clear", id="much at one level, often at another"
        ),
        pytest.param(cluster(*refused("workload-low")), "gap", id="a client that asks too much"),
        pytest.param(cluster(seats(80)), "gap", id="seats run out"),
        pytest.param(cluster(seats(79)), "clear", id="seats are left"),
        pytest.param(cluster(slow("api_writes_slow", 14.4, "PUT", "leases")), "gap", id="slow writes"),
        pytest.param(cluster(slow("api_writes_slow", 14.3, "PUT", "leases")), "clear", id="some slow writes"),
        pytest.param(cluster(slow("api_gets_slow", 20, "GET", "pods")), "gap", id="slow reads"),
        pytest.param(cluster(slow("api_lists_slow", 20, "LIST", "pods")), "gap", id="slow lists"),
        pytest.param(cluster(measured(ApiServerLoad, "api_memory", 75)), "gap", id="memory runs out"),
        pytest.param(cluster(measured(ApiServerLoad, "api_memory", 74)), "clear", id="memory is left"),
        pytest.param(cluster(), "clear", id="nothing refused, nothing slow"),
        pytest.param(facts(*exported("api_seats")), "unknown", id="nothing tells of latency"),
        pytest.param(facts(*exported("api_writes_slow")), "unknown", id="nothing tells of seats"),
        pytest.param(cluster(unread=(ApiServerLoad,)), "unknown", id="load is unread"),
        pytest.param(cluster(unread=(Exported,)), "unknown", id="what is published is unread"),
        pytest.param(cluster(seats(95), unread=(Exported,)), "gap", id="a gap shows whatever else is unread"),
    ],
)
def test_api_servers_without_room_are_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


def test_what_came_of_a_group_shows_though_a_part_of_it_did_not():
    part = Partial((seats(95),), (forbidden(ApiServerLoad),))

    verdict = CHECK.run(cluster().but(ApiServerLoad, part))

    assert verdict.status == "gap"
    assert verdict.unread == (forbidden(ApiServerLoad),)


def test_what_did_not_come_of_a_group_is_not_fine():
    assert CHECK.run(cluster().but(ApiServerLoad, Partial((), (forbidden(ApiServerLoad),)))).status == "unknown"


@pytest.mark.parametrize(
    ("level", "severity"),
    [
        ("system", Severity.HIGH),
        ("leader-election", Severity.HIGH),
        ("our-own", Severity.HIGH),
        ("workload-low", Severity.LOW),
        ("global-default", Severity.LOW),
        ("catch-all", Severity.LOW),
    ],
)
def test_a_client_that_is_held_back_by_itself_matters_little(level: str, severity: Severity):
    (finding,) = CHECK.run(cluster(*refused(level))).findings

    assert (str(finding.subject), finding.severity) == (f"PriorityLevelConfiguration/{level}", severity)
    assert finding.evidence == {"metrics.apf_refused": 3, "metrics.apf_refused_spans": 4}
    assert finding.says.en == "3 % of its requests were refused, in 4 ten-minute spans of the last hour"


def test_calls_that_are_slow_are_one_finding_the_worst_first():
    rows = [slow("api_writes_slow", 20 + i, "PUT", f"kind{i}") for i in range(4)]

    (finding,) = CHECK.run(cluster(*rows)).findings

    assert (str(finding.subject), finding.key, finding.severity) == (
        "Component/kube-apiserver",
        "api_writes_slow",
        Severity.MEDIUM,
    )
    assert finding.says.en.endswith("100 calls: PUT kind3 23 %, PUT kind2 22 %, PUT kind1 21 %, +1")
    assert finding.evidence == {f"metrics.api_writes_slow PUT kind{i}": 20 + i for i in (3, 2, 1)}


def test_three_slow_calls_are_all_named():
    rows = [slow("api_gets_slow", 20 + i, "GET", f"kind{i}") for i in range(3)]
    (finding,) = CHECK.run(cluster(*rows)).findings
    assert finding.says.en.endswith("GET kind2 22 %, GET kind1 21 %, GET kind0 20 %")


def test_memory_of_a_machine_is_graver_and_an_old_name_beside_a_new_one_counts_once():
    rows = [measured(ApiServerLoad, "api_memory", value) for value in (76, 81, 77)]

    (finding,) = CHECK.run(cluster(*rows)).findings

    assert finding.severity is Severity.HIGH
    assert finding.says.en == "memory of a machine that its API server takes: 81 %"


def test_an_owner_may_set_another_limit():
    assert CHECK.run(cluster(seats(79)), {"api_headroom_api_seats": 70}).status == "gap"
