"""Every shape that can be told has its row, and every incident in it exists."""

import datetime as dt
from typing import get_args

import pytest

from kubegap_checks.signals.shapes import ShapeRow, shapes
from kubegap_checks.throughput.kinds import ShapeId
from kubegap_incidents import library

LIBRARY = library.load(dt.date(2026, 11, 29))
ROWS = tuple(shapes().values())


def test_every_shape_has_a_row_and_every_row_a_shape():
    assert set(shapes()) == set(get_args(ShapeId))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_every_incident_is_in_the_library(row: ShapeRow):
    assert {precedent.id for precedent in row.incidents} <= set(LIBRARY.ids())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_every_shape_but_a_doubt_has_a_precedent_and_a_next_step(row: ShapeRow):
    assert bool(row.incidents) is (row.id != "unclear")
    assert row.next
