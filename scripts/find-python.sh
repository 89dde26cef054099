#!/usr/bin/env bash
# Prints the path of a Python that can carry the environment: $PYTHON if it is set, otherwise the first that will do.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
unset PYTHONHOME PYTHONPATH

# Prints "VERSION PATH" and returns 0, or prints why not and returns 1.
probe() {
    local answer
    if ! command -v "$1" >/dev/null 2>&1; then
        echo "$1 is not there or not executable"
        return 1
    fi
    if answer=$(timeout 20 "$1" -E -s -B "$here/probe_python.py" 2>/dev/null); then
        echo "$answer"
        return 0
    fi
    # A pyenv shim without a version behind it, or an interpreter that cannot start, says nothing of use.
    echo "${answer:-$1 does not run}"
    return 1
}

if [[ -n "${PYTHON:-}" ]]; then
    if answer=$(probe "$PYTHON"); then
        echo "${answer#* }"
        exit 0
    fi
    echo "PYTHON=$PYTHON will not do: $answer" >&2
    exit 1
fi

candidates=(python3.11 python3)
for minor in 11 12 13 10; do
    for path in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$minor".*/bin/python3; do
        [[ -x "$path" ]] && candidates+=("$path")
    done
done
candidates+=(python3.12 python3.13 python3.10)

reasons=()
for candidate in "${candidates[@]}"; do
    if answer=$(probe "$candidate"); then
        echo "${answer#* }"
        exit 0
    fi
    reasons+=("$candidate: $answer")
done

{
    echo "No Python 3.10 to 3.13 with a shared library was found. Tried:"
    printf '  %s\n' "${reasons[@]}"
    echo "On Debian or Ubuntu: apt-get install python3 python3-venv libpython3-dev"
    echo "With pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install 3.11"
    echo "Then run make again, or name one: make setup PYTHON=/path/to/python3"
} >&2
exit 1
