"""The picture shows the curve and its marks, the same each time, and lets no name act as markup."""

import io
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from kubegap_checks.throughput.kinds import Shape
from kubegap_checks.throughput.series import Series
from kubegap_checks.throughput.shape import shape_of
from kubegap_mcp.report.picture.png import png
from kubegap_mcp.report.picture.scene import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Scene, scene_of
from kubegap_mcp.report.picture.svg import svg
from tests.checks.throughput.drawn import SHAPES, draw

HOSTILE = '"/><script>alert(1)</script>&#x202e;\ud83d\ude00 학습'.encode("utf-16", "surrogatepass").decode("utf-16")


def _drawn(label: str = "repeated_collapses", seed: int = 2) -> tuple[Series, Shape]:
    series = draw(label, seed).series
    return series, shape_of(series)


def _scene(title: str = "tokens_per_second") -> Scene:
    series, shape = _drawn()
    return scene_of(series, shape, title=title, expected=500.0)


def test_it_marks_each_dip_the_onset_and_what_was_expected():
    _, shape = _drawn()
    scene = _scene()
    assert len(scene.bands) == len(shape.dips)
    roles = [line.role for line in scene.lines]
    assert (roles.count("since"), roles.count("expected"), roles.count("axis")) == (1, 1, 2)
    assert {"tokens_per_second", "expected", "0"} <= {label.text for label in scene.labels}


@pytest.mark.parametrize("label", SHAPES)
def test_everything_lies_within_the_plot(label: str):
    series, shape = _drawn(label)
    scene = scene_of(series, shape, title="x")
    points = [point for line in scene.lines for point in line.points]
    assert all(LEFT <= x <= WIDTH - RIGHT + 1 and TOP <= y <= HEIGHT - BOTTOM for x, y in points)
    assert all(LEFT <= band.left < band.right <= WIDTH - RIGHT + 1 for band in scene.bands)


def test_the_curve_is_broken_where_samples_are_missing():
    series = Series(0.0, 60, (*[5.0] * 50, *[None] * 50, *[5.0] * 50, None, 4.0, None))
    scene = scene_of(series, shape_of(series), title="x")
    assert sum(line.role == "curve" for line in scene.lines) == 3


def test_a_dip_of_one_sample_among_thousands_is_seen():
    values = [10.0] * 5000
    values[2500] = 1.0
    series = Series(0.0, 15, tuple(values))
    scene = scene_of(series, shape_of(series), title="x")
    [curve] = [line for line in scene.lines if line.role == "curve"]
    assert max(y for _, y in curve.points) > 0.8 * (HEIGHT - BOTTOM)
    assert len(curve.points) < 4 * WIDTH


def test_a_name_stays_text_in_svg():
    root = ET.fromstring(svg(_scene(HOSTILE)))  # noqa: S314 (our own output, and it must parse)
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert HOSTILE[:40] in "".join(root.itertext())


def test_the_same_scene_gives_the_same_bytes():
    assert svg(_scene()) == svg(_scene())
    assert png(_scene()) == png(_scene())


@pytest.mark.parametrize("title", ["tokens_per_second", HOSTILE, ""])
def test_png_is_small_and_shows_the_marks(title: str):
    picture = png(_scene(title))
    assert len(picture) < 12_000
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    assert image.size == (WIDTH, HEIGHT)
    colours = {colour for _, colour in image.getcolors(WIDTH * HEIGHT) or []}
    assert {(192, 57, 43), (246, 213, 208), (46, 125, 50)} <= colours


def test_an_empty_series_has_a_picture():
    series = Series(0.0, 60, (None,) * 20)
    assert png(scene_of(series, shape_of(series), title="x"))
