import json
from pathlib import Path

import pytest

from kubegap_checks.facts.node_classes import EC2NodeClass
from kubegap_mcp.kube.gather.registry import gatherers

WHOLE = Path(__file__).parent / "whole"
GATHERER = gatherers()[EC2NodeClass]


def one(found):
    page = GATHERER.objects([json.dumps({"metadata": {"name": "gpu"}, **found}).encode()])
    assert not page.invalid
    return page.rows[0]


def test_a_class_tells_the_aliases_of_its_images():
    whole = json.loads((WHOLE / "EC2NodeClass.json").read_text())

    assert one(whole) == EC2NodeClass(name="gpu", image_aliases=("al2023@latest",))


@pytest.mark.parametrize(
    "found",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"spec": {"amiSelectorTerms": [{"id": "ami-0"}, {"name": "gpu-*"}]}}, id="an id, a name"),
    ],
)
def test_an_image_without_an_alias_is_left_out(found):
    assert one(found).image_aliases == ()


def test_a_snapshot_keeps_no_user_data():
    spec = {"userData": "s3cret", "role": "s3cret", "amiSelectorTerms": [{"alias": "al2023@latest", "owner": "s3cret"}]}
    body = json.dumps({"items": [{"metadata": {"name": "gpu", "labels": {"a": "s3cret"}}, "spec": spec}]}).encode()

    (pruned,) = GATHERER.prune(body).objects

    assert b"s3cret" not in pruned
    assert GATHERER.objects([pruned]).rows == GATHERER.page(body).rows
