"""HTTP that ends in time and passes a gate: what reading a cluster and asking a metrics source have in common."""
