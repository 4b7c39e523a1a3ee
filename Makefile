# `make` prints this help. Every recipe is one line or a script of its own.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PY := .venv/bin/python
T ?= tests
# Many tests wait for processes that they started: one more runner than processors keeps all of them busy.
export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# Compiled test modules are kept: compiling them takes every runner longer than importing them.
test test-fast: export PYTHONDONTWRITEBYTECODE =

##@ Every day
run: .venv/.runtime ## start everything on http://127.0.0.1:8000
	@$(PY) -m app serve
stdio: .venv/.runtime ## the stdio server (key in MINDSAI_API_KEY)
	@$(PY) -m mcp_server.stdio
test: .venv/.test .venv/.node ## the whole test suite (T=path for a part)
	@$(PY) -m pytest -n auto --dist worksteal $(T)
test-fast: .venv/.test ## the part without browsers, child processes, PostgreSQL and long tests
	@$(PY) -m pytest -n auto --dist worksteal -m "not slow" $(T)

##@ Before you push
check: .venv/.test ## format, lint, types, import contracts
	@scripts/check
fix: .venv/.test ## format and mend what can be mended
	@$(PY) -m ruff check --fix-only -q . ; $(PY) -m ruff format -q .
snapshots: .venv/.test ## accept the tool schemas and the raw HTTP exchanges as they are now
	@$(PY) -m tests.snapshots
	@$(PY) -m tests.exchanges.record
conformance: .venv/.test .venv/.node ## the official MCP conformance suite
	@$(PY) -m tests.conformance
fuzz: .venv/.test ## hostile input by grammar and by coverage (N=examples of each test)
	@scripts/fuzz $(or $(N),2000)
bench: .venv/.bench bench/peers/typescript/node_modules ## side by side with the peers; writes var/bench/latest.json
	@$(PY) -m bench

bench-count: .venv/.bench ## user instructions a call, counted by valgrind
	@$(PY) -m bench.count

##@ Rare
lock: ## compile the hash-pinned requirement files (needs uv)
	@scripts/lock
clean: ## remove the environment and what the tests wrote
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache tests/clients/node_modules

.venv/.runtime: requirements/runtime.txt pyproject.toml
	@scripts/environment runtime
.venv/.test: requirements/test.txt pyproject.toml
	@scripts/environment test
.venv/.bench: requirements/bench.txt pyproject.toml
	@scripts/environment bench
bench/peers/typescript/node_modules: bench/peers/typescript/package-lock.json
	@npm ci --prefix $(@D) --no-audit --no-fund --loglevel=error && touch $@
.venv/.node: tests/clients/package-lock.json
	@scripts/node

help:
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run stdio test test-fast check fix snapshots conformance fuzz bench bench-count lock clean help
