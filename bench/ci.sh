#!/usr/bin/env bash
# What a change of bench/ must pass. The tests compare answers and try the method; they judge no figure. Everything is
# built with --release, so that the peers that are built from their sources are built once.
set -euo pipefail
cd "$(dirname "$0")"

cargo fmt --all --check
cargo clippy --release --workspace --all-targets -- -D warnings
cargo clippy --release --no-default-features -- -D warnings
cargo test --release
