/* A word of a key under a guard like that of Redis' siphash.c [Redis-study]: whole on x86, elsewhere from bytes. With
 * BYTES it is from bytes everywhere. MIT or Apache-2.0. */

#include <stdint.h>

#if !defined(BYTES) && (defined(__x86_64__) || defined(__i386__))
typedef uint64_t whole __attribute__((may_alias, aligned(1)));

uint64_t word(const uint8_t *p) {
    return *(const whole *)p;
}
#else
uint64_t word(const uint8_t *p) {
    uint64_t x = 0;
    int i;
    for (i = 0; i < 8; i++) {
        x |= (uint64_t)p[i] << 8 * i;
    }
    return x;
}
#endif
