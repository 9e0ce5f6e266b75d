#!/usr/bin/env bash
# Times keylane's Go packages beside their peers, and files what came of it: run.sh [--short] FOLDER [SUITE...]
#
# A suite is the beginning of its benchmarks' names: Maps, SipHash, Poly1305; without any, all are run. They are run
# in rounds, each of which has every cell once: the samples of a cell lie apart in time, so that a neighbour's burst
# spoils few of them, and their median stands. FOLDER gets SUITE.txt, as `go test -bench` prints it, SUITE-table.txt,
# where benchstat has put it side by side, and machine.txt. --short takes some cells, once, for a look.
set -euo pipefail
rounds=6
options=(-test.run '^$' -test.timeout 0 -test.benchtime 50ms)
if [[ ${1-} == --short ]]; then
    rounds=1
    options+=(-test.benchtime 10ms -test.short)
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

built=$(mktemp -d)
trap 'rm -r "$built"' EXIT
go test -c -o "$built/bench" .
for suite; do
    : >"$folder/$suite.txt"
done
for ((round = 0; round < rounds; round++)); do
    for suite; do
        "$built/bench" "${options[@]}" -test.bench "^Benchmark$suite" | tee -a "$folder/$suite.txt"
    done
done
for suite; do
    go tool benchstat -col "$([[ $suite == Maps* ]] && echo /map || echo /by)" "$folder/$suite.txt" \
        >"$folder/$suite-table.txt"
done
