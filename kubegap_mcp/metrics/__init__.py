"""What a Prometheus-compatible source tells beside the objects: asked with GET only, and read into facts."""
