/* States of crypto_onetimeauth at every address: within packed structs, and copied from one address to another. A program
 * for libsodium, by its names. The build says whose header it gets. Prints a tag for each. */
#ifdef KEYLANE
#include "keylane_sodium.h"
#else
#include <sodium.h>
#endif
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpacked-not-aligned"
#endif

#define PACKED(n)                                    \
    typedef struct __attribute__((packed)) at_##n {  \
        unsigned char before[(n) + 1];               \
        crypto_onetimeauth_state state;              \
    } at_##n
PACKED(0);
PACKED(6);
PACKED(7);

static unsigned char message[1000], key[crypto_onetimeauth_KEYBYTES];

/* Through a void pointer, so that nothing tells the compiler the address. */
static int mac(void *place, unsigned char tag[crypto_onetimeauth_BYTES]) {
    crypto_onetimeauth_state *state = place;
    size_t i;
    if (crypto_onetimeauth_init(state, key) != 0) return -1;
    for (i = 0; i < sizeof message; i += 50)
        if (crypto_onetimeauth_update(state, message + i, 50) != 0) return -1;
    return crypto_onetimeauth_final(state, tag);
}

static int print(const char *what, size_t at, const unsigned char tag[crypto_onetimeauth_BYTES]) {
    size_t i;
    printf("%s-%u-", what, (unsigned int)at);
    for (i = 0; i < crypto_onetimeauth_BYTES; i++) printf("%02x", tag[i]);
    printf("\n");
    return 0;
}

int main(void) {
    static unsigned char arena[2 * sizeof(crypto_onetimeauth_state) + 64];
    static at_0 one;
    static at_6 seven;
    static at_7 eight;
    unsigned char tag[crypto_onetimeauth_BYTES], half[crypto_onetimeauth_BYTES];
    size_t i;
    for (i = 0; i < sizeof message; i++) message[i] = (unsigned char)(i * 7);
    for (i = 0; i < sizeof key; i++) key[i] = (unsigned char)(i * 11 + 3);
    for (i = 0; i < 16; i++) {
        /* The bytes on both sides stay. */
        memset(arena, 0x5a, sizeof arena);
        if (mac(arena + 16 + i, tag) != 0 || print("arena", i, tag) != 0) return 1;
        if (arena[15 + i] != 0x5a || arena[16 + i + sizeof(crypto_onetimeauth_state)] != 0x5a) return 2;
    }
    for (i = 0; i < 16; i++) {
        void *first = arena + i, *second = arena + 32 + sizeof(crypto_onetimeauth_state);
        if (crypto_onetimeauth_init((crypto_onetimeauth_state *)first, key) != 0) return 3;
        if (crypto_onetimeauth_update((crypto_onetimeauth_state *)first, message, 333) != 0) return 3;
        memcpy(second, first, sizeof(crypto_onetimeauth_state));
        if (crypto_onetimeauth_update((crypto_onetimeauth_state *)second, message + 333, 667) != 0) return 3;
        if (crypto_onetimeauth_final((crypto_onetimeauth_state *)second, tag) != 0) return 3;
        if (crypto_onetimeauth_final((crypto_onetimeauth_state *)first, half) != 0) return 3;
        print("moved", i, tag);
        print("first", i, half);
    }
    if (mac(&one.state, tag) != 0 || print("packed", 1, tag) != 0) return 4;
    if (mac(&seven.state, tag) != 0 || print("packed", 7, tag) != 0) return 4;
    if (mac(&eight.state, tag) != 0 || print("packed", 8, tag) != 0) return 4;
    return 0;
}
