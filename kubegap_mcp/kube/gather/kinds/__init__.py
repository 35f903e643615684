"""The kinds that kubegap reads: a module here is registered by being there, with its gatherers in `GATHERERS`."""
