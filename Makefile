# Two environments: .venv runs PulseDocs on this machine, .venv-dev also tests, checks and deploys it.
# Both are made on first use, from requirements/*.txt, with the pip settings of the machine.

PYTHON  ?= python3
# Test processes; each has a PostgreSQL of its own.
WORKERS ?= 2
# Paths or options for pytest: make test TESTS="tests/unit -k fusion"
TESTS   ?=

export UV_PYTHON_DOWNLOADS := never
# Images set it: each test process then compiles for 18 s what the last one had compiled already.
unexport PYTHONDONTWRITEBYTECODE

RUN     := .venv/bin/python
DEV     := .venv-dev/bin/python
PYTEST  := $(DEV) -m pytest
SOURCES := layers/core/python pulsedocs_cli functions infra local evaluation benchmarks tests docs

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo up down ask token test test-all test-fast test-postgres18 check check-fast docs evaluate \
        bench acceptance release lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ------------------------------------------------------------------------------- on this machine

demo: .venv/.installed ## a document in, a cited answer out: no key, no account, no Docker
	@.venv/bin/pulsedocs demo

up: .venv/.installed ## start the local stage; .local/endpoint.json says where it is
	@.venv/bin/pulsedocs up

down: .venv/.installed ## stop the local stage
	@.venv/bin/pulsedocs down

ask: export QUESTION := $(QUESTION)
ask: .venv/.installed ## ask the local stage: make ask QUESTION="How much is the deposit?"
	@$(RUN) -m local ask $(if $(QUESTION),"$$QUESTION")

token: export TENANT := $(TENANT)
token: .venv/.installed ## a token for the local stage: make token, of a tenant TENANT=<uuid>, an operator's ADMIN=1
	@$(RUN) -m local token $(if $(TENANT),--tenant "$$TENANT") $(if $(ADMIN),--admin)

# --------------------------------------------------------------------------------------- quality

test: .venv-dev/.installed ## the tests, offline; build/durations.txt says where the time went
	$(PYTEST) -n $(WORKERS) $(if $(TESTS),$(TESTS),-m "not long")

test-all: .venv-dev/.installed ## the long ones too, and PostgreSQL 18; build/flaky.txt: what passed only alone
	rm -f build/flaky.txt
	$(DEV) -m tests.once_more -n $(WORKERS)
	PULSEDOCS_TEST_POSTGRES=18 $(DEV) -m tests.once_more -n $(WORKERS) -m "not long" tests/integration

test-fast: .venv-dev/.installed ## the tests that need no database
	$(PYTEST) tests/unit tests/contract $(TESTS)

.PHONY: setup-browser
setup-browser: ## Debian's Chromium without a window, in which the console is tested; without one those tests are skipped
	@command -v chromium-headless-shell >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends chromium-headless-shell; } || command -v chromium

.PHONY: ocr-languages
ocr-languages: .venv/.installed .venv-dev/.installed ## scans in French, Italian, Spanish, Portuguese, Dutch, Polish too; needs npm
	@$(RUN) -m infra.recognition_data && $(DEV) -m infra.recognition_data

test-postgres18: .venv-dev/.installed ## the integration tests on PostgreSQL 18
	PULSEDOCS_TEST_POSTGRES=18 $(PYTEST) -n $(WORKERS) tests/integration $(TESTS)

check: check-fast ## lint, format, types, imports and generated docs
	$(DEV) -m basedpyright
	@files=$$(grep -rlF '[[[cog' README.md docs 2>/dev/null); [ -z "$$files" ] || $(COG) --check --diff $$files

check-fast: .venv-dev/.installed ## lint, format and imports, in seconds
	$(DEV) -m ruff check
	$(DEV) -m ruff format --check
	.venv-dev/bin/lint-imports --no-logo

docs: .venv-dev/.installed ## write the generated parts of docs/ again
	$(DEV) -m docs.openapi
	@files=$$(grep -rlF '[[[cog' README.md docs 2>/dev/null); [ -z "$$files" ] || $(COG) -r $$files

.PHONY: site
site: .venv-site/.synced ## docs/ as a site, with search, into build/site
	.venv-site/bin/python -m sphinx --quiet --fail-on-warning --fresh-env -d build/doctrees docs build/site

evaluate: DATA ?= $(PULSEDOCS_EVALUATION_DATA)
evaluate: .venv-dev/.installed ## how good: reading, retrieval and answers, on the datasets of evaluation/ and of DATA=FOLDER
	$(DEV) -m evaluation.extraction $(DATA)
	$(DEV) -m evaluation $(if $(DATA),--data $(DATA) --typing-errors 1 2)

