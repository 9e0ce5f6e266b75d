/* SipHash of many messages: plain loops. Compilers that know the CPU vectorise those over messages of one
 * width; `restrict` is the only help they get. */
#include "siphash.h"

void SIP_NAME(u32s)(const uint8_t *key, const uint32_t *restrict in, uint64_t *restrict tags, size_t n)
{
    const struct sip_state begin = sip_begin(key);

    for (size_t i = 0; i < n; i++) {
        struct sip_state s = begin;
        sip_absorb(&s, in[i] | UINT64_C(4) << 56);
        tags[i] = sip_end(&s);
    }
}

void SIP_NAME(u64s)(const uint8_t *key, const uint64_t *restrict in, uint64_t *restrict tags, size_t n)
{
    const struct sip_state begin = sip_begin(key);

    for (size_t i = 0; i < n; i++) {
        struct sip_state s = begin;
        sip_absorb(&s, in[i]);
        sip_absorb(&s, UINT64_C(8) << 56);
        tags[i] = sip_end(&s);
    }
}

/* Rows of 16 bytes, one after the other. */
void SIP_NAME(rows16)(const uint8_t *key, const uint8_t *restrict in, uint64_t *restrict tags, size_t n)
{
    const struct sip_state begin = sip_begin(key);

    for (size_t i = 0; i < n; i++) {
        struct sip_state s = begin;
        sip_absorb(&s, sip_load(in + 16 * i));
        sip_absorb(&s, sip_load(in + 16 * i + 8));
        sip_absorb(&s, UINT64_C(16) << 56);
        tags[i] = sip_end(&s);
    }
}

/* 128-bit tags, the low word of each first. */
void SIP_NAME(u64s_wide)(const uint8_t *key, const uint64_t *restrict in, uint64_t *restrict tags, size_t n)
{
    struct sip_state begin = sip_begin(key);

    begin.v1 ^= 0xee;
    for (size_t i = 0; i < n; i++) {
        struct sip_state s = begin;
        sip_absorb(&s, in[i]);
        sip_absorb(&s, UINT64_C(8) << 56);
        /* sip_end sets 0xff; a double tag takes 0xee. */
        s.v2 ^= 0xff ^ 0xee;
        tags[2 * i] = sip_end(&s);
        s.v1 ^= 0xdd;
        for (int j = 0; j < SIP_D; j++)
            sip_round(&s);
        tags[2 * i + 1] = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
    }
}

/* Message i is bytes[offsets[i]..offsets[i + 1]]. */
void SIP_NAME(offsets)(const uint8_t *key, const uint8_t *restrict bytes, const int32_t *restrict offsets,
                       uint64_t *restrict tags, size_t n)
{
    const struct sip_state begin = sip_begin(key);

    for (size_t i = 0; i < n; i++)
        tags[i] = sip_hash(begin, bytes + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
}
