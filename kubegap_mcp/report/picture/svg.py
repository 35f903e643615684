"""The scene as SVG: text alone, so that it costs no library."""

from html import escape

from kubegap_mcp.report.picture.scene import BOTTOM, HEIGHT, TOP, WIDTH, Scene

_STYLE = (
    "text{font:11px sans-serif;fill:#444}.curve{stroke:#1f5fa8;stroke-width:1.2}.axis{stroke:#999}"
    ".since{stroke:#c0392b;stroke-dasharray:4 3}.expected{stroke:#2e7d32;stroke-dasharray:2 3}"
    "text.since{fill:#c0392b;stroke:none}text.expected{fill:#2e7d32;stroke:none}text.axis{stroke:none}"
)


def svg(scene: Scene) -> str:
    """One SVG document; every text in it is escaped."""
    bands = [
        f'<rect x="{band.left}" y="{TOP}" width="{band.right - band.left:.1f}" height="{HEIGHT - BOTTOM - TOP}" '
        'fill="#f6d5d0"/>'
        for band in scene.bands
    ]
    lines = [
        f'<polyline class="{line.role}" fill="none" points="{" ".join(f"{x},{y}" for x, y in line.points)}"/>'
        for line in scene.lines
    ]
    labels = [
        f'<text class="{label.role}" x="{label.x}" y="{label.y}" text-anchor="{label.anchor}">'
        f"{escape(label.text)}</text>"
        for label in scene.labels
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
        f'<style>{_STYLE}</style><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f"{''.join([*bands, *lines, *labels])}</svg>"
    )
