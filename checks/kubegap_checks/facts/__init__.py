"""What can be seen of a cluster, as frozen records, and what could not be seen."""
