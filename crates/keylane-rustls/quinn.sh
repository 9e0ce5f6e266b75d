#!/usr/bin/env bash
# The tests of quinn-proto with keylane's suite, preferred by both sides.
#
# Cargo fetches its source, which is copied to a temporary folder. One line of the copy changes: the one that makes its
# provider. Nothing of it stays.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/../../target/quinn}

mkdir -p "$work/sources/src"
touch "$work/sources/src/lib.rs"
cat >"$work/sources/Cargo.toml" <<'END'
[package]
name = "sources"
version = "0.0.0"
edition = "2024"

[dependencies]
quinn-proto = "0.11"

[workspace]
END
cargo metadata --quiet --format-version 1 --manifest-path "$work/sources/Cargo.toml" >"$work/metadata"
source=$(python3 -c '
import json, os, sys
print(*(os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == "quinn-proto"))
' <"$work/metadata")
cp -r "$source" "$work/quinn-proto"
rm -f "$work/quinn-proto/Cargo.lock"
cd "$work/quinn-proto"
printf '\n[dependencies.keylane-rustls]\npath = "%s"\n\n[workspace]\n' "$here" >>Cargo.toml

line='let provider = rustls::crypto::ring::default_provider();'
ours='let mut provider = keylane_rustls::provider(rustls::crypto::ring::default_provider());
    provider.cipher_suites.sort_by_key(|suite| !keylane_rustls::is_chacha20(suite.suite()));'
python3 - "$line" "$ours" <<'END'
import pathlib, sys
line, ours = sys.argv[1:]
file = pathlib.Path("src/crypto/rustls.rs")
text = file.read_text()
assert text.count(line) == 1, "quinn-proto makes its provider elsewhere"
file.write_text(text.replace(line, ours))
END
cargo test --quiet --release --lib
