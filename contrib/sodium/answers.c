/* Reads lines "shorthash|shorthashx|onetimeauth KEY MESSAGE" in hexadecimal ("-" for nothing) and prints tags. A program
 * for libsodium, by its names. The build says whose header it gets. */
#ifdef KEYLANE
#include "keylane_sodium.h"
#else
#include <sodium.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char key[32], message[1 << 20];
static char line[2 * sizeof message + 200];

static size_t bytes(const char *hex, unsigned char *out) {
    size_t n = 0;
    unsigned int byte;
    while (sscanf(hex + 2 * n, "%2x", &byte) == 1) out[n++] = (unsigned char)byte;
    return n;
}

int main(void) {
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned char tag[crypto_onetimeauth_BYTES], pieces[crypto_onetimeauth_BYTES];
        size_t size = crypto_onetimeauth_BYTES, length, i;
        char *name = strtok(line, " "), *hex = strtok(NULL, " "), *rest = strtok(NULL, " \n");
        bytes(hex, key);
        length = strcmp(rest, "-") == 0 ? 0 : bytes(rest, message);
        if (strcmp(name, "shorthash") == 0) {
            size = crypto_shorthash_BYTES;
            if (crypto_shorthash(tag, message, length, key) != 0) return 1;
        } else if (strcmp(name, "shorthashx") == 0) {
            size = crypto_shorthash_siphashx24_BYTES;
            if (crypto_shorthash_siphashx24(tag, message, length, key) != 0) return 1;
        } else {
            crypto_onetimeauth_state state;
            if (crypto_onetimeauth(tag, message, length, key) != 0) return 1;
            if (crypto_onetimeauth_verify(tag, message, length, key) != 0) return 1;
            tag[length % 16] ^= 1;
            if (crypto_onetimeauth_verify(tag, message, length, key) != -1) return 1;
            tag[length % 16] ^= 1;
            if (crypto_onetimeauth_init(&state, key) != 0) return 1;
            for (i = 0; i < length; i += 7) {
                size_t piece = length - i < 7 ? length - i : 7;
                if (crypto_onetimeauth_update(&state, message + i, piece) != 0) return 1;
            }
            if (crypto_onetimeauth_final(&state, pieces) != 0 || memcmp(tag, pieces, sizeof tag) != 0) return 1;
        }
        for (i = 0; i < size; i++) printf("%02x", tag[i]);
        printf("\n");
    }
    return 0;
}
