"""The scene as PNG: clients show a model no other kind of picture."""

import io

from kubegap_mcp.report.picture.scene import BOTTOM, HEIGHT, TOP, WIDTH, Role, Scene

_COLOURS: dict[Role, str] = {
    "curve": "#1f5fa8",
    "axis": "#999999",
    "since": "#c0392b",
    "expected": "#2e7d32",
    "dip": "#f6d5d0",
}
_TEXT = "#444444"
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
_FONT_SIZE = 11


def png(scene: Scene) -> bytes:
    """The same bytes for the same scene."""
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415 (needed for one answer in many)

    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(_FONT_SIZE)
    for band in scene.bands:
        draw.rectangle((band.left, TOP, band.right, HEIGHT - BOTTOM), fill=_COLOURS[band.role])
    for line in scene.lines:
        draw.line(line.points, fill=_COLOURS[line.role], width=1)
    for label in scene.labels:
        colour = _TEXT if label.role == "axis" else _COLOURS[label.role]
        draw.text((label.x, label.y), label.text, fill=colour, font=font, anchor=_ANCHORS[label.anchor])
    written = io.BytesIO()
    image.save(written, format="PNG", optimize=True)
    return written.getvalue()
