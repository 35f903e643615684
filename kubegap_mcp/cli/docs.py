"""`kubegap docs`: pages made from metadata, so that none is written twice."""

import argparse
import sys

from kubegap_checks.text import Text
from kubegap_mcp import docs
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.report.markdown import MADE

STALE = 1


def run(arguments: argparse.Namespace) -> int:
    pages = docs.render()
    stale = [name for name, text in pages.items() if not docs.is_current(arguments.output / name, text)]
    outlived = docs.outlived(arguments.output, pages)
    if arguments.check:
        for path in (*(arguments.output / name for name in stale), *outlived):
            sys.stderr.write(f"kubegap: {path} is not current: run kubegap docs\n")
        return STALE if stale or outlived else 0
    for path in (arguments.output / name for name in stale):
        if path.exists() and MADE not in path.read_text(encoding="utf-8", errors="replace"):
            raise ConfigError(
                Text(
                    en=f"{path} was not made by kubegap docs and stays: name another folder by --output",
                    ko=f"{path}: kubegap docs가 만든 파일이 아니어서 그대로 둠. --output으로 다른 폴더를 지정한다",
                )
            )
    for name in stale:
        path = arguments.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages[name], encoding="utf-8", newline="\n")
        sys.stdout.write(f"{path}\n")
    for path in outlived:
        path.unlink()
        sys.stdout.write(f"{path} removed\n")
    return 0
