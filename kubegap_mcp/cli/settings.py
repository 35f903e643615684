"""Settings from a command's words, then the environment; loads nothing heavy, since `serve` starts with it."""

import argparse
import locale
import os

from kubegap_checks.text import Lang
from kubegap_mcp.cli.config import read_config
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
    )


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
