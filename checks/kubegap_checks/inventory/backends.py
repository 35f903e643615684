"""Which controllers make the pods behind a Service."""

from collections.abc import Mapping

from kubegap_checks.facts.admission import Service
from kubegap_checks.facts.controllers import DaemonSet, Deployment, StatefulSet
from kubegap_checks.facts.read import Facts

Backend = DaemonSet | Deployment | StatefulSet


class Backends:
    """Services and the controllers behind them; UnreadError where one of their kinds could not be read."""

    def __init__(self, facts: Facts) -> None:
        services = facts.known(Service)
        self._selectors = {(service.namespace, service.name): service.selector for service in services}
        self._controllers: tuple[Backend, ...] = (
            *facts.known(Deployment),
            *facts.known(StatefulSet),
            *facts.known(DaemonSet),
        )

    def exists(self, service: tuple[str, str]) -> bool:
        return service in self._selectors

    def behind(self, service: tuple[str, str]) -> tuple[Backend, ...]:
        """Those whose pods the Service selects; none where something else makes its endpoints."""
        selector = self._selectors.get(service, {})
        return tuple(
            controller
            for controller in self._controllers
            if controller.namespace == service[0] and selector and _selects(selector, controller.template.labels)
        )


def copies(controller: Backend) -> int:
    """How many pods it should run."""
    return controller.desired if isinstance(controller, DaemonSet) else controller.replicas


def _selects(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in selector.items())
