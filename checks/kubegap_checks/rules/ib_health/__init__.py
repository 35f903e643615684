"""The fabric between GPU nodes, whatever its kind."""
