#!/usr/bin/env bash
# Runs layactl on a GPU host without a network, with that host's Python 3.12 and torch: doctor, then validate.
# usage: run.sh [FOLDER for the records] or run.sh -- LAYACTL ARGUMENTS...
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PYTHONPATH=$here/site${PYTHONPATH:+:$PYTHONPATH} LAYACTL_PLUGIN_PATH=$here/bin
LAYACTL_VENV=${LAYACTL_VENV:-$(python3 -c 'import sys; print(sys.prefix)')}
export LAYACTL_VENV
if [[ "${1:-}" == -- ]]; then
    shift
    exec "$here/bin/layactl" "$@"
fi
records=${1:-.}
mkdir -p "$records"
status=0
"$here/bin/layactl" doctor --json "$records/doctor.json" || status=$?
"$here/bin/layactl" validate --device cuda --json "$records/validate.json" || status=$?
exit "$status"
