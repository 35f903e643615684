"""What facts and signal tables say together, so that no rule repeats it."""
