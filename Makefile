# Plain pip and venv. `make check` is what CI runs.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: setup fix check check-all lint test wheel clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

fix: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup
	$(BIN)/pytest -n auto --dist loadfile

check: lint test

# Tests with real clients (a browser, LanguageTool's and LSP clients, spaCy, Ray, pre-commit) and
# long tests.
$(VENV)/.clients: $(VENV)/.installed
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[clients]'
	touch $@

check-all: $(VENV)/.clients
	$(BIN)/pytest -m "clients or exhaustive"

wheel: setup
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) dist build
