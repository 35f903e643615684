"""Versions of drivers, firmware and hosts that differ, are not pinned, or are known to be bad."""
