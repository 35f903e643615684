"""What quantities say of each other and of exporters is there, and can be told."""

from kubegap_checks.signals.quantities import (
    cluster_labels,
    exporter,
    metric_exporters,
    place,
    quantities,
    quantity,
    unit,
)

IDS = {one.id for one in metric_exporters()}


def test_what_is_essential_for_a_vendor_is_published_by_its_exporter():
    for one in quantities():
        publishing = {exporter(series.exporter).expected for series in one.series}
        assert set(one.essential_for) <= publishing, one.id


def test_what_a_quantity_covers_is_of_its_group():
    for one in quantities():
        assert {quantity(covered).group for covered in one.covers} <= {one.group}, one.id


def test_what_refutes_a_quantity_is_published_by_an_exporter_of_it():
    for one in quantities():
        assert {it.exporter for it in one.unless} <= {series.exporter for series in one.series}, one.id


def test_exporters_that_write_the_label_of_a_cluster_are_in_the_table():
    assert {name for row in cluster_labels() for name in row.own} <= IDS
    assert len({row.label for row in cluster_labels()}) == len(cluster_labels())


def test_a_prefix_makes_names_beside_those_without_it():
    names = [series.name for series in quantity("ecc_uncorrectable").series]
    assert names[-2:] == ["gpu_ecc_uncorrect_total", "amd_gpu_ecc_uncorrect_total"]
    assert not any(name.startswith("amd_DCGM") for name in names)
    assert exporter("amd_exporter").witness == ("gpu_nodes_total", "amd_gpu_nodes_total")


def test_causes_stand_before_what_they_lead_to():
    """Heat and the power brake slow the hardware down, and that costs time below the wanted clock."""
    chains = (
        ("power_brake", "hw_thermal", "hw_slowdown", "thermal_violation"),
        ("read_latency", "gpu_temperature", "sm_clock", "tensor_active"),
        ("xid", "ecc_uncorrectable"),
        ("link_downed", "link_error_recovery", "port_receive_errors"),
        ("etcd_size", "etcd_in_use"),
        ("claim_bytes", "claim_days_left"),
    )
    for chain in chains:
        assert sorted(chain, key=place) == list(chain)


def test_what_increase_estimates_is_told_in_whole_numbers_and_rates_are_not():
    for one in quantities():
        whole = unit(one).whole
        estimated = any("increase(" in (series.expr or one.expr) for series in one.series)
        assert not whole or estimated, one.id
        if one.unit.startswith("per "):
            assert not whole, one.id
    assert unit(quantity("link_downed")).whole
    assert not unit(quantity("rows_remapped_uncorrectable")).whole
