#!/usr/bin/env bash
# Tests the packages of this folder.
#
#   try.sh            the tests of this folder, those of the packages that are replaced, and those of their users
#   try.sh figures [FOLDER]
#                     ChaCha20-Poly1305 and siphasher's hashers: without the patch, with siphasher and poly1305, and with
#                     chacha20poly1305 too; FOLDER gets the record
#
# Cargo fetches the packages. Their sources are copied to a temporary folder, and nothing of them stays.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target/patch}

# The lines that a user writes, for these folders.
patch() {
    local name
    printf '\n[patch.crates-io]\n'
    for name in "$@"; do
        printf '"%s" = { package = "%s", path = "%s" }\n' "${name/./-}" "${name%%-*}" "$here/$name"
    done
}
hashes="siphasher poly1305 poly1305-0.8"
packets="chacha20poly1305 chacha20poly1305-0.10"

# A package by itself, with no code.
package() {
    mkdir -p "$work/$1/src"
    printf '[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n' "${1##*/}" >"$work/$1/Cargo.toml"
    cat >>"$work/$1/Cargo.toml"
    touch "$work/$1/src/lib.rs"
}

if [[ ${1-} == figures ]]; then
    declare -A names=([without]="" [with]="$hashes" [with chacha20poly1305]="$hashes $packets")
    columns=(without with "with chacha20poly1305")
    for with in "${columns[@]}"; do
        cp -r "$here/bench" "$work/$with"
        sed -i "s|\.\./\.\./\.\.|$root|" "$work/$with/Cargo.toml"
        # shellcheck disable=SC2086
        if [[ -n ${names[$with]} ]]; then patch ${names[$with]} >>"$work/$with/Cargo.toml"; fi
        cargo build --quiet --release --manifest-path "$work/$with/Cargo.toml" --target-dir "$CARGO_TARGET_DIR/$with"
    done
    for _ in 1 2 3 4 5; do
        for with in "${columns[@]}"; do
            "$CARGO_TARGET_DIR/$with/release/patch-bench" "$with"
        done
    done >"$work/figures"
    python3 "$here/../figures.py" --method "contrib/patch/try.sh figures FOLDER: medians of five runs" \
        --program "$(rustc --version)" ${2:+--record "$2"} <"$work/figures"
    exit
fi

printf '\n== beside the packages that are replaced\n'
cargo test --quiet --release --manifest-path "$here/compare/Cargo.toml"

printf '\n== the sources of the packages\n'
package sources <<'END'
[dependencies]
chacha20poly1305 = "0.11"
chacha20poly1305-previous = { package = "chacha20poly1305", version = "0.10" }
crypto_secretbox = "0.1"
phf = { version = "0.14", features = ["macros"] }
poly1305 = "0.9"
poly1305-previous = { package = "poly1305", version = "0.8" }
siphasher = "1"
snow = "0.10"

[workspace]
END
cargo metadata --quiet --format-version 1 --manifest-path "$work/sources/Cargo.toml" >"$work/metadata"
# The folder of a package, by the beginning of its version.
source_of() {
    python3 -c '
import json, os, sys
name, version = sys.argv[1:]
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == name and package["version"].startswith(version + "."):
        print(os.path.dirname(package["manifest_path"]))
' "$@" <"$work/metadata"
}

# Several workspaces, since one cannot have two versions of a package, or a package and what replaces it.
declare -A members=() replaced=() options=()
workspace=current
replaced[current]="siphasher poly1305"
options[current]=--all-features

# A user: its package as it is, without its lock file and what only its benchmarks need.
user() {
    local from
    from=$(source_of "$1" "$2")
    mkdir -p "$work/$workspace"
    cp -r "$from" "$work/$workspace/$1"
    rm -f "$work/$workspace/$1/Cargo.lock"
    python3 - "$work/$workspace/$1/Cargo.toml" <<'END'
import pathlib, re, sys
manifest = pathlib.Path(sys.argv[1])
sections = re.split(r"^(?=\[)", manifest.read_text(), flags=re.MULTILINE)
bench = re.compile(r"\[\[bench\]\]|\[.*dev-dependencies\.criterion\b.*\]")
manifest.write_text("".join(section for section in sections if not bench.match(section)))
END
    members[$workspace]+="\"$1\", "
    basename "$from"
}

