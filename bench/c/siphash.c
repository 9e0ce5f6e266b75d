/* SipHash of one message: alone in its translation unit, so that a caller pays for a call. */
#include "siphash.h"

uint64_t SIP_NAME(one)(const uint8_t *key, const uint8_t *message, size_t len)
{
    struct sip_state s = sip_begin(key);
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
