#!/usr/bin/env bash
# Makes .venv what requirements.lock says. Quick when it already is; an interrupted run is taken up where it stopped.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_USER=0 PIP_NO_INPUT=1
unset PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX

venv=$PWD/.venv
python=$venv/bin/python
stamp=$venv/layactl-setup
# Installed size of the lock, and what pip needs beside it while it unpacks.
need_kib=$((8 * 1024 * 1024))

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 1; }

# What the environment was made of. A moved folder or another Python gives another text.
fingerprint() {
    local version lock
    version=$("$python" -I -c 'import sys; print(sys.version.split()[0], sys.prefix, sys.base_prefix)') || return 1
    lock=$(cat requirements.lock pyproject.toml | sha256sum)
    echo "${lock%% *} $version"
}

# A usable interpreter with pip, in the folder that it was made for.
sound() {
    grep -qF "$venv" "$venv/bin/activate" 2>/dev/null || return 1
    "$python" -I -c 'import pip' 2>/dev/null || return 1
    timeout 20 "$python" -E -s -B scripts/probe_python.py >/dev/null
}

# Whether the caller asks for another Python than the one the environment stands on.
other_python_wanted() {
    [[ -n "${PYTHON:-}" ]] || return 1
    local code='import sys; print(sys.base_prefix, sys.version)'
    [[ "$("$PYTHON" -I -c "$code" 2>/dev/null)" != "$("$python" -I -c "$code" 2>/dev/null)" ]]
}

create() {
    local base
    base=$(scripts/find-python.sh) || exit 1
    say "making $venv with $base ($("$base" --version))"
    rm -rf "$venv"
    "$base" -m venv "$venv" || fail "$base could not make $venv; on Debian or Ubuntu: apt-get install python3-venv"
}

install() {
    local free
    free=$(df -Pk . | awk 'NR == 2 { print $4 }')
    if [[ ! -f "$stamp.started" ]] && ((free < need_kib)); then
        fail "$((free / 1024 / 1024)) GiB are free here; the environment needs $((need_kib / 1024 / 1024)) GiB"
    fi
    say "installing the pinned packages: about 3 GB come down the first time (torch with its CUDA libraries)"
    : >"$stamp.started"
    "$python" -I scripts/drop_half_installed.py
    "$python" -I -m pip install --require-hashes --no-deps -r requirements.lock ||
        fail "the installation stopped; run make setup again and it goes on from there"
    say "installing layabridge from py/"
    "$python" -I -m pip install --quiet --no-deps --no-build-isolation --no-index --editable . ||
        fail "layabridge could not be installed into $venv"
}

# Two makes at once: the second waits and then finds everything done.
exec 9<requirements.lock
if command -v flock >/dev/null 2>&1 && ! flock --nonblock 9; then
    say "another set-up is running here; waiting for it"
    flock 9
fi

if [[ -e "$venv" || -L "$venv" ]]; then
    if ! sound; then
        say "$venv is broken, was moved, or is unfinished; making it anew"
        create
    elif other_python_wanted; then
        say "$venv stands on another Python than $PYTHON; making it anew"
        create
    fi
else
    create
fi

if [[ -f "$stamp" && "$(cat "$stamp")" == "$(fingerprint)" ]]; then
    exit 0
fi
rm -f "$stamp"
install
fingerprint >"$stamp.new"
mv "$stamp.new" "$stamp"
rm -f "$stamp.started"
say "$venv is ready"
