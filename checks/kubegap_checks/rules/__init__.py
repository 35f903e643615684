"""One folder a topic, one file a gap."""
