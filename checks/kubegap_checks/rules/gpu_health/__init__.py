"""GPUs that are gone, faulty or out of service."""
