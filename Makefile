# The few commands of the project. Each may be repeated: what is done already is not done again.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build demo test bench deep format check clean
MAKEFLAGS += --no-print-directory

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: ## install every Debian package the project uses (root or sudo)
	@scripts/setup.sh build test check

build: ## build/stiction and libstiction, Release
	@scripts/setup.sh build
	@scripts/build.sh release stiction stiction_library

demo: build ## run the example scenes; pictures and records in build/demo
	@scripts/demo.sh

test: ## set-up, build, layering, format, fuzzers for a minute each, every test
	@scripts/setup.sh build test check
	@scripts/test.sh

bench: build ## time our scenes and problems, beside Bullet, ODE, MuJoCo and Siconos where they can be had; tables into docs/benchmarks.md
	@bench/peers/run.sh

deep: ## sanitizer suites, fuzzers for ten minutes each, random scenes at length (hours)
	@scripts/setup.sh build test check
	@scripts/deep.sh

format: ## rewrite the sources in the project's style
	@scripts/setup.sh check
	@scripts/format.sh

check: ## format, layering and lint, changing nothing
	@scripts/setup.sh build test check
	@scripts/check_layers.py --self-test
	@scripts/check_layers.py
	@scripts/format.sh --check
	@scripts/lint.sh

clean: ## remove every build folder
	rm -rf build build-*
