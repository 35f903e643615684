"""Gaps of the control plane, and of what every pod needs of it: admission, DNS, certificates, node agents."""
