/* keylane, inlined: SipHash for short messages, compiled into its caller, for hash tables. Needs no library.
 *
 * The tags are those of keylane_siphash_hash64 and the functions like it. A call into a library costs some cycles,
 * which is much for a key of a few bytes. Here `c` and `d` are constants, 1 to 15 each, which cost nothing at run
 * time. For long messages and batches use keylane.h: it has the kernels for them.
 *
 *     keylane_inline_key k = keylane_inline_prepare(key);
 *     uint64_t tag = keylane_inline_hash64(&k, 1, 3, message, length);
 *
 * Nothing is checked: `message` must point to `length` bytes, or anywhere if `length` is 0. No other byte is read.
 * Running times depend on lengths alone. A prepared key is as secret as the key. C99, C++11.
 *
 * This file may be copied by itself into other programs (docs/INLINE_HEADER.md).
 * Copyright (c) 2026 The keylane developers
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef KEYLANE_INLINE_H
#define KEYLANE_INLINE_H

#include <stddef.h>
#include <stdint.h>

#if defined(_MSC_VER)
#define KEYLANE_INLINE static __forceinline
#else
#define KEYLANE_INLINE static inline __attribute__((always_inline))
#endif

/* The state before the first word. */
typedef struct keylane_inline_key {
    uint64_t v0, v1, v2, v3;
} keylane_inline_key;

/* 8 and 4 little-endian bytes, at any address. Compilers recognise the pattern and emit one load. */
KEYLANE_INLINE uint64_t keylane_inline_load64(const uint8_t *b) {
    const uint64_t b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3], b4 = b[4], b5 = b[5], b6 = b[6], b7 = b[7];
    return b0 | b1 << 8 | b2 << 16 | b3 << 24 | b4 << 32 | b5 << 40 | b6 << 48 | b7 << 56;
}

KEYLANE_INLINE uint32_t keylane_inline_load32(const uint8_t *b) {
    const uint32_t b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
    return b0 | b1 << 8 | b2 << 16 | b3 << 24;
}

/* Apple's cores take two operations and two cycles for a xor with a rotated operand, but one each for a rotation and a
 * xor apart: a round takes 6 cycles or 4. So there the compiler must not see what it could join. */
KEYLANE_INLINE uint64_t keylane_inline_rotl(uint64_t x, int bits) {
    x = x << bits | x >> (64 - bits);
#if defined(__APPLE__) && defined(__aarch64__)
    __asm__("" : "+r"(x));
#endif
    return x;
}

