/* The functions for Redis (contrib/redis/) as 32-bit code: compares their tags with those that tests/library/redis.rs
 * has put into tags.h. It needs no C library, since many systems have none of 32 bits. Exits with the first length, plus
 * 1, whose tag is wrong. */

#include "tags.h"
#include <stddef.h>
#include <stdint.h>

uint64_t siphash(const uint8_t *in, const size_t inlen, const uint8_t *k);
uint64_t siphash_nocase(const uint8_t *in, const size_t inlen, const uint8_t *k);

typedef char is_32_bit_code[sizeof(size_t) == 4 ? 1 : -1];

static int failure(void) {
    uint8_t key[16], message[LENGTHS];
    size_t i;
    for (i = 0; i < sizeof key; i++) key[i] = (uint8_t)i;
    for (i = 0; i < LENGTHS; i++) message[i] = (uint8_t)(37 * i + 11);
    for (i = 0; i < LENGTHS; i++) {
        if (siphash(message, i, key) != tags[i][0] || siphash_nocase(message, i, key) != tags[i][1]) return (int)i + 1;
    }
    return 0;
}

/* The first code to run finds no return address, and a stack that need not be aligned. */
__attribute__((force_align_arg_pointer, noreturn)) void _start(void);
void _start(void) {
    const int status = failure();
    for (;;) __asm__ volatile("int $0x80" : : "a"(1), "b"(status));
}
