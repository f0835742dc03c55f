# Both targets work on a fresh clone and may be repeated.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed

.PHONY: quickstart test test-slow check lint install clean

quickstart: install  ## install and run the first experiment, offline
	$(BIN)/python -m bias_lab +experiment=quickstart

test: install  ## install and run the fast tests
	$(BIN)/python -m pytest

test-slow: install  ## the tests that take longer or need the developers' data
	$(BIN)/python -m pytest -m slow

check: lint test test-slow  ## everything that continuous integration runs

lint: install
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit(None if sys.version_info >= (3, 11) else 'bias_lab needs Python 3.11 or newer; set PYTHON=')"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[demo,dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache dist build
