/* SipHash-c-d as its paper defines it [SipHash, section 2]: the common code of both C files.
 *
 * SIP_C, SIP_D   the rounds per word and the rounds at the end
 * SIP_SUFFIX     appended to the name of every function, for programs with many builds
 */
#ifndef SIPHASH_H
#define SIPHASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SIP_JOIN(name, suffix) name##_##suffix
#define SIP_EXPAND(name, suffix) SIP_JOIN(name, suffix)
#define SIP_NAME(name) SIP_EXPAND(siphash_##name, SIP_SUFFIX)

struct sip_state {
    uint64_t v0, v1, v2, v3;
};

static inline uint64_t sip_rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* 8 bytes, little-endian. */
static inline uint64_t sip_load(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline void sip_round(struct sip_state *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = sip_rotate(s->v1, 13) ^ s->v0;
    s->v3 = sip_rotate(s->v3, 16) ^ s->v2;
    s->v0 = sip_rotate(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = sip_rotate(s->v1, 17) ^ s->v2;
    s->v3 = sip_rotate(s->v3, 21) ^ s->v0;
    s->v2 = sip_rotate(s->v2, 32);
}

/* The state before the first word: the key and "somepseudorandomlygeneratedbytes". */
static inline struct sip_state sip_begin(const uint8_t key[16])
{
    uint64_t k0 = sip_load(key), k1 = sip_load(key + 8);
    struct sip_state s = {
        k0 ^ UINT64_C(0x736f6d6570736575),
        k1 ^ UINT64_C(0x646f72616e646f6d),
        k0 ^ UINT64_C(0x6c7967656e657261),
        k1 ^ UINT64_C(0x7465646279746573),
    };
    return s;
}

static inline void sip_absorb(struct sip_state *s, uint64_t word)
{
    s->v3 ^= word;
    for (int i = 0; i < SIP_C; i++)
        sip_round(s);
    s->v0 ^= word;
}

static inline uint64_t sip_end(struct sip_state *s)
{
    s->v2 ^= 0xff;
    for (int i = 0; i < SIP_D; i++)
        sip_round(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/* The tag of a message from the state before its first word. */
static inline uint64_t sip_hash(struct sip_state s, const uint8_t *message, size_t len)
{
    const uint8_t *tail = message + (len - len % 8);
    uint64_t last = (uint64_t)len << 56;

    for (; message != tail; message += 8)
        sip_absorb(&s, sip_load(message));
    switch (len % 8) {
    case 7:
        last |= (uint64_t)tail[6] << 48; /* fall through */
    case 6:
        last |= (uint64_t)tail[5] << 40; /* fall through */
    case 5:
        last |= (uint64_t)tail[4] << 32; /* fall through */
    case 4:
        last |= (uint64_t)tail[3] << 24; /* fall through */
    case 3:
        last |= (uint64_t)tail[2] << 16; /* fall through */
    case 2:
        last |= (uint64_t)tail[1] << 8; /* fall through */
    case 1:
        last |= (uint64_t)tail[0];
    }
    sip_absorb(&s, last);
    return sip_end(&s);
}

#endif
