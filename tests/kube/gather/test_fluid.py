import json

import pytest

from kubegap_checks.facts.storage import FluidDataset
from kubegap_mcp.kube.gather.registry import gatherers

GATHERER = gatherers()[FluidDataset]


def one(**parts):
    body = json.dumps({"metadata": {"name": "d", "namespace": "ns"}, **parts}).encode()
    page = GATHERER.objects([body])
    assert len(page.rows) + page.invalid == 1
    return next(iter(page.rows), None)


def test_every_field_is_taken():
    assert one(status={"ufsTotal": "28.78GiB", "cacheStates": {"cacheCapacity": "10.00GiB"}}) == FluidDataset(
        namespace="ns", name="d", total=30902289695, capacity=10 * 2**30
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0.00B", 0),
        ("390.2MiB", 409154355),
        ("512KiB", 512 * 1024),
        ("100GB", 100 * 10**9),
        ("1.5TiB", 3 * 2**39),
        ("42", 42),
        ("[Calculating]", None),
        ("", None),
        ("-1GiB", None),
        ("1e9", None),
        ("many GiB", None),
    ],
)
def test_a_size_for_people_is_bytes_and_words_are_not_known(text, size):
    assert one(status={"ufsTotal": text}).total == size


def test_nothing_counted_is_not_known():
    assert one() == FluidDataset(namespace="ns", name="d")
    assert one(status={"cacheStates": {}}) == FluidDataset(namespace="ns", name="d")


def test_a_snapshot_keeps_the_sizes_and_not_where_the_data_is():
    spec = {"mounts": [{"mountPoint": "s3://example-bucket", "name": "m"}]}
    (kept,) = GATHERER.prune(
        json.dumps(
            {"items": [{"metadata": {"name": "d", "namespace": "ns"}, "spec": spec, "status": {"ufsTotal": "1GiB"}}]}
        ).encode()
    ).objects
    assert b"example-bucket" not in kept
    assert b"1GiB" in kept
