#!/usr/bin/env bash
# What a change of the lab must pass.
set -euo pipefail
cd "$(dirname "$0")"

build=(--release --locked --target-dir ../../target/lab)
cargo fmt --all --check
cargo clippy "${build[@]}" --all-targets -- -D warnings
cargo test "${build[@]}"
RUSTDOCFLAGS="-D warnings" cargo doc "${build[@]}" --no-deps
