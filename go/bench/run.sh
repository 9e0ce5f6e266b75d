#!/usr/bin/env bash
# Compares the speed of keylane's Go packages with others, and keeps the results: run.sh [--short] [--rounds N] FOLDER [SUITE...]
#
# A suite is Maps, SipHash, Poly1305 or ChaCha20Poly1305, the prefix of its benchmarks' names, or Loop: each batch call
# beside a loop over the single call. Without a suite, all are run. Every round runs each cell once, so the samples of a
# cell are far apart in time. A burst of other load then spoils few of them, and the median holds.
#
# The files in FOLDER: SUITE.txt, the output of `go test -bench`; SUITE-table.txt, the comparison by benchstat; loops.csv,
# how many cells of Loop are slower than the loop; and machine.txt. With --short, some cells are run once, for a quick
# look. ChaCha20Poly1305 also has columns for keylane without AVX-512, without AVX2, and without assembly.
set -euo pipefail
rounds=6 # benchstat tells no difference below 4
options=(-test.run '^$' -test.timeout 0 -test.benchtime 50ms)
if [[ ${1-} == --short ]]; then
    rounds=1
    options+=(-test.benchtime 10ms -test.short)
    shift
fi
if [[ ${1-} == --rounds ]]; then
    rounds=$2
    shift 2
fi
if (($# == 0)); then
    echo "usage: run.sh [--short] [--rounds N] FOLDER [SUITE...]" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(realpath "$1")
shift
if (($# == 0)); then
    set -- Maps SipHash Poly1305 ChaCha20Poly1305 Loop
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
go test -c -tags purego -o "$built/purego" .

# Runs keylane's cells of a suite with the kernels that are left, as those of another column: other NAME SUITE PROGRAM...
other() {
    "${@:3}" "${options[@]}" -test.bench "^Benchmark$2/././^by=keylane$" | sed "s|/by=keylane|&-$1|"
}
for suite; do
    : >"$folder/$suite.txt"
done
for ((round = 0; round < rounds; round++)); do
    for suite; do
        more=()
        # Each pass of Loop has five samples of each side, and gives their median.
        if [[ $suite == Loop* ]]; then more=(-test.benchtime 4x); fi
        "$built/bench" "${options[@]}" "${more[@]}" -test.bench "^Benchmark(Against)?$suite" | tee -a "$folder/$suite.txt"
        if [[ $suite == ChaCha20Poly1305 ]]; then
            if [[ $(go env GOARCH) == amd64 ]]; then
                other avx2 "$suite" env GODEBUG=cpu.avx512f=off "$built/bench"
                other sse2 "$suite" env GODEBUG=cpu.avx2=off "$built/bench"
            fi
            other purego "$suite" "$built/purego"
        fi | tee -a "$folder/$suite.txt"
    done
done
for suite; do
    case $suite in
    Maps*) columns=/map ;;
    Loop*) columns=.file ;;
    *) columns=/by ;;
    esac
    go tool benchstat -col "$columns" "$folder/$suite.txt" >"$folder/$suite-table.txt"
    if [[ $suite == Loop ]]; then go run ./loops "$folder/Loop.txt" >"$folder/loops.csv"; fi
done
