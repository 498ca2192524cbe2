# Two commands set everything up on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

MODEL ?= Qwen2.5-Coder-1.5B-Instruct
EXAMPLE := examples/inventory.py
INSTRUCTION ?= Make restock raise a ValueError if the amount is not positive.

.PHONY: demo test test-editors test-served test-vscode lint format clean

# Without FILE a copy of the shipped example is edited; FILE=... edits your own file, and asks before it writes.
demo: $(READY)
ifdef FILE
	$(BIN)/copyspan edit "$(FILE)" -i "$(INSTRUCTION)" --model "$(MODEL)"
else
	@mkdir -p build && cp $(EXAMPLE) build/
	$(BIN)/copyspan edit build/$(notdir $(EXAMPLE)) -i "$(INSTRUCTION)" --model "$(MODEL)" --write
endif

# The one check, the same for people and for CI.
test: lint
	$(BIN)/pytest

# Real Neovim, Emacs, Vim and VS Code. Installs them where they are missing (as root: Debian's packages, npm and pip).
test-editors: $(READY)
	tests/editors/install.sh
	tests/editors/install_vscode.sh
	COPYSPAN_REQUIRE_EDITORS=1 $(BIN)/pytest tests/editors

# A real inference server: vLLM on this machine's cores, installed where it is missing (a few minutes, 3 GB).
test-served: $(READY)
	tests/served/install_vllm.sh
	COPYSPAN_REQUIRE_VLLM=1 $(BIN)/pytest tests/served -s

# The VS Code extension by itself: types, lint, unit tests. Needs Node 20.
test-vscode:
	cd vscode-client && npm ci --no-audit --no-fund && npm run lint && npm test

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "copyspan needs Python 3.11 or later; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --constraint constraints.txt --editable . --group dev
	touch $@
