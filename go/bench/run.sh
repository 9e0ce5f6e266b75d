#!/usr/bin/env bash
# Times keylane's Go packages beside their peers, and files what came of it: run.sh [--short] FOLDER [SUITE...]
#
# A suite is the beginning of its benchmarks' names: Maps, SipHash, Poly1305; without any, all are run. FOLDER gets
# SUITE.txt, as `go test -bench` prints it, SUITE-table.txt, where benchstat has put it side by side, and machine.txt.
# --short takes some cells, once, for a look.
set -euo pipefail
options=(-count 6 -benchtime 50ms)
if [[ ${1-} == --short ]]; then
    options=(-count 1 -benchtime 10ms -short)
    shift
fi
if (($# == 0)); then
    echo "usage: run.sh [--short] FOLDER [SUITE...]" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(realpath "$1")
shift
if (($# == 0)); then
    set -- Maps SipHash Poly1305
fi
cd "$(dirname "$0")"

{
    date -u
    git rev-parse HEAD
    go version
    go list -m -f '{{.Path}} {{.Version}}' all
    lscpu
} >"$folder/machine.txt"

for suite; do
    go test -run '^$' -bench "^Benchmark$suite" -timeout 0 "${options[@]}" . | tee "$folder/$suite.txt"
    go tool benchstat -col "$([[ $suite == Maps* ]] && echo /map || echo /by)" "$folder/$suite.txt" \
        >"$folder/$suite-table.txt"
done
