#!/usr/bin/env bash
# Tests keylane_sodium.h: published answers, and the same program with libsodium on random input. It needs libsodium-dev, a
# C and a C++ compiler and Python.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
target=${CARGO_TARGET_DIR:-$root/target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The library that is installed in the folder $KEYLANE_PREFIX, or one that is built here.
if [[ ${KEYLANE_PREFIX-} ]]; then
    library=("-I$here" "-I$KEYLANE_PREFIX/include" "$(find "$KEYLANE_PREFIX" -name 'libkeylane*.a')" -lpthread -ldl -lm)
else
    cargo build --quiet --release --manifest-path "$root/Cargo.toml" --package keylane-capi --target-dir "$target"
    library=("-I$here" "-I$root/crates/keylane-capi/include" "$target/release/libkeylane_capi.a" -lpthread -ldl -lm)
fi
flags=(-O2 -Wall -Wextra -Werror)
"${CC:-cc}" -std=c99 "${flags[@]}" -DKEYLANE "$here/answers.c" "${library[@]}" -o "$work/ours"
"${CC:-cc}" -std=c99 "${flags[@]}" "$here/answers.c" -lsodium -o "$work/theirs"
"${CC:-cc}" -std=c99 "${flags[@]}" "$here/names.c" "${library[@]}" -lsodium -o "$work/names"
"${CXX:-c++}" -std=c++11 "${flags[@]}" -x c++ "$here/names.c" -x none "${library[@]}" -lsodium -o "$work/names++"
"$work/names"
"$work/names++"

# libsodium's header after this one.
order=(-DKEYLANE -include keylane_sodium.h -include sodium.h)
"${CC:-cc}" -std=c99 "${flags[@]}" "${order[@]}" "$here/answers.c" "${library[@]}" -lsodium -o "$work/after"
"${CXX:-c++}" -std=c++11 "${flags[@]}" -Wold-style-cast "${library[@]:0:2}" "${order[@]}" -x c++ -c /dev/null -o "$work/after.o"

# States at every address, by compilers that may make use of an alignment.
for compiler in cc gcc clang; do
    if ! command -v "$compiler" >/dev/null; then
        echo "not run: states at every address: there is no $compiler here"
        [[ ${CI-} != true ]]
        continue
    fi
    for level in -O0 -O3; do
        "$compiler" -std=c99 "${flags[@]}" $level "$here/packed.c" -lsodium -o "$work/packed-theirs"
        "$compiler" -std=c99 "${flags[@]}" $level -DKEYLANE "$here/packed.c" "${library[@]}" -o "$work/packed-ours"
        "$work/packed-theirs" >"$work/packed-theirs.txt"
        "$work/packed-ours" >"$work/packed-ours.txt"
        cmp "$work/packed-theirs.txt" "$work/packed-ours.txt"
    done
done

python3 - "$root/tests/testdata" "$work" <<'END'
import json, pathlib, random, subprocess, sys

testdata, work = map(pathlib.Path, sys.argv[1:])


def tags(program, lines):
    text = "".join(" ".join(word or "-" for word in line) + "\n" for line in lines)
    run = subprocess.run([work / program], input=text, check=True, capture_output=True, text=True)
    return run.stdout.split()


def cases(name):
    return [case for case in json.loads((testdata / name).read_text())["cases"] if case["result"] == "valid"]


names = {64: "shorthash", 128: "shorthashx"}
published = [(names[c["tag_bits"]], c) for c in cases("siphash.json") if (c["c"], c["d"]) == (2, 4)]
published += [("onetimeauth", c) for c in cases("poly1305.json")]
lines = [(name, case["key"], case["msg"]) for name, case in published]
answers = [case["tag"] for _, case in published]
for name, file, size in [("aead", "chacha20_poly1305", 12), ("aeadx", "xchacha20_poly1305", 24)]:
    for group in json.loads((testdata / f"wycheproof/{file}_test.json").read_text())["testGroups"]:
        for c in group["tests"]:
            if c["result"] == "valid" and len(c["iv"]) == 2 * size:
                lines.append((name, c["key"], c["msg"], c["iv"], c["aad"]))
                answers.append(c["ct"] + c["tag"])
assert tags("ours", lines) == answers
assert tags("theirs", lines) == answers
assert tags("after", lines) == answers

rng = random.Random(1)
lines = []
for length in [*range(600), *(rng.randrange(20000) for _ in range(200))]:
    for name, size in [("shorthash", 16), ("shorthashx", 16), ("onetimeauth", 32)]:
        lines.append((name, rng.randbytes(size).hex(), rng.randbytes(length).hex()))
    for name, size in [("aead", 12), ("aeadx", 24)]:
        aad = rng.randbytes(rng.choice([0, 12, 13, rng.randrange(300)]))
        lines.append((name, *(bytes.hex() for bytes in (rng.randbytes(32), rng.randbytes(length), rng.randbytes(size), aad))))
assert tags("ours", lines) == tags("theirs", lines)
print(f"{len(answers)} published answers, {len(lines)} random messages as libsodium")
END
