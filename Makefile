# make run    sets up, builds and validates       make test   sets up, builds and runs every test
# PYTHON=...  chooses the interpreter below .venv; see scripts/find-python.sh for the default.

SHELL := bash
.DEFAULT_GOAL := help
PLUGINS := tilelang python
UV ?= uv
# Version control data goes into the binaries where git can read it.
BUILDVCS := $(shell git rev-parse --verify --quiet HEAD >/dev/null 2>&1 && echo true || echo false)
GO_BUILD := go build -trimpath -buildvcs=$(BUILDVCS)

export PYTHON

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: setup build ## set up, build, and validate the kernels on this machine
	bin/layactl validate

.PHONY: test
test: setup build ## set up, build, and run every test
	@scripts/test.sh

.PHONY: build
build: tools ## build layactl and the plugins into bin/
	@mkdir -p bin
	CGO_ENABLED=0 $(GO_BUILD) -o bin/layactl ./cmd/layactl
	$(foreach plugin,$(PLUGINS),CGO_ENABLED=1 $(GO_BUILD) -o bin/laya-plugin-$(plugin) ./plugins/$(plugin) &&) true

.PHONY: setup
setup: tools ## make .venv from requirements.lock
	@scripts/setup.sh

.PHONY: lint
lint: setup ## check format, types and common mistakes in Go, Python and shell
	@scripts/lint.sh

.PHONY: lock
lock: ## pin the newest allowed Python packages in requirements.lock (needs uv)
	$(UV) pip compile --universal --upgrade --generate-hashes --no-emit-index-url --no-header \
		--all-extras --group build --python-version 3.10 pyproject.toml --output-file requirements.lock

.PHONY: goldens
goldens: setup ## write the hashes of the kernels' CUDA source anew, after a change that is meant
	.venv/bin/python -m layabridge.preserve

.PHONY: gpu-bundle
gpu-bundle: setup ## pack what a GPU host without a network needs into gpu-bundle.tar.xz
	@scripts/gpu-bundle.sh gpu-bundle.tar.xz

.PHONY: clean
clean: ## remove what make made: bin/, .venv and caches
	rm -rf bin .venv py/*.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find py scripts bridge -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: tools
tools:
	@scripts/check-tools.sh
