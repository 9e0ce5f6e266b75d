/* Redis' src/siphash.c, by keylane: the same two functions, SipHash-1-2 under Redis' seed, with the same
 * results. The exception is big-endian CPUs, where Redis' own results have their bytes reversed.
 *
 * Compiles alone, next to keylane_inline.h. README.md explains how to put it into Redis, and what that
 * changes.
 *
 * MIT or Apache-2.0. */

#include "keylane_inline.h"

/* The hash of a key. */
uint64_t siphash(const uint8_t *in, const size_t inlen, const uint8_t *k) {
    const keylane_inline_key key = keylane_inline_prepare(k);
    return keylane_inline_hash64(&key, 1, 2, in, inlen);
}

/* The hash of a key, regardless of the case of its ASCII letters. */
uint64_t siphash_nocase(const uint8_t *in, const size_t inlen, const uint8_t *k) {
    const keylane_inline_key key = keylane_inline_prepare(k);
    return keylane_inline_hash64_nocase(&key, 1, 2, in, inlen);
}
