import pytest

from kubegap_checks.facts.metrics import EtcdLoad, Exported
from kubegap_checks.facts.read import Facts, Partial, Record
from kubegap_checks.model import Confidence, Severity
from kubegap_checks.rules.control_plane.etcd_headroom import CHECK
from tests.checks.build import facts, forbidden
from tests.checks.measured import exported, measured

WATCHED = tuple(row for name in ("etcd_size", "etcd_fsync", "etcd_commit") for row in exported(name))


def cluster(*rows: Record, unread: tuple[type[Record], ...] = ()) -> Facts:
    return facts(*rows, *WATCHED, unread=unread)


def etcd(quantity: str, value: float, job: str = "kube-etcd") -> EtcdLoad:
    return measured(EtcdLoad, quantity, value, labels={"job": job})


def told_by_api(gib: float) -> EtcdLoad:
    return measured(EtcdLoad, "etcd_size_by_api", gib)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param(cluster(etcd("etcd_size", 80)), "gap", id="little of the quota is left"),
        pytest.param(cluster(etcd("etcd_size", 79)), "clear", id="enough of the quota is left"),
        pytest.param(cluster(etcd("etcd_in_use", 10), etcd("etcd_size", 40)), "clear", id="much free space inside"),
        pytest.param(cluster(etcd("etcd_in_use", 99)), "clear", id="no free space inside, far from the quota"),
        pytest.param(cluster(told_by_api(6.4)), "gap", id="only the API servers tell a size near 8 GiB"),
        pytest.param(cluster(told_by_api(6.3)), "clear", id="a smaller one"),
        pytest.param(cluster(etcd("etcd_fsync", 0.01)), "gap", id="a slow log"),
        pytest.param(cluster(etcd("etcd_fsync", 0.009)), "clear", id="a fast log"),
        pytest.param(cluster(etcd("etcd_commit", 0.025)), "gap", id="slow commits"),
        pytest.param(cluster(etcd("etcd_commit", 0.024)), "clear", id="fast commits"),
        pytest.param(cluster(etcd("etcd_leader_changes", 4)), "gap", id="the leader changes"),
        pytest.param(cluster(etcd("etcd_leader_changes", 3)), "clear", id="three members restarted one by one"),
        pytest.param(cluster(), "clear", id="nothing measured is near a limit"),
        pytest.param(facts(), "unknown", id="a managed control plane offers nothing"),
        pytest.param(facts(told_by_api(2)), "unknown", id="a managed control plane tells a small size"),
        pytest.param(facts(told_by_api(7)), "gap", id="a managed control plane tells a large size"),
        pytest.param(facts(*WATCHED[1:]), "unknown", id="nothing tells of the size"),
        pytest.param(cluster(unread=(EtcdLoad,)), "unknown", id="load is unread"),
        pytest.param(cluster(unread=(Exported,)), "unknown", id="what is published is unread"),
        pytest.param(cluster(etcd("etcd_size", 90), unread=(Exported,)), "gap", id="a gap shows whatever is unread"),
    ],
)
def test_an_etcd_without_room_is_a_gap(given: Facts, status: str):
    assert CHECK.run(given).status == status


@pytest.mark.parametrize(
    ("quantity", "value", "severity"),
    [
        ("etcd_size", 94, Severity.MEDIUM),
        ("etcd_size", 95, Severity.HIGH),
        ("etcd_fsync", 0.4, Severity.LOW),
        ("etcd_fsync", 0.5, Severity.HIGH),
        ("etcd_commit", 0.2, Severity.LOW),
        ("etcd_commit", 0.25, Severity.HIGH),
        ("etcd_leader_changes", 9, Severity.MEDIUM),
    ],
)
def test_beyond_the_alarms_of_etcd_itself_it_is_grave(quantity: str, value: float, severity: Severity):
    (finding,) = CHECK.run(cluster(etcd(quantity, value))).findings

    assert (finding.severity, finding.confidence) == (severity, Confidence.LIKELY)
    assert (str(finding.subject), finding.key) == ("Component/etcd", f"kube-etcd/{quantity}")


def test_a_full_database_says_what_defragmentation_would_bring():
    rows = (etcd("etcd_size", 90), etcd("etcd_in_use", 30), etcd("etcd_in_use", 70, "other"), etcd("etcd_fsync", 0.02))

    size, log = CHECK.run(cluster(*rows)).findings

    assert size.evidence == {"metrics.etcd_size": 90, "metrics.etcd_in_use": 30}
    assert size.says.en == (
        "size of the database beside its quota: 90 (percent); part of the database that holds keys; the rest is free "
        "and comes back by defragmentation: 30 (percent) (kube-etcd)"
    )
    assert log.evidence == {"metrics.etcd_fsync": 0.02}


def test_what_etcd_itself_tells_goes_before_what_the_api_servers_tell():
    (finding,) = CHECK.run(cluster(etcd("etcd_size", 90), told_by_api(7.2))).findings
    assert "metrics.etcd_size" in finding.evidence


def test_a_size_beside_a_quota_that_is_not_known_is_a_hint():
    (finding,) = CHECK.run(cluster(etcd("etcd_size", 45), told_by_api(7.2))).findings

    assert (finding.confidence, finding.key) == (Confidence.HINT, "/etcd_size_by_api")
    assert finding.says.en.endswith("without a quota: 7.2 (GiB)")


def test_what_came_of_a_group_shows_though_a_part_of_it_did_not():
    verdict = CHECK.run(cluster().but(EtcdLoad, Partial((etcd("etcd_size", 99),), (forbidden(EtcdLoad),))))

    assert (verdict.status, verdict.unread) == ("gap", (forbidden(EtcdLoad),))


def test_an_owner_may_set_another_limit():
    assert CHECK.run(cluster(etcd("etcd_fsync", 0.02)), {"etcd_headroom_etcd_fsync": 0.05}).status == "clear"
