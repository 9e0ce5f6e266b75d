#!/usr/bin/env bash
# Puts keylane into wireguard-go: by its import, and then with the packets of a queue in one call.
#
#   try.sh                   its own tests, without keylane and with it, and queues_test.go
#   try.sh sources FOLDER    only the sources of all three
#   try.sh figures [FOLDER]  the CPU time of a packet from one device to another in one process, in nanoseconds; FOLDER gets
#                            the record
#
# Go fetches the module, and its sources are copied to a temporary folder.
set -euo pipefail

version=v0.0.0-20260522210424-ecfc5a8d5446
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources=$work
if [[ ${1-} == sources ]]; then sources=$(mkdir -p "$2" && realpath "$2"); fi
export GOWORK=off

printf 'module none\n' >"$work/go.mod"
module=$(cd "$work" && go mod download -json "golang.zx2c4.com/wireguard@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')

# The sources.
fetched() {
    mkdir -p "$sources/$1"
    cp -r "$module/." "$sources/$1"
    chmod -R u+w "$sources/$1"
    cp "$here/queues_test.go" "$sources/$1/device/"
}
# Another import path.
imported() {
    fetched "$1"
    sed -i 's|"golang.org/x/crypto/chacha20poly1305"|"keylane.example/go/chacha20poly1305"|' "$sources/$1"/device/*.go
    gofmt -w "$sources/$1/device"
}
# The workers' loops only prepare packets; a batch then seals or opens all of a container. Where an edit does not fit, the
# result does not compile.
queued() {
    imported "$1"
    cp "$here/batch.go" "$sources/$1/device/"
    sed -i -e '/"keylane.example\/go\/chacha20poly1305"/d' \
        -e 's/var nonce \[chacha20poly1305.NonceSize\]byte/var batch batch/' "$sources/$1"/device/{send,receive}.go
    sed -i -e '/PutUint64(nonce\[/,/^\t\t\t)$/d' \
        -e 's/^\t\telemsContainer.Unlock()/\t\tbatch.seal(elemsContainer.elems)\n&/' "$sources/$1/device/send.go"
    sed -i -e '/^\t\t\tcontent := /d' -e '/^\t\t\tvar err error$/d' -e '/PutUint64(nonce\[/,/^\t\t\t}$/d' \
        -e 's/^\t\telemsContainer.Unlock()/\t\tbatch.open(elemsContainer.elems)\n&/' "$sources/$1/device/receive.go"
    gofmt -w "$sources/$1/device"
}
fetched without
imported import
queued queues
# The same modules for all.
go -C "$sources/import" mod edit -require keylane.example/go@v0.0.0 -replace "keylane.example/go=$here/../../go"
go -C "$sources/import" mod tidy
for with in without queues; do cp "$sources"/import/go.{mod,sum} "$sources/$with/"; done
if [[ ${1-} == sources ]]; then exit; fi

if [[ ${1-} == figures ]]; then
    for with in without import queues; do
        go -C "$sources/$with" test -c -o "$work/$with.test" ./device
    done
    # The first column once more shows what a difference by chance is.
    cp "$work/without.test" "$work/again.test"
    for ((round = 0; round < 10; round++)); do
        # There and back: what the machine does meanwhile then favours none.
        order=(without import queues again)
        if ((round % 2)); then order=(again queues import without); fi
        for with in "${order[@]}"; do
            "$work/$with.test" -test.run '^$' -test.bench Queues -test.benchtime 40ms -test.cpu 1 |
                sed -nE "s|^\S*/way=(\w+)/bytes=([0-9]+)/batch=([0-9]+)\s.*\s([0-9.]+) cpu-ns/op.*|\1,\2 bytes: \3 together,$with,\4|p"
        done
    done >"$work/figures"
    python3 "$here/../figures.py" --method "contrib/wireguard-go/try.sh figures FOLDER: medians of ten runs" \
        --program "$(go version)" --program "golang.zx2c4.com/wireguard $version" ${2:+--record "$2"} <"$work/figures"
    exit
fi

for with in without import queues; do
    printf '\n== %s\n' "$with"
    go -C "$sources/$with" test -count 1 ./...
done
printf '\n== queues, with the race detector\n'
go -C "$sources/queues" test -count 1 -race ./device
