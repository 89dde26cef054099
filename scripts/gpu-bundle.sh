#!/usr/bin/env bash
# Packs what a GPU host without a network needs beside its own torch: gpu-bundle.tar.xz, for CPython 3.12 on x86-64.
# There: tar -xJf gpu-bundle.tar.xz && gpu-bundle/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:-gpu-bundle.tar.xz}
limit=$((60 * 1024 * 1024))
python=${VENV_PYTHON:-.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bundle=$work/gpu-bundle
mkdir -p "$bundle/bin" "$bundle/site"

echo "gpu-bundle: building"
CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags='-s -w' -o "$bundle/bin/layactl" ./cmd/layactl
go build -trimpath -buildvcs=false -ldflags='-s -w' -o "$bundle/bin/laya-plugin-tilelang" ./plugins/tilelang
cp -r py/layabridge "$bundle/site/"
find "$bundle/site" -name __pycache__ -prune -exec rm -r {} +
cp scripts/gpu-run.sh "$bundle/run.sh"

echo "gpu-bundle: fetching TileLang and what it needs, as pinned in requirements.lock"
# The lines of these packages with their hashes, without the markers of other Pythons.
awk '/^[a-z]/ { keep = /^(tilelang|apache-tvm-ffi|z3-solver|torch-c-dlpack-ext)==/ } keep' requirements.lock |
    sed 's/ *;[^\\]*\\$/ \\/' >"$work/lock"
platforms=()
for tag in manylinux_2_{17,24,27,28}_x86_64 manylinux2014_x86_64; do platforms+=(--platform "$tag"); done
"$python" -I -m pip install --quiet --no-deps --no-compile --require-hashes --only-binary=:all: --python-version 3.12 \
    --implementation cp "${platforms[@]}" --target "$bundle/site" -r "$work/lock"
rm -rf "$bundle/site/bin"
ln -sf libz3.so.4.15 "$bundle/site/z3/lib/libz3.so" # the wheel holds the library twice

echo "gpu-bundle: packing"
tar -C "$work" -c gpu-bundle | xz -T0 -6 >"$work/packed"
size=$(stat -c %s "$work/packed")
((size <= limit)) || { echo "gpu-bundle: $size bytes, the limit is $limit" >&2; exit 1; }
mv "$work/packed" "$out"
echo "gpu-bundle: $out, $size bytes"
