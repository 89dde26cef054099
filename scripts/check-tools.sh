#!/usr/bin/env bash
# Says what this machine lacks to build layactl; silent when nothing is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

missing=()
apt=()
want_go=$(awk '$1 == "go" { print $2 }' go.mod)

if ! command -v go >/dev/null 2>&1; then
    missing+=("go: not found; layactl needs Go $want_go or newer (golang-go from your distribution may be older: see go.dev/dl)")
elif ! go_says=$(go list -m 2>&1); then
    # An older Go fetches the right one itself, unless GOTOOLCHAIN=local forbids it.
    missing+=("go: $(go version 2>/dev/null | awk '{ print $3 }') cannot build this module: ${go_says##*$'\n'}")
fi
for tool in gcc g++; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        missing+=("$tool: not found; the plugins are built with cgo and TileLang compiles kernels with a C++ compiler")
        apt+=("$tool")
    fi
done
if command -v gcc >/dev/null 2>&1 && ! echo '#include <stdlib.h>' | gcc -E -x c - >/dev/null 2>&1; then
    missing+=("C headers: gcc finds no stdlib.h")
    apt+=(libc6-dev)
fi

if ((${#missing[@]})); then
    echo "This machine lacks what the build needs:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    if ((${#apt[@]})); then
        echo "On Debian or Ubuntu: apt-get install ${apt[*]}" >&2
    fi
    exit 1
fi
