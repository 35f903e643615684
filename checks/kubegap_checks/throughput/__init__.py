"""What shape a throughput series has, since when, and what moved with it; pure, like the rest of the package."""
