"""What the alerts of a cluster are about, and which of them a Prometheus evaluates."""

from collections.abc import Iterator

from msgspec import Struct

from kubegap_checks.facts.monitoring import Prometheus, PrometheusRule, ThanosRuler
from kubegap_checks.facts.read import Facts
from kubegap_checks.signals.alert_words import About, about


class Alerts(Struct, frozen=True, kw_only=True):
    """All rules of one reading: `evaluated` may be loaded by something that evaluates rules, `idle` by nothing."""

    evaluated: tuple[PrometheusRule, ...]
    idle: tuple[PrometheusRule, ...]

    @property
    def count(self) -> int:
        """How many alerts are evaluated."""
        return sum(rule.alerts for rule in self.evaluated)

    def tells_of(self, what: About) -> bool:
        """Whether an alert is about it, or a recording rule is that an alert may rest on."""
        return any(what in about(word) for rule in self.evaluated for word in (*rule.alerted, *rule.recorded))

    def alerts_on(self, what: About) -> Iterator[str]:
        """The words by which alerts are about it."""
        return (word for rule in self.evaluated for word in sorted(rule.alerted) if what in about(word))

    def idle_about(self, what: About) -> PrometheusRule | None:
        """The first rule whose alerts are about it and that nothing evaluates."""
        return next((rule for rule in self.idle if any(what in about(word) for word in rule.alerted)), None)


def alerts(facts: Facts) -> Alerts:
    """UnreadError where the rules or what evaluates them could not be read."""
    evaluators: tuple[Prometheus | ThanosRuler, ...] = (*facts.known(Prometheus), *facts.known(ThanosRuler))
    rules = facts.known(PrometheusRule)
    loaded = {
        (rule.namespace, rule.name)
        for rule in rules
        if not evaluators or any(one.rules.may_take(rule.labels, rule.namespace, one.namespace) for one in evaluators)
    }
    return Alerts(
        evaluated=tuple(rule for rule in rules if (rule.namespace, rule.name) in loaded),
        idle=tuple(rule for rule in rules if (rule.namespace, rule.name) not in loaded),
    )
