"""The catalogue of gap checks: pure rules over typed facts, with no I/O below this line."""
