#!/usr/bin/env bash
# Compares the hashing of Redis with its own siphash.c and with keylane's, then runs Redis' own tests with keylane's.
#
#   try.sh DIR [TESTS...]    DIR is an unpacked Redis source tree, which is not changed. TESTS are arguments for its
#                            ./runtest, for instance --single unit/type/hash; "none" skips the tests.
#
# CC, CFLAGS and MAKEFLAGS are those of Redis' own make. Nothing is downloaded: sources.sh gets Debian's sources.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../crates/keylane-capi/include
[[ $# -ge 1 && -f $1/src/siphash.c ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
redis=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiler=${CC:-cc}

printf '\n== hashing, by %s\n' "$("$compiler" --version | head -n 1)"
# As Redis' Makefile compiles it: see OPTIMIZATION there.
level=$(sed -n 's/^OPTIMIZATION?=//p' "$redis/src/Makefile" | tail -n 1)
read -ra flags <<<"-std=c11 ${level:--O2} ${CFLAGS:-}"
"$compiler" "${flags[@]}" -w -Dsiphash=redis_siphash -Dsiphash_nocase=redis_siphash_nocase \
    -c "$redis/src/siphash.c" -o "$work/redis.o"
for source in siphash siphash_many compare; do
    "$compiler" "${flags[@]}" -Wall -Wextra -I"$include" -c "$here/$source.c" -o "$work/$source.o"
done
"$compiler" "${flags[@]}" "$work"/{redis,siphash,siphash_many,compare}.o -o "$work/compare"
"$work/compare"
[[ ${1-} != none ]] || exit 0

printf '\n== Redis with it\n'
cp -r "$redis" "$work/redis"
cp "$here/siphash.c" "$include/keylane_inline.h" "$work/redis/src"
make -C "$work/redis" distclean >"$work/log" 2>&1
make -C "$work/redis" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
cd "$work/redis"
./runtest "$@"
