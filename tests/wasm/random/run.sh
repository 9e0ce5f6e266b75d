#!/usr/bin/env bash
# Random keys on wasm32-unknown-unknown, where std's are the same in every process: two runs in node differ, a host
# without random bytes ends the run, and without a source keylane-map is not built.
#
#   tests/wasm/random/run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."
target=wasm32-unknown-unknown
at=${CARGO_TARGET_DIR:-target}/wasm-random

RUSTFLAGS='--cfg getrandom_backend="custom"' cargo build --quiet --locked --target-dir "$at" --target $target \
    --package keylane-random-wasm
run() { node tests/wasm/random/run.mjs "$at/$target/debug/keylane_random_wasm.wasm" "$@"; }
answers=$(run && run)
different=$(sort --unique <<<"$answers" | wc --lines)
((different == 8)) || { printf 'of 8 answers only %s differ:\n%s\n' "$different" "$answers"; exit 1; }
if run none >/dev/null 2>&1; then echo "a host without random bytes gave a key"; exit 1; fi

# SipHash and Poly1305 need no source. A random key does.
cargo check --quiet --locked --target-dir "$at" --target $target --package keylane
if refused=$(cargo check --quiet --locked --target-dir "$at" --target $target --package keylane-map 2>&1); then
    echo "keylane-map was built without a source of random keys"
    exit 1
fi
grep --quiet 'enable the feature `getrandom` of keylane-map' <<<"$refused" || { echo "$refused"; exit 1; }
# getrandom itself refuses a program that chooses no backend.
if refused=$(cargo check --quiet --locked --target-dir "$at" --target $target --package keylane-map \
    --features getrandom 2>&1); then
    echo "keylane-map was built without a backend of getrandom"
    exit 1
fi
grep --quiet 'enable the "wasm_js"' <<<"$refused" || { echo "$refused"; exit 1; }
echo "random keys of maps on $target: passed"
