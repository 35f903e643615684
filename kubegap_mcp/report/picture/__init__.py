"""A small picture of a throughput series with its marks, as SVG and as PNG: one scene, drawn twice."""
