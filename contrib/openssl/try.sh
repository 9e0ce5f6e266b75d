#!/usr/bin/env bash
# Builds the provider and tests it with the installed OpenSSL.
#
#   try.sh            published answers by `openssl mac` and by EVP, random calls beside the default provider, and
#                     connections of TLS, also of s_server and s_client
#   try.sh figures [FOLDER]
#                     the time of a call, beside the default provider; FOLDER gets the record
#
# With OPENSSL=FOLDER, it takes the OpenSSL that is installed below FOLDER: newest.sh builds one.
# It needs openssl, libssl-dev, a C compiler and Python.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
target=${CARGO_TARGET_DIR:-$root/target/openssl}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo build --quiet --release --manifest-path "$here/Cargo.toml" --target-dir "$target"
cp "$target/release/libkeylane_openssl.so" "$work/keylane.so"
flags=()
if [[ -n ${OPENSSL-} ]]; then
    flags=(-I"$OPENSSL/include" -L"$OPENSSL/lib")
    PATH=$OPENSSL/bin:$PATH
fi
for program in compare cipher; do
    "${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE -Wall -Wextra -Werror "${flags[@]}" "$here/$program.c" -lssl -lcrypto -ldl \
        -lpthread -o "$work/$program"
done
openssl version
if [[ ${1-} == figures ]]; then
    for _ in 1 2 3 4 5; do "$work/compare" "$work" figures; done >"$work/figures"
    python3 "$here/../figures.py" --method "contrib/openssl/try.sh figures FOLDER: medians of five runs" \
        --program "$(openssl version)" --program "$(rustc --version)" ${2:+--record "$2"} <"$work/figures"
    exit
fi

exported=$(nm --dynamic --defined-only "$work/keylane.so" | awk '{ print $3 }')
[[ $exported == OSSL_provider_init ]] || { printf 'exports: %s\n' "$exported"; exit 1; }

python3 - "$root/tests/testdata" "$work" <<'END'
import json, pathlib, subprocess, sys

testdata, work = map(pathlib.Path, sys.argv[1:])
provider = ["-provider-path", str(work), "-provider", "keylane"]


def mac(name, key, message, options):
    """What an unmodified `openssl` says. A program's arguments are no place for a key that is not published."""
    (work / "message").write_bytes(message)
    options = [word for option in [f"hexkey:{key}", *options] for word in ("-macopt", option)]
    command = ["openssl", "mac", *provider, *options, "-in", str(work / "message"), name]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().lower()


def cases(name):
    return json.loads((testdata / name).read_text())["cases"]


sip = [(case, case["c"], case["d"], case["tag_bits"]) for case in cases("siphash.json")]
for width, c, d in [("", 1, 3), ("", 2, 4), ("", 4, 8), ("x", 2, 4), ("x", 4, 8)]:
    file = json.loads((testdata / f"wycheproof/siphash{width}_{c}_{d}_test.json").read_text())
    for group in file["testGroups"]:
        sip += [(case, c, d, group["tagSize"]) for case in group["tests"]]
answers = [(case, "SIPHASH", [f"size:{bits // 8}", f"c-rounds:{c}", f"d-rounds:{d}"]) for case, c, d, bits in sip]
answers += [(case, "POLY1305", []) for case in cases("poly1305.json")]
for case, name, options in answers:
    tag = mac(name, case["key"], bytes.fromhex(case["msg"]), options)
    assert (tag == case["tag"]) == (case["result"] == "valid"), case
print(f"{len(answers)} published answers by openssl mac")
END
"$work/compare" "$work"
"$work/cipher" "$work" evp
python3 - "$root/tests/testdata/wycheproof/chacha20_poly1305_test.json" <<'END' | "$work/cipher" "$work" answers
import json, pathlib, sys

for group in json.loads(pathlib.Path(sys.argv[1]).read_text())["testGroups"]:
    for case in group["tests"]:
        if len(case["iv"]) == 24:
            words = [case[name] or "-" for name in ("key", "iv", "aad", "msg", "ct", "tag")]
            print(*words, int(case["result"] == "valid"))
END

# TLS: a certificate for these connections, then libssl in one process.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -keyout "$work/key" \
    -out "$work/certificate" 2>"$work/req" || { cat "$work/req" >&2; exit 1; }
cat "$work/key" "$work/certificate" >"$work/pem"
"$work/cipher" "$work" tls "$work/pem"

# s_server sends a file to s_client; one of them has keylane.
head -c 3000000 /dev/urandom >"$work/file"
keylane=(-provider-path "$work" -provider keylane -provider default -propquery "?provider=keylane")
serve() { # VERSION ARGUMENT...: sends the file to one client
    : >"$work/served"
    (cd "$work" && exec openssl s_server -accept 127.0.0.1:0 -naccept 1 -HTTP -cert certificate -key key "$@") \
        >"$work/served" 2>&1 &
    for _ in {1..100}; do
        port=$(sed -n 's/^ACCEPT .*://p' "$work/served")
        [[ $port ]] && return
        sleep 0.1
    done
    cat "$work/served" >&2
    exit 1
}
for version in "-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256" "-tls1_2 -cipher ECDHE-ECDSA-CHACHA20-POLY1305"; do
    read -ra suite <<<"$version"
    for side in server client; do
        server=("${suite[@]}") client=("${suite[@]}")
        if [[ $side == server ]]; then server+=("${keylane[@]}"); else client+=("${keylane[@]}"); fi
        serve "${server[@]}"
        printf 'GET /file HTTP/1.0\r\n\r\n' |
            openssl s_client -connect "127.0.0.1:$port" -quiet "${client[@]}" >"$work/got" 2>"$work/client" || true
        wait $! || { cat "$work/served" >&2; exit 1; }
        cmp "$work/file" "$work/got" || { cat "$work/client" >&2; exit 1; }
        echo "s_server to s_client, ${suite[0]}, keylane as $side: 3000000 bytes"
    done
done
