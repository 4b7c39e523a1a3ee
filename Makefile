# `make` prints this help. Every recipe is one line or a script of its own.
SHELL := /bin/bash
.DEFAULT_GOAL := help
# Another environment, with another Python: make test-fast VENV=.venv-3.13 PYTHON=python3.13
VENV ?= .venv
export VENV PYTHON
PY := $(VENV)/bin/python
T ?= tests
# Many tests wait for processes that they started: two more runners than processors keep all of these busy.
export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
# Compiled test modules are kept: compiling them takes every runner longer than importing them.
test test-fast: export PYTHONDONTWRITEBYTECODE =

##@ Every day
run: $(VENV)/.runtime ## start everything on http://127.0.0.1:8000
	@$(PY) -m app serve
stdio: $(VENV)/.runtime ## the stdio server (key in MINDSAI_API_KEY)
	@$(PY) -m mcp_server.stdio
test: $(VENV)/.test .venv/.node ## the whole test suite (T=path for a part)
	@$(PY) -m pytest -n auto --dist worksteal $(T)
test-fast: $(VENV)/.test ## the part without browsers, child processes, PostgreSQL and long tests
	@$(PY) -m pytest -n auto --dist worksteal -m "not slow" $(T)
test-newer: ## a part of that on each newer Python that is here
	@scripts/test-newer

##@ Before you push
check: $(VENV)/.test ## format, lint, types, import contracts
	@scripts/check
fix: $(VENV)/.test ## format and mend what can be mended
	@$(PY) -m ruff check --fix-only -q . ; $(PY) -m ruff format -q .
snapshots: $(VENV)/.test .venv/.node ## accept the tool schemas, what they cost, and the raw HTTP exchanges as they are now
	@$(PY) -m tests.snapshots
	@$(PY) -m tests.exchanges.record
conformance: $(VENV)/.test .venv/.node ## the official MCP conformance suite
	@$(PY) -m tests.conformance
fuzz: $(VENV)/.test ## hostile input by grammar and by coverage (N=examples of each test)
	@scripts/fuzz $(or $(N),2000)
bench: $(VENV)/.bench bench/peers/typescript/node_modules ## side by side with the peers, and search; writes var/bench/latest.json
	@$(PY) -m bench
	@$(PY) -m bench.search

bench-count: $(VENV)/.bench ## user instructions a call, counted by valgrind
	@$(PY) -m bench.count

##@ Rare
lock: ## compile the hash-pinned requirement files (needs uv)
	@scripts/lock
clean: ## remove the environment and what the tests wrote
	@rm -rf .venv .venv-* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache tests/clients/node_modules

$(VENV)/.runtime: requirements/runtime.txt pyproject.toml
	@scripts/environment runtime
$(VENV)/.test: requirements/test.txt pyproject.toml
	@scripts/environment test
$(VENV)/.bench: requirements/bench.txt pyproject.toml
	@scripts/environment bench
bench/peers/typescript/node_modules: bench/peers/typescript/package-lock.json
	@npm ci --prefix $(@D) --no-audit --no-fund --loglevel=error && touch $@
.venv/.node: tests/clients/package-lock.json
	@scripts/node

help:
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run stdio test test-fast test-newer check fix snapshots conformance fuzz bench bench-count lock clean help
