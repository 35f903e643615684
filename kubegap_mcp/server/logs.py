"""Logging goes to stderr alone, since stdout belongs to the protocol, and as one JSON object a line."""

import json
import logging
import os
from datetime import UTC, datetime

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class JsonLine(logging.Formatter):
    """Whatever a message holds, line ends and control characters among it, stays within its line."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told)


def configure_logging() -> None:
    """Warnings and worse, or what KUBEGAP_LOG says, but never a cluster's address.

    Comes before the SDK's own set-up, which then does nothing.
    """
    wanted = os.environ.get("KUBEGAP_LOG", "WARNING").upper()
    known = wanted in _LEVELS
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLine())
    logging.basicConfig(handlers=[handler], level=wanted if known else "WARNING")
    logging.captureWarnings(capture=True)
    for transport in ("urllib3", "kubernetes"):  # their lines name the server's address and hold its answers
        logging.getLogger(transport).setLevel("ERROR")
    if not known:
        logging.getLogger(__name__).warning("KUBEGAP_LOG must be one of %s; it is ignored", ", ".join(_LEVELS))
