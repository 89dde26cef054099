# shellcheck shell=bash
# Sourced by test.sh and lint.sh: runs named steps, all of them even when one fails, and says how many passed.

export CGO_ENABLED=1
passed=0
failed=()

# step NAME COMMAND...
step() {
    local name=$1 began=$SECONDS
    shift
    echo "== $name"
    if "$@"; then
        passed=$((passed + 1))
        echo "-- $name: ok, $((SECONDS - began)) s"
    else
        failed+=("$name")
        echo "-- $name: FAILED, $((SECONDS - began)) s"
    fi
}

# The last thing a script does.
summary() {
    local name
    for name in "${failed[@]}"; do
        echo "failed: $name"
    done
    echo "$1: $passed passed, ${#failed[@]} failed"
    ((${#failed[@]} == 0))
}
