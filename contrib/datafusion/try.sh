#!/usr/bin/env bash
# Tests keylane's functions for DataFusion: the vectors of KCE-1 through SQL, names, missing keys, plans. DataFusion
# compiles for minutes, so this runs at night (.ci/checks).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/../../target/datafusion}
cd "$here"

cargo fmt --check
cargo clippy --quiet --locked --all-targets -- -D warnings
cargo test --quiet --locked
echo "keylane in DataFusion: passed in $SECONDS s"
