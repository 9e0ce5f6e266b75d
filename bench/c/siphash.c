/* SipHash of one message: alone in its translation unit, so that a caller pays for a call. */
#include "siphash.h"

uint64_t SIP_NAME(one)(const uint8_t *key, const uint8_t *message, size_t len)
{
    return sip_hash(sip_begin(key), message, len);
}
