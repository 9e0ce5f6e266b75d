#!/usr/bin/env bash
# Builds the newest OpenSSL whose source is available. The crate openssl-src carries it, without what shared libraries need, so
# the programs contain the library.
#
#   newest.sh FOLDER    installs it below FOLDER, which OPENSSL=FOLDER try.sh then takes; some minutes
#
# It needs cargo, a C compiler, make and perl.
set -euo pipefail

[[ $# == 1 ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo init --quiet --vcs none --name source "$work/source"
cargo add --quiet --manifest-path "$work/source/Cargo.toml" openssl-src
cargo vendor --quiet --manifest-path "$work/source/Cargo.toml" "$work/vendor" >/dev/null
cd "$work/vendor/openssl-src/openssl"
perl ./Configure no-docs no-tests no-legacy no-shared --prefix="$folder" --libdir=lib >"$folder/build.log"
make -j"$(nproc)" >>"$folder/build.log" 2>&1 || { tail -n 5 "$folder/build.log" >&2; exit 1; }
make install_sw >>"$folder/build.log" 2>&1
"$folder/bin/openssl" version
