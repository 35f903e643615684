"""Data that leaves the fast tier while a job reads it."""
