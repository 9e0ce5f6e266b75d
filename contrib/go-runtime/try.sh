#!/usr/bin/env bash
# Tests the overlay with the Go that is here.
#
#   try.sh                             our tests, and Go's own tests of maps and hashes, for every variant
#   try.sh runtime                     all tests of runtime, internal/runtime/maps and hash/maphash, with SipHash-1-3; many
#                                      minutes
#   try.sh figures FOLDER [ROUNDS]     the benchmarks of lives/: AES, Go's portable hash, three variants, and _others/
#   try.sh quick FOLDER                five rounds of the twelve benchmarks as printed: AES, Go's portable hash, SipHash-1-3 and
#                                      2-4; less than two minutes once built
#
# GOARCH=386 tests and measures programs of 32 bits. `figures` keeps its programs and its samples in FOLDER, and adds ROUNDS
# (3) more samples of each cell. In a round, all hashes run a cell one after the other, so that other load meets all of
# them. A run that does not count comes first and warms the memory. Every other round has the reverse order. It prints a
# table by benchstat, and puts ratios of the samples of one round into lives.csv.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# overlay FOLDER [OPTIONS]: makes it for the Go that is here, with a program for this machine.
overlay() (
    unset GOARCH GOOS GOFLAGS
    go run . "${@:2}" "$1"
)
# other NAME FOLDER: the overlay of a hash below _others/, with dchest's own code from its module.
other() (
    unset GOARCH GOOS GOFLAGS
    cp -r "_others/$1" "$work/$1"
    if [[ $1 == dchest ]]; then
        module=$(go -C ../../go/bench list -m -f '{{.Dir}}' github.com/dchest/siphash)
        sed -e '/^\/\/ *+build /d' -e '/^\/\/go:build /d' -e 's/^package siphash$/package runtime/' \
            -e 's/^func Hash(/func dchestHash(/' -e 's/BlockSize/8/g' "$module/hash.go" >"$work/$1/dchest_hash.go"
    fi
    overlay "$2" -hash "$work/$1"
)
variants=(1-1 1-3 2-4)
others=(jenkins fnv1a dchest)
tag() { echo "keylane_siphash${1/-/}"; }

cells=. time=100ms
if [[ ${1-} == quick ]]; then
    variants=(1-3 2-4) others=() cells='keys=(int|printed)' time=40ms
    set -- figures "$2" 5
fi
if [[ ${1-} == figures ]]; then
    folder=$(mkdir -p "$2" && realpath "$2")
    if [[ ! -e $folder/overlay/overlay.json ]]; then
        overlay "$folder/overlay"
        go test -c -o "$folder/plain" ./lives
        for variant in "${variants[@]}"; do
            go test -c -overlay "$folder/overlay/overlay.json" -tags "$(tag "$variant")" -o "$folder/$variant" ./lives
        done
        for name in "${others[@]}"; do
            other "$name" "$folder/overlay-$name"
            go test -c -overlay "$folder/overlay-$name/overlay.json" -o "$folder/$name" ./lives
        done
        {
            date -u
            git rev-parse HEAD
            go version
            go env GOARCH
            go -C ../../go/bench list -m github.com/dchest/siphash golang.org/x/perf
            lscpu
        } >"$folder/machine.txt"
        "$folder/plain" -test.run '^$' -test.bench "/$cells" -test.benchtime 1x |
            sed -nE 's/^(Benchmark.*count=[0-9]+).*/\1/p' >"$folder/cells.txt"
        : >"$folder/figures.txt"
    fi
    order=(aes portable "${variants[@]}" "${others[@]}")
    for ((round = 0; round < ${3:-3}; round++)); do
        while read -r cell; do
            bench=(-test.run '^$' -test.bench "^${cell//\//$/^}$" -test.benchtime "$time" -test.timeout 0)
            "$folder/plain" "${bench[@]}" >/dev/null
            for hash in "${order[@]}"; do
                case $hash in
                aes) run=("$folder/plain") ;;
                portable) run=(env GODEBUG=cpu.aes=off "$folder/plain") ;;
                *) run=("$folder/$hash") ;;
                esac
                "${run[@]}" "${bench[@]}" |
                    sed -E "s|^(Benchmark.*/count=[0-9]+)|\1/hash=${hash/-/.}|" >>"$folder/figures.txt"
            done
        done <"$folder/cells.txt"
        reversed=()
        for hash in "${order[@]}"; do reversed=("$hash" "${reversed[@]}"); done
        order=("${reversed[@]}")
    done
    target=$(go env GOARCH)
    env -u GOARCH go run ./figures "$target" "$folder/figures.txt" >"$folder/lives.csv"
    env -u GOARCH go -C ../../go/bench tool benchstat -col /hash "$folder/figures.txt"
    exit
fi

overlay "$work/overlay"
json=$work/overlay/overlay.json

if [[ ${1-} == runtime ]]; then
    go test -overlay "$json" -timeout 60m runtime internal/runtime/maps hash/maphash
    exit
fi

(unset GOARCH && go test .)
for variant in "${variants[@]}"; do
    printf '\n== SipHash-%s, GOARCH=%s\n' "$variant" "$(go env GOARCH)"
    tags=$(tag "$variant")
    # The functions by themselves, with known keys.
    go test -tags "$tags" ./runtime
    # The functions inside the runtime, with its own key.
    go test -overlay "$json" -tags "$tags,keylane_overlay" -ldflags=-checklinkname=0 ./inside \
        -args -compression "${variant%-*}" -final "${variant#*-}"
    # Go's tests, which know nothing of this hash. Without -short, SipHash-1-1 fails TestSmhasherAvalanche.
    go test -short -overlay "$json" -tags "$tags" internal/runtime/maps internal/sync hash/maphash maps unique
    go test -short -overlay "$json" -tags "$tags" -run 'Map|Hash|Smhasher|Collisions' runtime reflect
done
