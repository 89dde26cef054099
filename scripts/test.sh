#!/usr/bin/env bash
# Every test, fast checks first. `make test` runs it after the set-up and the build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/steps.sh

# Tests that need the environment or a plugin find them here, wherever their package is.
export LAYACTL_VENV=$PWD/.venv LAYACTL_PLUGIN_PATH=$PWD/bin
nested=github.com/DataDog/go-python3

cross() {
    GOOS=$1 GOARCH=$2 CGO_ENABLED=0 go build -o /dev/null ./cmd/layactl &&
        GOOS=$1 GOARCH=$2 CGO_ENABLED=0 go build ./bridge/...
}

step "go-vet" go vet ./... "$nested/..."
step "build-without-cgo" cross linux amd64
step "build-linux-arm64" cross linux arm64
step "build-darwin-arm64" cross darwin arm64
step "build-windows-amd64" cross windows amd64
step "readme-tables" bin/layactl report --check README.md
step "go-test-nested" go test -race -count=1 "$nested/..."
step "go-test" go test -race -count=1 ./...
step "pytest" .venv/bin/python -m pytest -q
summary steps
