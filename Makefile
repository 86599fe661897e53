# `make run` and `make test` do all the set-up on a fresh machine.
PYTHON ?= python3
BIN := .venv/bin
# On a busy machine, threads that spin while they wait slow everything down.
export OMP_WAIT_POLICY ?= PASSIVE
EXTRAS := dev,onnx,ray,hub,tables

.PHONY: run test check paper clean

# The digits in the package, upright and turned by random quarters.
run: .venv/core
	$(BIN)/lgn discover digits
	$(BIN)/lgn discover digits-90

test: .venv/ready
	OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal --durations=25 --durations-min=3

# Figures and claims of the paper from the stored runs; OUT=DIR ARGS= trains what is missing there.
OUT ?= results
ARGS ?= --existing
paper: .venv/ready
	$(BIN)/python -m studies.paper all $(ARGS) --out $(OUT)
	$(BIN)/python -m studies.render

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/limits.py

# The package with its dependencies, and with everything that tests and checks need.
.venv/core: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lgn needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --no-compile --constraint constraints.txt --editable .
	touch $@

.venv/ready: .venv/core
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[$(EXTRAS)]'
	touch $@

clean:
	rm -rf .venv dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
