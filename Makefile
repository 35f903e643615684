# Each target does all of its own set-up in .venv (scripts/setup.sh) and reinstalls only when pyproject.toml changed.
# ARGS goes to the program that the target runs: make test ARGS="-k storage", make demo ARGS="--format json".

unexport PYTHONHOME PYTHONPATH

bin := .venv/bin
setup := @sh scripts/setup.sh

.PHONY: help demo test agents conformance distribution mutants soak hostile check docs bench

help: ## list the targets (the default)
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' Makefile

demo: ## audit the packaged demo cluster; installs no development tools
	$(setup)
	@$(bin)/kubegap audit --demo $(ARGS)

test: ## run the tests; a skipped test says why
	$(setup) test
	@$(bin)/python -m pytest -n auto -rs $(ARGS)

agents: ## drive the real Claude Code, Codex and Gemini CLI against stand-ins for their models
	$(setup) agents
	@sh scripts/clients.sh
	@$(bin)/python -m pytest -n auto -rs tests/agents $(ARGS)

conformance: ## MCP Inspector and the official conformance suite
	$(setup) agents
	@sh scripts/clients.sh
	@$(bin)/python -m pytest -n auto -rs tests/conformance $(ARGS)

distribution: ## install the wheel and the sdist as people do, and have the plugin and the bundle judged
	$(setup) agents
	@sh scripts/clients.sh
	@$(bin)/python -m pytest -rs tests/distribution $(ARGS)

mutants: ## take away each guard of each rule, and see the rule's own tests fail; ARGS=topic or topic.rule
	$(setup) test
	@$(bin)/python -m tests.mutants $(ARGS)

soak: ## ten minutes of random faults and parallel calls, and what they leave behind; ARGS=seconds
	$(setup) test
	@$(bin)/python -m tests.soak $(ARGS)

hostile: ## every hostile value in every field, and longer fuzzing (minutes)
	$(setup) test
	@HOSTILE=all $(bin)/python -m pytest -n auto -q tests/hostile $(ARGS)

check: ## lint, format, types and import contracts
	$(setup) lint
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/basedpyright --pythonpath $(bin)/python
	$(bin)/lint-imports

docs: ## write the generated pages of docs/ anew, and the versions and roles in packaging/
	$(setup)
	@$(bin)/kubegap docs $(ARGS)
	@$(bin)/python scripts/make_packaging.py

bench: ## time the start of the server, the incident search, and audits of up to 5,000 nodes; ARGS="--write" writes the page
	$(setup) test
	@$(bin)/python benchmarks/startup.py
	@$(bin)/python benchmarks/search.py
	@$(bin)/python benchmarks/shapes.py
	@$(bin)/python benchmarks/metrics.py
	@$(bin)/python -m benchmarks.scale $(ARGS)
