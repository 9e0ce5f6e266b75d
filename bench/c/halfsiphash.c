/* HalfSipHash-c-d: SipHash on words of 32 bits, with the rotations and constants of its authors' code.
 *
 * SIP_C, SIP_D, SIP_SUFFIX   as in siphash.h
 */
#include "siphash.h"

struct half_state {
    uint32_t v0, v1, v2, v3;
};

static inline uint32_t half_rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

static inline void half_round(struct half_state *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = half_rotate(s->v1, 5) ^ s->v0;
    s->v3 = half_rotate(s->v3, 8) ^ s->v2;
    s->v0 = half_rotate(s->v0, 16);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = half_rotate(s->v1, 13) ^ s->v2;
    s->v3 = half_rotate(s->v3, 7) ^ s->v0;
    s->v2 = half_rotate(s->v2, 16);
}

static inline void half_absorb(struct half_state *s, uint32_t word)
{
    s->v3 ^= word;
    for (int i = 0; i < SIP_C; i++)
        half_round(s);
    s->v0 ^= word;
}

/* A plain loop over messages of 8 bytes. Compilers that know the CPU vectorise it. */
void SIP_NAME(half_u64s)(const uint8_t *key, const uint64_t *restrict in, uint32_t *restrict tags, size_t n)
{
    uint64_t both = sip_load(key);
    uint32_t k0 = (uint32_t)both, k1 = (uint32_t)(both >> 32);
    const struct half_state begin = {k0, k1, k0 ^ UINT32_C(0x6c796765), k1 ^ UINT32_C(0x74656462)};

    for (size_t i = 0; i < n; i++) {
        struct half_state s = begin;
        half_absorb(&s, (uint32_t)in[i]);
        half_absorb(&s, (uint32_t)(in[i] >> 32));
        half_absorb(&s, UINT32_C(8) << 24);
        s.v2 ^= 0xff;
        for (int j = 0; j < SIP_D; j++)
            half_round(&s);
        tags[i] = s.v1 ^ s.v3;
    }
}