# The tests of a package that is replaced, for the one that replaces it. The rest of the manifest is the input.
tests() {
    package "$workspace/$1-tests"
    members[$workspace]+="\"$1-tests\", "
}

user chacha20poly1305 0.11
user phf 0.14
user phf_shared 0.14
tests siphasher <<'END'
[features]
default = ["serde", "serde_json"]
serde = []
serde_json = ["dep:serde_json"]

[dependencies]
serde_json = { version = "1", optional = true }
siphasher = { version = "1", features = ["serde_std"] }
END
cp "$(source_of siphasher 1.0)"/src/tests{,128}.rs "$work/current/siphasher-tests/src"
cat >"$work/current/siphasher-tests/src/lib.rs" <<'END'
pub use siphasher::{sip, sip128};
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests128;
END
tests poly1305 <<'END'
[dependencies]
hex-literal = "1"
poly1305 = "0.9"
END
cp -r "$(source_of poly1305 0.9)/tests" "$work/current/poly1305-tests"

workspace=previous
replaced[previous]=poly1305-0.8
options[previous]=--all-features
user chacha20poly1305 0.10
user crypto_secretbox 0.1
tests poly1305 <<'END'
[dependencies]
hex-literal = "0.3"
poly1305 = "0.8"
END
cp -r "$(source_of poly1305 0.8)/tests" "$work/previous/poly1305-tests"

workspace=packets
replaced[packets]=chacha20poly1305
options[packets]="--features chacha20poly1305-tests/alloc"
tests chacha20poly1305 <<'END'
[features]
alloc = ["chacha20poly1305/alloc"]

[dependencies]
aead = { version = "0.6", features = ["dev"] }
chacha20poly1305 = { version = "0.11", features = ["arrayvec", "bytes", "zeroize"] }
END
cp -r "$(source_of chacha20poly1305 0.11)/tests" "$work/packets/chacha20poly1305-tests"

workspace=packets-previous
replaced[packets-previous]=chacha20poly1305-0.10
options[packets-previous]="--features chacha20poly1305-tests/alloc,snow/vector-tests,snow/xchachapoly"
user snow 0.10
tests chacha20poly1305 <<'END'
[features]
alloc = ["chacha20poly1305/alloc"]

[dependencies]
aead = { version = "0.5", features = ["dev"] }
chacha20poly1305 = { version = "0.10", features = ["std", "stream"] }
END
cp -r "$(source_of chacha20poly1305 0.10)/tests" "$work/packets-previous/chacha20poly1305-tests"

# The packages that a workspace takes from this folder. A patch that does not apply is only a warning to Cargo.
patched() {
    cargo metadata --quiet --format-version 1 --manifest-path "$work/$1/Cargo.toml" | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] in sys.argv[1:]:
        print(package["name"], package["version"], package["source"] or "patched")
' "${@:2}" | LC_ALL=C sort
}
for workspace in "${!replaced[@]}"; do
    {
        printf '[workspace]\nresolver = "3"\nmembers = [%s]\n' "${members[$workspace]}"
        # shellcheck disable=SC2086
        patch ${replaced[$workspace]}
    } >"$work/$workspace/Cargo.toml"
done
[[ $(patched current siphasher poly1305) == $'poly1305 0.9.1 patched\nsiphasher 1.0.4 patched' ]]
[[ $(patched previous poly1305) == 'poly1305 0.8.0 patched' ]]
[[ $(patched packets chacha20poly1305) == 'chacha20poly1305 0.11.0 patched' ]]
[[ $(patched packets-previous chacha20poly1305) == 'chacha20poly1305 0.10.1 patched' ]]

for workspace in current previous packets packets-previous; do
    printf '\n== with %s of this folder\n' "${replaced[$workspace]// / and }"
    # shellcheck disable=SC2086
    cargo test --quiet --release --workspace ${options[$workspace]} --manifest-path "$work/$workspace/Cargo.toml"
done 2>&1 | tee "$work/log"
passed=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$work/log" | awk '{ sum += $1 } END { print sum }')
printf '\n== %s tests passed\n' "$passed"
