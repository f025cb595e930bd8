# The commands of this project, one line each. `make` lists them.
PYTHON ?= python3
CONFIG ?= config/quick.yaml

BIN := .venv/bin
READY := .venv/.ready
# Jobs of the workflow call `python -m metatrace`: the environment's python comes first.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup quick paper report test test-time test-slow test-slurm lint docs publish bench bars clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /\1@/' | awk -F@ '{ printf "make %-10s %s\n", $$1, $$2 }'

setup: $(READY) ## make .venv with the pinned packages (PYTHON=python3.12 chooses the interpreter)

$(READY): requirements.lock pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit("metatrace needs Python 3.11 or newer: try make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	"$(PYTHON)" -m venv .venv
	@echo "Installing the packages of requirements.lock into .venv: a few minutes"
	$(BIN)/python -m pip install -qq -r requirements.lock
	$(BIN)/python -m pip install -qq --no-deps -e .
	@touch $(READY)

quick: $(READY) ## every figure at a reduced scale, about five minutes on two cores: results/quick/index.html
	$(BIN)/snakemake --configfile config/quick.yaml
	@echo "The article: results/quick/index.html"

paper: $(READY) ## every figure at the paper's scale, hours: results/paper/index.html
	$(BIN)/snakemake
	@echo "The article: results/paper/index.html"

report: $(READY) ## the pages of a scale, and what they need; says where they are (CONFIG=config/quick.yaml by default)
	@set -e; scale=$$($(BIN)/metatrace config $(CONFIG) | sed -n '1s/.*: scale \([^,]*\),.*/\1/p'); \
	$(BIN)/snakemake report_files --configfile $(CONFIG); \
	echo "The article: $(CURDIR)/results/$$scale/index.html"; \
	echo "The record: $(CURDIR)/results/$$scale/report.html"

test: $(READY) ## the tests, slow ones left out
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-time: $(READY) ## the same, and where their processor time goes
	$(BIN)/python -m pytest -p benchmarks.processor_time -n auto --dist loadfile --no-loadscope-reorder

test-slow: $(READY) ## the slow tests
	$(BIN)/python -m pytest -m slow -n auto --dist load

test-slurm: $(READY) ## the workflow through a real Slurm on this machine, as root (slurm-wlm and munge installed)
	$(BIN)/python -m pytest -m slurm

lint: $(READY) ## ruff, mypy, snakefmt and Snakemake's own linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

docs: $(READY) ## the manual as a site: site/manual/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "The manual: $(CURDIR)/site/manual/index.html"

publish: $(READY) ## reports/published, and of it the pages in docs, README's verdicts and the tables of docs/choosing.md
	$(BIN)/metatrace publish config/linear.yaml --output reports/published --site docs
	$(BIN)/python -m metatrace.report.verdicts
	$(BIN)/python -m metatrace.report.choosing

bench: $(READY) ## the benchmarks
	$(BIN)/python -m pytest benchmarks --benchmark-only

bars: $(READY) ## every bar of speed in one table; COMMITS="527f129 HEAD" compares commits
	$(BIN)/python benchmarks/bars.py $(COMMITS)

clean: ## remove .venv, site, .snakemake and caches; results stay
	rm -rf .venv site .snakemake .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
