/* Redis' src/siphash.c by keylane: the same two functions, SipHash-1-2 under Redis' seed. The results are
 * the same too, but on big-endian CPUs, where Redis' are these with the bytes turned around.
 *
 * Compiles alone, beside keylane_inline.h. README.md says how it is put into Redis, and what it changes.
 *
 * MIT or Apache-2.0. */

#include "keylane_inline.h"

/* The hash of a key. */
uint64_t siphash(const uint8_t *in, const size_t inlen, const uint8_t *k) {
    const keylane_inline_key key = keylane_inline_prepare(k);
    return keylane_inline_hash64(&key, 1, 2, in, inlen);
}

/* The same for all spellings of a key in ASCII capitals and small letters. */
uint64_t siphash_nocase(const uint8_t *in, const size_t inlen, const uint8_t *k) {
    const keylane_inline_key key = keylane_inline_prepare(k);
    return keylane_inline_hash64_nocase(&key, 1, 2, in, inlen);
}
