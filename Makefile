# Two commands on a fresh machine: `make run` serves the sample app, `make test` tests.
# Both set up .venv first; what the set-up prints goes to stderr, since `run` speaks JSON on stdout.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= auto

.PHONY: run test setup clean
.SILENT:

run: $(VENV)/.run
	exec $(BIN)/appfunctions-mcp run metadata/app_metadata.xml

test: $(VENV)/.dev
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -q -n $(JOBS) $(ARGS)
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

setup: $(VENV)/.dev

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' </dev/null >&2 || { echo "Python 3.11 or later is needed; name one with PYTHON=" >&2; exit 1; }
	$(PYTHON) -c 'import ensurepip, venv' </dev/null 2>/dev/null || { echo "Python's venv is missing; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) </dev/null >&2
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt pip </dev/null >&2

$(VENV)/.run: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e . </dev/null >&2
	touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --group dev </dev/null >&2
	touch $@

clean:
	rm -rf $(VENV) .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
