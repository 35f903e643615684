#!/bin/sh
# Installs the agents and protocol tools that tests/agents and tests/conformance drive, in the versions of
# tests/agents/clients/package-lock.json. Says nothing when they are in place. About 1.1 GB, below that folder.
#
# npm and Node come from .venv (dependency group agents): what distributions have is too old for these programs.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root/tests/agents/clients"
stamp=node_modules/kubegap-installed
if [ -f "$stamp" ] && cat package.json package-lock.json | cmp -s - "$stamp"; then
    exit 0
fi

# A company's own certificate authority is one of the machine's, not one of Node's.
export NODE_USE_SYSTEM_CA="${NODE_USE_SYSTEM_CA-1}"
printf 'kubegap: installing the clients under test (npm)\n' >&2
rm -f "$stamp"
# Install scripts stay off: they would build terminals and key rings that no test needs. Claude Code's own puts its
# program in place, and is called by name.
"$root/.venv/bin/npm" install --ignore-scripts --no-save --no-audit --no-fund --loglevel=error >&2
"$root/.venv/bin/node" node_modules/@anthropic-ai/claude-code/install.cjs >&2
cat package.json package-lock.json >"$stamp"