bench: .venv-dev/.installed ## how fast: ratios to the bare libraries, into benchmarks/results/
	$(DEV) -m benchmarks

.PHONY: bench-competitors
bench-competitors: .venv-dev/.installed .venv-competitors/.synced ## search beside LangChain, LlamaIndex
	$(DEV) -m benchmarks retrieval

.PHONY: test-integrations
test-integrations: .venv-integrations/.installed .venv-dev/.installed ## LangChain, LlamaIndex, Haystack and MCP ask a stage, each as it is now
	$(DEV) -m basedpyright --project tests/integrations
	.venv-integrations/bin/python -m pytest tests/integrations tests/unit/integrations

acceptance: .venv-dev/.installed ## each point of the acceptance list and the test that shows it
	$(DEV) -m tests.acceptance

release: .venv-dev/.installed ## freeze what this version asks of schema and steps, for the tests of the next
	$(DEV) -m tests.released
	$(DEV) -m tests.released_steps

# ---------------------------------------------------------------------------------- environments

COG := .venv-dev/bin/cog -I .

lock: .venv-dev/.uv ## pin requirements/*.in again; newest versions with LOCK=--upgrade
	for name in uv dev competitors interface site; do $(COMPILE) requirements/$$name.in -o requirements/$$name.txt || exit; done
	for name in local runtime ocr integrations; do \
	  $(COMPILE) -c requirements/dev.txt requirements/$$name.in -o requirements/$$name.txt || exit; done
	for name in models certificates; do $(COMPILE) --no-deps --only-binary :all: \
	  --emit-build-options requirements/$$name.in -o requirements/$$name.txt || exit; done

# Universal: one lock for Linux and macOS, x86 and ARM, Python 3.11 and up. No address of a registry.
COMPILE := .venv-dev/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-header --no-emit-index-url --annotation-style line $(LOCK)

# PulseDocs itself, editable: without network, and apart, so that a changed pyproject.toml takes a second.
.venv/.installed .venv-dev/.installed .venv-integrations/.installed: %/.installed: %/.synced pyproject.toml
	@$*/bin/uv pip install --quiet --python $*/bin/python --offline --no-index --no-deps \
	  --no-build-isolation --editable .
	@touch $@

.venv/.synced: requirements/local.txt
.venv-dev/.synced: requirements/dev.txt
.venv-competitors/.synced: requirements/competitors.txt
.venv-integrations/.synced: requirements/integrations.txt
.venv-site/.synced: requirements/site.txt
.venv/.synced .venv-dev/.synced .venv-competitors/.synced .venv-integrations/.synced .venv-site/.synced: %/.synced: %/.uv
	@echo "Installing $(filter %.txt,$^) into $* (about a minute) ..."
	@# uv knows nothing of pip's configuration: where it finds no registry, or trusts none, pip does.
	@# What uv says of that is shown where pip fails too.
	@$*/bin/uv pip sync --quiet --system-certs --python $*/bin/python --require-hashes $(filter %.txt,$^) \
	    2>$*/.uv.log \
	  || $*/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
	    -r $(filter %.txt,$^) \
	  || { cat $*/.uv.log >&2; exit 1; }
	@touch $@

.venv/.uv .venv-dev/.uv .venv-competitors/.uv .venv-integrations/.uv .venv-site/.uv: %/.uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "PulseDocs needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=...")'
	@$(PYTHON) -m venv $*
	@$*/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

clean: ## remove environments, caches and the local stage's files
	@[ ! -e .local/endpoint.json ] || { [ -x $(RUN) ] && $(RUN) -m local down; } || true
	rm -rf .venv .venv-dev .venv-competitors .venv-integrations .venv-site .local .cache .hypothesis .import_linter_cache .pytest_cache .ruff_cache \
	  cdk.out build dist
	find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# ---------------------------------------------------------------------------------------- into AWS

.PHONY: layers synth cost snapshots

layers: .venv-dev/.installed ## the Lambda layers, for arm64 and Python 3.13, without Docker
	$(DEV) -m infra.layers

synth: layers ## the templates of every stage into build/synth, checked by cdk-nag and cfn-lint
	$(DEV) -m infra.synth
	.venv-dev/bin/cfn-lint --ignore-checks W3005 E3601 -- build/synth/*/*.template.json

snapshots: .venv-dev/.installed ## what each stage deploys, into tests/infra/snapshots: read the difference
	$(DEV) -m tests.infra.snapshot

cost: ## what a stage costs, idle and at work, after make synth: make cost REGION=eu-west-2
	@$(DEV) -m infra.cost $(if $(REGION),--region $(REGION))
	@$(DEV) -m infra.cost_table
