# Everything runs in .venv, which the first target that needs it creates.
#   make demo    make test    make PYTHON=python3.12 test

# The tests start hundreds of processes, each of which would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
BIN := .venv/bin

# The kernels are compiled at install, so a changed kernel is installed again; all other files are used in place.
SOURCES := pyproject.toml setup.py constraints.txt $(wildcard treecli/kernels/*.py treecli/kernels/*.pxd)
INSTALLED := .venv/.installed
INSTALLED_FOR_WORK := .venv/.installed-for-work
INSTALLED_FOR_BENCH := .venv/.installed-for-bench
INSTALLED_FOR_ENGINES := .venv/.installed-for-engines

# The pins of constraints.txt. Modules are compiled to byte code when they are first imported: compiling all of them takes
# pip 20 s.
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --quiet --no-compile --constraint constraints.txt

# The kernels are compiled by the Cython of .venv, not by one in a new environment for each install, whose files are newer
# than what was compiled: so an install compiles only the kernels that have changed. It does so while pip downloads and
# unpacks; if one of the two fails, so does the install.
INSTALL_EDITABLE = $(PIP_INSTALL) setuptools Cython && $(MAKE) --no-print-directory --jobs=2 kernels package

.PHONY: help kernels package demo test test-exact test-thorough test-peers test-engines test-install test-sanitized fuzz corpus bench algorithms lint format golden docs constraints clean

help:
	@echo "make demo          install treecli into .venv and run it on sample data"
	@echo "make test          run the tests"
	@echo "make test-exact    compare whole trees with J48, M5P, C4.5, rpart and scikit-learn, and forests; DATA=FOLDER uses other data"
	@echo "make test-thorough run the tests that take long, and properties on more examples"
	@echo "make test-peers    compare with scikit-learn, J48 and rpart, if they are installed"
	@echo "make test-engines  run exported SQL in PostgreSQL, MariaDB and Spark, if they are installed"
	@echo "make test-install  test installing, with and without a C compiler (slow, needs the network)"
	@echo "make test-sanitized  run the reader and growth tests with gcc's sanitizers in the kernels"
	@echo "make fuzz          test generated files, models and rules for a minute; SECONDS=3600 for longer"
	@echo "make bench         benchmark against other programs; QUICK=1 in about three minutes, ARGS=--help for more"
	@echo "make algorithms    print what each method buys on the sample sets: the tables of docs/algorithms.md"
	@echo "make lint          check style and types"
	@echo "make format        format the code"
	@echo "make golden        rewrite the expected terminal outputs; read the diff"
	@echo "make corpus        compare the bytes of two thousand models with the stored hashes; ARGS=--rewrite updates them"
	@echo "make docs          rewrite docs/cli.md, docs/man and docs/settings.md"
	@echo "make constraints   pin the newest versions of all dependencies"
	@echo "make clean         remove everything that the other targets created"

demo: $(INSTALLED)
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && \
	cp sample_data/playtennis.csv "$$scratch" && PATH="$(CURDIR)/$(BIN):$$PATH" && cd "$$scratch" && \
	for line in "train playtennis.csv --criterion gainratio" "show playtennis.json" "rules playtennis.json" \
		"evaluate playtennis.json playtennis.csv"; do \
		printf '\n$$ treecli %s\n' "$$line" && treecli $$line || exit; \
	done

test: $(INSTALLED_FOR_WORK)
	$(BIN)/pytest -n auto --dist worksteal

test-exact: $(INSTALLED_FOR_WORK)
	$(BIN)/python -m tests.exact $(DATA)

test-thorough: $(INSTALLED_FOR_WORK)
	$(BIN)/pytest -n auto -m '(hypothesis or thorough) and not install and not engines and not peers' --hypothesis-profile thorough

test-peers: $(INSTALLED_FOR_WORK)
	$(BIN)/pytest -n auto -m peers
	$(BIN)/python -m tests.exact.peers

test-engines: $(INSTALLED_FOR_ENGINES)
	$(BIN)/pytest -m engines tests/engines

test-install: $(INSTALLED_FOR_WORK)
	$(BIN)/pytest -m install

test-sanitized: $(INSTALLED_FOR_WORK)
	$(BIN)/python -m tests.sanitized

fuzz: $(INSTALLED_FOR_WORK)
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) $(ARGS)
	$(BIN)/python -m tests.fuzz.kills

bench: $(INSTALLED_FOR_BENCH)
	$(BIN)/python -m bench $(if $(QUICK),--quick) $(ARGS)

algorithms: $(INSTALLED_FOR_WORK)
	@$(BIN)/python -m bench.algorithms $(ARGS)

lint: $(INSTALLED_FOR_WORK)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(INSTALLED_FOR_WORK)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

golden: $(INSTALLED_FOR_WORK)
	$(BIN)/pytest tests --rewrite-golden

corpus: $(INSTALLED_FOR_WORK)
	$(BIN)/python -m tests.corpus $(ARGS)

docs: $(INSTALLED_FOR_WORK)
	$(BIN)/python -m tests.docs_cli

# Run it with the oldest supported Python: newer ones get versions that the oldest cannot install.
constraints:
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && \
	$(PYTHON) -m venv "$$scratch" && "$$scratch/bin/pip" install --quiet '.[test,lint,bench,engines]' && \
	{ head -n 1 constraints.txt && "$$scratch/bin/pip" freeze --exclude treecli; } > "$$scratch/constraints.txt" && \
	cp "$$scratch/constraints.txt" constraints.txt

clean:
	rm -rf bench/.data fuzz-findings .venv build dist treecli.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -f treecli/kernels/*.so

.venv/bin/pip:
	@command -v $(PYTHON) > /dev/null || \
		{ echo "$(PYTHON) was not found. treecli needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$$($(PYTHON) --version) is too old. treecli needs 3.11 or newer: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null || \
		{ echo "$(PYTHON) cannot create virtual environments. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv .venv

kernels:
	$(BIN)/python setup.py build_ext --inplace > .venv/kernels.log 2>&1 || { cat .venv/kernels.log >&2; exit 1; }

package:
	TREECLI_KERNELS_APART=1 $(PIP_INSTALL) --no-build-isolation --editable '$(PACKAGE)'

# A stamp has the time when its install started: files edited after that are installed again.
$(INSTALLED): $(SOURCES) | .venv/bin/pip
	@touch $@.begun
	$(INSTALL_EDITABLE) PACKAGE=.
	@mv $@.begun $@

$(INSTALLED_FOR_WORK): $(SOURCES) | .venv/bin/pip
	@touch $@.begun
	$(INSTALL_EDITABLE) PACKAGE='.[test,lint]'
	@cp -p $@.begun $(INSTALLED)
	@mv $@.begun $@

$(INSTALLED_FOR_BENCH): $(SOURCES) | .venv/bin/pip
	@touch $@.begun
	$(INSTALL_EDITABLE) PACKAGE='.[bench]'
	@cp -p $@.begun $(INSTALLED)
	@mv $@.begun $@

$(INSTALLED_FOR_ENGINES): $(SOURCES) | .venv/bin/pip
	@touch $@.begun
	$(INSTALL_EDITABLE) PACKAGE='.[engines]'
	@cp -p $@.begun $(INSTALLED)
	@mv $@.begun $@
