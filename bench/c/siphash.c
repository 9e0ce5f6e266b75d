/* SipHash of one message, in a separate translation unit, so that callers pay for a call. */
#include "siphash.h"

uint64_t SIP_NAME(one)(const uint8_t *key, const uint8_t *message, size_t len)
{
    return sip_hash(sip_begin(key), message, len);
}
