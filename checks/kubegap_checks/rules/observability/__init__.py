"""Faults and slowdowns that nobody would see or be told of."""
