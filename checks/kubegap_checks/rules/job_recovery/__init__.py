"""Runs that could not go on after the next fault."""
