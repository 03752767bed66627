# Everything runs from a bare Python ≥ 3.11; .venv is made on the first call of any target.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
RIVALS := .venv/.rivals
# Modules are compiled when they are first imported: most of those that are installed, such as others' tests, never are.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable
# Files go in their order: by the number of their tests, those of one long test would run last, and alone.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-all check warm bench fuzz docs clean

demo: $(READY)
	$(BIN)/novacula learn wine --out demo
	$(BIN)/novacula explain demo/model.nova wine --row 1
	@echo 'The report is in demo/report.html, and the model in demo/model.nova.'

# Many tests start processes: modules are compiled once, rather than by each of these, whatever the shell says.
test test-all docs: export PYTHONDONTWRITEBYTECODE =

# Kernels are compiled once, beside the linting, rather than by each process of the tests that needs them.
test: $(READY)
	@$(MAKE) --no-print-directory --jobs=2 check warm
	$(PYTEST) -m "not slow" --hypothesis-profile=gate

test-all: check
	$(PYTEST)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

warm: $(READY)
	$(BIN)/novacula warm

bench: $(RIVALS)
	$(BIN)/python -m benchmarks $(if $(ONLY),--only $(ONLY)) $(if $(QUICK),--quick)

# Inputs that are made to hurt, under kernels that check their bounds: make fuzz ONLY=models MINUTES=10 SEED=7
fuzz: $(READY)
	$(BIN)/python -m fuzz $(if $(ONLY),--only $(ONLY)) --minutes $(or $(MINUTES),1) --seed $(or $(SEED),0)

docs: $(READY)
	$(BIN)/python -m pytest -q docs

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Novacula needs Python 3.11 or newer; say make PYTHON=python3.12")'
	$(PYTHON) -m venv --clear .venv
	$(INSTALL) '.[all]'
	@touch $@

# Other libraries, some of them large, that only the benchmarks run.
$(RIVALS): $(READY)
	$(INSTALL) '.[bench]'
	@touch $@

clean:
	rm -rf .venv demo dist build
