"""API objects -> records."""
