"""Node agents that ask the API server about the whole cluster."""

from dataclasses import dataclass
from functools import cache

from kubegap_checks.signals.tables import Filled, Regex, Row, read


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiClient(Row):
    """Images match in full what stands before the tag; `fan_out_name` is a Deployment's, where an image holds more.

    `fan_out_<limit>` is a threshold in nodes.
    """

    product: Filled
    image: Regex
    fan_out: Filled
    fan_out_image: Regex
    limit: Filled
    fan_out_name: Regex | None = None


@cache
def api_clients() -> tuple[ApiClient, ...]:
    return read("api_clients.yaml", ApiClient)
