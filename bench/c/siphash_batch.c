/* SipHash of many messages of one width: plain loops, which a compiler that knows the CPU makes
 * into vector code. Nothing here is written for that but `restrict`. */
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

/* Rows of 16 bytes, one behind the other. */
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
