"""Settings from a command's words, then the environment; loads nothing heavy, since `serve` starts with it."""

import argparse
import locale
import os

from kubegap_checks.text import Lang, Text
from kubegap_mcp.cli.config import Config, read_config
from kubegap_mcp.cli.metrics_choice import MetricsChoice, from_environment, settings_of
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.settings import MetricsSettings
from kubegap_mcp.settings import Settings


def settings_from(arguments: argparse.Namespace) -> Settings:
    given = vars(arguments)
    config = read_config(given.get("config"))
    return Settings(
        kubeconfig=given.get("kubeconfig"),
        context=given.get("context"),
        namespace=given.get("namespace"),
        snapshot=given.get("snapshot"),
        demo=bool(given.get("demo")),
        lang=given.get("lang") or language(),
        deadline_s=given.get("deadline"),
        show_names=bool(given.get("show_names")),
        trace=given.get("trace"),
        thresholds=config.thresholds,
        silences=config.silences,
        incidents=(*config.incidents, *(given.get("incidents") or ())),
        metrics=_metrics(arguments, config),
    )


def _metrics(arguments: argparse.Namespace, config: Config) -> MetricsSettings | None:
    """What is recorded or made up has its metrics in itself, or none."""
    given = vars(arguments)
    words = MetricsChoice(url=given.get("prometheus") or "", service=given.get("prometheus_service") or "")
    if not (given.get("snapshot") or given.get("demo")):
        return settings_of(words, from_environment(), config.prometheus)
    if words.names_one:
        raise ConfigError(
            Text(
                en="--prometheus is about a cluster that runs: leave it out with --snapshot and --demo",
                ko="--prometheus는 실행 중인 클러스터에만 쓸 수 있음. --snapshot이나 --demo와 함께라면 뺀다",
            )
        )
    return None


def language() -> Lang:
    """KUBEGAP_LANG, else the locale, else English; a value that is neither en nor ko counts as not set."""
    for value in (os.environ.get("KUBEGAP_LANG", ""), _locale()):
        if value[:2].lower() == "ko":
            return "ko"
        if value[:2].lower() == "en":
            return "en"
    return "en"


def _locale() -> str:
    # The variables before locale.getlocale(): it knows only locales that this machine has installed.
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return value
    try:
        return locale.getlocale()[0] or ""
    except ValueError:
        return ""