KEYLANE_INLINE void keylane_inline_round(keylane_inline_key *s) {
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = keylane_inline_rotl(s->v1, 13) ^ s->v0;
    s->v3 = keylane_inline_rotl(s->v3, 16) ^ s->v2;
    s->v0 = keylane_inline_rotl(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = keylane_inline_rotl(s->v1, 17) ^ s->v2;
    s->v3 = keylane_inline_rotl(s->v3, 21) ^ s->v0;
    s->v2 = keylane_inline_rotl(s->v2, 32);
}

KEYLANE_INLINE void keylane_inline_two_rounds(keylane_inline_key *s) {
    keylane_inline_round(s);
    keylane_inline_round(s);
}

/* `n` rounds, unrolled by the binary digits of n: a loop that is not unrolled would cost as much as a round. */
KEYLANE_INLINE void keylane_inline_rounds(keylane_inline_key *s, unsigned int n) {
    if (n & 1) keylane_inline_round(s);
    if (n & 2) keylane_inline_two_rounds(s);
    if (n & 4) {
        keylane_inline_two_rounds(s);
        keylane_inline_two_rounds(s);
    }
    if (n & 8) {
        keylane_inline_two_rounds(s);
        keylane_inline_two_rounds(s);
        keylane_inline_two_rounds(s);
        keylane_inline_two_rounds(s);
    }
}

KEYLANE_INLINE void keylane_inline_absorb(keylane_inline_key *s, unsigned int c, uint64_t word) {
    s->v3 ^= word;
    keylane_inline_rounds(s, c);
    s->v0 ^= word;
}

/* Absorbs the last word, finalises, and returns the tag. */
KEYLANE_INLINE uint64_t keylane_inline_finish(keylane_inline_key s, unsigned int c, unsigned int d, uint64_t last) {
    keylane_inline_absorb(&s, c, last);
    s.v2 ^= 0xff;
    keylane_inline_rounds(&s, d);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

/* Sets bit 0x20 in each byte from 'A' to 'Z'. Take a byte without its top bit. Adding 0x80 - 'A' sets bit 0x80 from
 * 'A' on; adding 0x7f - 'Z' sets it only beyond 'Z'. No sum carries into the next byte. */
KEYLANE_INLINE uint64_t keylane_inline_fold64(uint64_t word) {
    const uint64_t ones = UINT64_MAX / 0xff;
    const uint64_t low = word & ones * 0x7f;
    const uint64_t letters = (low + ones * (0x80 - 'A')) ^ (low + ones * (0x7f - 'Z'));
    return word | (letters & ~(word | ones * 0x7f)) >> 2;
}

KEYLANE_INLINE uint32_t keylane_inline_fold32(uint32_t word) {
    const uint32_t ones = UINT32_MAX / 0xff;
    const uint32_t low = word & ones * 0x7f;
    const uint32_t letters = (low + ones * (0x80 - 'A')) ^ (low + ones * (0x7f - 'Z'));
    return word | (letters & ~(word | ones * 0x7f)) >> 2;
}

/* Fewer than 8 bytes, as a word. The loads overlap, so three tests of the length suffice instead of seven. */
KEYLANE_INLINE uint64_t keylane_inline_short(const uint8_t *message, size_t length, int nocase) {
    if (length >= 4) {
        const uint64_t high = keylane_inline_load32(message + length - 4);
        const uint64_t word = keylane_inline_load32(message) | high << 8 * (length - 4);
        return nocase ? keylane_inline_fold64(word) : word;
    }
    if (length >= 2) {
        const uint32_t first = message[0], second = message[1], last = message[length - 1];
        const uint32_t word = first | second << 8 | last << 8 * (length - 1);
        return nocase ? keylane_inline_fold32(word) : word;
    }
    if (length == 1) {
        const uint32_t byte = message[0];
        return byte | (nocase && byte - 'A' < 26 ? 0x20u : 0);
    }
    return 0;
}

/* The common body of keylane_inline_hash64 and its nocase twin. The bytes after the last whole word: load the last 8
 * bytes and shift right by 8 * (8 - length % 8) bits. That may be 64, too much for one shift: so shift by 1, then by
 * the remaining (63 - 8 * length) modulo 64. No branch depends on length % 8, so none is mispredicted if lengths
 * differ. */
KEYLANE_INLINE uint64_t keylane_inline_siphash(const keylane_inline_key *k, unsigned int c, unsigned int d,
    int nocase, const void *message, size_t length) {
#ifdef __cplusplus
    const uint8_t *bytes = static_cast<const uint8_t *>(message);
#else
    const uint8_t *bytes = (const uint8_t *)message;
#endif
    const uint64_t length_byte = length;
    keylane_inline_key s = *k;
    uint64_t last;
    if (length < 8) {
        last = keylane_inline_short(bytes, length, nocase);
    } else {
        const uint8_t *const end = bytes + length - 8;
        do {
            const uint64_t word = keylane_inline_load64(bytes);
            keylane_inline_absorb(&s, c, nocase ? keylane_inline_fold64(word) : word);
            bytes += 8;
        } while (bytes <= end);
        last = keylane_inline_load64(end) >> 1 >> (~(8 * length) & 63);
        if (nocase) last = keylane_inline_fold64(last);
    }
    return keylane_inline_finish(s, c, d, last | length_byte << 56);
}

/* Prepares a key. */
KEYLANE_INLINE keylane_inline_key keylane_inline_prepare(const uint8_t key[16]) {
    const uint64_t k0 = keylane_inline_load64(key), k1 = keylane_inline_load64(key + 8);
    keylane_inline_key k;
    k.v0 = k0 ^ UINT64_C(0x736f6d6570736575);
    k.v1 = k1 ^ UINT64_C(0x646f72616e646f6d);
    k.v2 = k0 ^ UINT64_C(0x6c7967656e657261);
    k.v3 = k1 ^ UINT64_C(0x7465646279746573);
    return k;
}

/* The tag of a message by SipHash-c-d. */
KEYLANE_INLINE uint64_t keylane_inline_hash64(const keylane_inline_key *k, unsigned int c, unsigned int d,
    const void *message, size_t length) {
    return keylane_inline_siphash(k, c, d, 0, message, length);
}

/* The same, with ASCII capitals folded: each byte 'A' to 'Z' counts as 'a' to 'z', every other byte as itself. */
KEYLANE_INLINE uint64_t keylane_inline_hash64_nocase(const keylane_inline_key *k, unsigned int c, unsigned int d,
    const void *message, size_t length) {
    return keylane_inline_siphash(k, c, d, 1, message, length);
}

/* The tag of an integer's 4 or 8 little-endian bytes, on every CPU. */
KEYLANE_INLINE uint64_t keylane_inline_hash64_u32(const keylane_inline_key *k, unsigned int c, unsigned int d,
    uint32_t integer) {
    return keylane_inline_finish(*k, c, d, integer | UINT64_C(4) << 56);
}

KEYLANE_INLINE uint64_t keylane_inline_hash64_u64(const keylane_inline_key *k, unsigned int c, unsigned int d,
    uint64_t integer) {
    keylane_inline_key s = *k;
    keylane_inline_absorb(&s, c, integer);
    return keylane_inline_finish(s, c, d, UINT64_C(8) << 56);
}

#endif
