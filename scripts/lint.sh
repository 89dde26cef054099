#!/usr/bin/env bash
# Format, types and common mistakes. `make lint` runs it after the set-up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/steps.sh

nested=github.com/DataDog/go-python3

gofumpt() {
    local listed
    listed=$(go tool gofumpt -l .) || return 1
    [[ -z "$listed" ]] || { echo "not formatted (go tool gofumpt -w .):"; echo "$listed"; return 1; }
}

shell() {
    local shellcheck=.venv/bin/shellcheck
    [[ -x "$shellcheck" ]] || shellcheck=$(command -v shellcheck) || { echo "skipped: shellcheck is not installed"; return 0; }
    "$shellcheck" -x scripts/*.sh .ci/run
}

step "gofumpt" gofumpt
step "go-vet" go vet ./... "$nested/..."
step "staticcheck" go tool staticcheck ./... "$nested/..."
step "ruff" .venv/bin/ruff check .
step "ruff-format" .venv/bin/ruff format --check .
step "mypy" .venv/bin/mypy
step "shellcheck" shell
summary steps
