"""The marks of what a snapshot keeps: they tell each thing that a later kubegap could read and an older one drops."""

import pytest

from kubegap_checks.facts.nodes import Node
from kubegap_checks.facts.read import Record
from kubegap_checks.signals.labels import labels
from kubegap_mcp.foreign.clean import Names
from kubegap_mcp.kube.gather.fields import kept
from kubegap_mcp.kube.gather.kind import KindGatherer, keep_name
from kubegap_mcp.kube.gather.lenient import Losses
from kubegap_mcp.kube.gather.registry import gatherers
from kubegap_mcp.kube.gather.shape import kept_of
from kubegap_mcp.kube.wire.meta import Meta, Top, Wire

THIS = f"{__name__}."


class Spec(Wire):
    replicas: int | None = None


class Longer(Spec):
    node_name: str | None = None


class Thing(Top):
    spec: Spec | None = None


class LongerThing(Top):
    spec: list[Longer] | None = None


_FEW = ("known/",)


def reduce_more(item: Thing, names: Names, losses: Losses) -> Thing:  # noqa: ARG001
    meta = item.metadata
    item.metadata = Meta(name=meta.name, creation_timestamp=meta.creation_timestamp)
    return item


def reduce_with_annotations(item: Thing, names: Names, losses: Losses) -> Thing:  # noqa: ARG001
    item.metadata = Meta(name=item.metadata.name, annotations=kept(item.metadata.annotations, _is_known))
    return item


def reduce_by_table(item: Thing, names: Names, losses: Losses) -> Thing:  # noqa: ARG001
    item.metadata = Meta(annotations=kept(item.metadata.annotations, lambda text: text in map(str, labels())))
    return item


def _is_known(text: str) -> bool:
    return text.startswith(_FEW)


@pytest.fixture(autouse=True)
def _of_this_module_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubegap_mcp.kube.gather.shape._GATHER", ("kubegap_mcp.kube.gather.", THIS.rstrip(".")))


def test_a_field_of_the_wire_struct_is_a_mark():
    more = kept_of(LongerThing, keep_name) - kept_of(Thing, keep_name)

    assert more == {".spec.nodeName"}


def test_a_field_that_reduce_leaves_is_a_mark():
    assert kept_of(Thing, reduce_more) - kept_of(Thing, keep_name) == {"reduce creation_timestamp"}


def test_a_name_that_reduce_picks_is_a_mark():
    assert kept_of(Thing, reduce_with_annotations) >= {"reduce annotations", "picks known/"}


def test_the_rows_of_a_table_that_reduce_asks_are_marks_but_for_those_of_what_is_kept_whole():
    kept = kept_of(Thing, reduce_by_table)

    for row in labels():
        assert (f"picks {row.key.pattern}" in kept) is (row.where == "annotation"), row.key


@pytest.mark.parametrize("record", gatherers(), ids=lambda record: record.__name__)
def test_every_kind_has_marks_that_hold_from_one_process_to_the_next(record: type[Record]):
    gatherer = gatherers()[record]

    assert len(gatherer.marks) > 3
    assert all(len(mark) == 6 for mark in gatherer.marks)
    assert gatherer.marks == gatherers(show_names=True)[record].marks


def test_what_a_node_keeps_is_told_by_all_that_chooses_it():
    gatherer = gatherers()[Node]

    assert isinstance(gatherer, KindGatherer)
    assert kept_of(gatherer.wire, gatherer.reduce) >= {
        ".spec.taints.timeAdded",
        "reduce deletion_timestamp",
        "picks sriovnetwork.openshift.io/",
        r"picks weka\.io/weka-(?:shared-)?drives",
    }
