"""Logging goes to stderr alone: stdout belongs to the protocol."""

import logging
import os
import sys

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def configure_logging() -> None:
    """Warnings and worse, or what KUBEGAP_LOG says, but never a cluster's address.

    Comes before the SDK's own set-up, which then does nothing.
    """
    wanted = os.environ.get("KUBEGAP_LOG", "WARNING").upper()
    known = wanted in _LEVELS
    logging.basicConfig(
        stream=sys.stderr,
        level=wanted if known else "WARNING",
        format="%(levelname)s %(name)s: %(message)s",
    )
    for transport in ("urllib3", "kubernetes"):  # their lines name the server's address and hold its answers
        logging.getLogger(transport).setLevel("ERROR")
    if not known:
        logging.getLogger(__name__).warning("KUBEGAP_LOG must be one of %s; it is ignored", ", ".join(_LEVELS))
