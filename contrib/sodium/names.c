/* Every name of libsodium that the header has, with libsodium's own beside it, where both can be told apart. */
#include <sodium.h>
static size_t (*const their_sizes[])(void) = {
    crypto_shorthash_bytes, crypto_shorthash_keybytes, crypto_shorthash_siphash24_bytes,
    crypto_shorthash_siphash24_keybytes, crypto_shorthash_siphashx24_bytes, crypto_shorthash_siphashx24_keybytes,
    crypto_onetimeauth_bytes, crypto_onetimeauth_keybytes, crypto_onetimeauth_poly1305_bytes,
    crypto_onetimeauth_poly1305_keybytes, crypto_aead_chacha20poly1305_ietf_keybytes,
    crypto_aead_chacha20poly1305_ietf_nsecbytes, crypto_aead_chacha20poly1305_ietf_npubbytes,
    crypto_aead_chacha20poly1305_ietf_abytes, crypto_aead_chacha20poly1305_ietf_messagebytes_max,
    crypto_aead_xchacha20poly1305_ietf_keybytes, crypto_aead_xchacha20poly1305_ietf_nsecbytes,
    crypto_aead_xchacha20poly1305_ietf_npubbytes, crypto_aead_xchacha20poly1305_ietf_abytes,
    crypto_aead_xchacha20poly1305_ietf_messagebytes_max,
};
static size_t (*const their_statebytes)(void) = crypto_onetimeauth_statebytes;
static const char *(*const their_shorthash_primitive)(void) = crypto_shorthash_primitive;
static const char *(*const their_onetimeauth_primitive)(void) = crypto_onetimeauth_primitive;

#include "keylane_sodium.h"

#include <string.h>

/* Pointers to the functions, as bindings to other languages have. */
static size_t (*const statebytes)(void) = crypto_onetimeauth_statebytes;
static const char *(*const primitive)(void) = crypto_shorthash_primitive;

int main(void) {
    const size_t sizes[] = {
        crypto_shorthash_bytes(), crypto_shorthash_keybytes(), crypto_shorthash_siphash24_bytes(),
        crypto_shorthash_siphash24_keybytes(), crypto_shorthash_siphashx24_bytes(),
        crypto_shorthash_siphashx24_keybytes(), crypto_onetimeauth_bytes(), crypto_onetimeauth_keybytes(),
        crypto_onetimeauth_poly1305_bytes(), crypto_onetimeauth_poly1305_keybytes(),
        crypto_aead_chacha20poly1305_ietf_keybytes(), crypto_aead_chacha20poly1305_ietf_nsecbytes(),
        crypto_aead_chacha20poly1305_ietf_npubbytes(), crypto_aead_chacha20poly1305_ietf_abytes(),
        crypto_aead_chacha20poly1305_ietf_messagebytes_max(), crypto_aead_xchacha20poly1305_ietf_keybytes(),
        crypto_aead_xchacha20poly1305_ietf_nsecbytes(), crypto_aead_xchacha20poly1305_ietf_npubbytes(),
        crypto_aead_xchacha20poly1305_ietf_abytes(), crypto_aead_xchacha20poly1305_ietf_messagebytes_max(),
    };
    unsigned char keys[2][crypto_onetimeauth_KEYBYTES] = {{0}}, tag[16], hash[crypto_shorthash_BYTES];
    crypto_onetimeauth_poly1305_state state;
    size_t i;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] != their_sizes[i]()) return 1;
    }
    if (strcmp(crypto_shorthash_primitive(), their_shorthash_primitive()) != 0) return 2;
    if (strcmp(crypto_onetimeauth_primitive(), their_onetimeauth_primitive()) != 0) return 3;
    if (crypto_onetimeauth_statebytes() != sizeof state || crypto_onetimeauth_poly1305_statebytes() != sizeof state) return 4;
    crypto_onetimeauth_keygen(keys[0]);
    crypto_onetimeauth_poly1305_keygen(keys[1]);
    if (memcmp(keys[0], keys[1], sizeof keys[0]) == 0) return 5;
    crypto_shorthash_keygen(keys[0]);
    if (crypto_shorthash_siphash24(hash, NULL, 0, keys[0]) != 0) return 6;
    if (crypto_onetimeauth_poly1305_init(&state, keys[1]) != 0) return 7;
    if (crypto_onetimeauth_poly1305_update(&state, hash, sizeof hash) != 0) return 8;
    if (crypto_onetimeauth_poly1305_final(&state, tag) != 0) return 9;
    if (crypto_onetimeauth_poly1305_verify(tag, hash, sizeof hash, keys[1]) != 0) return 10;
    if (crypto_onetimeauth_poly1305(tag, hash, ~0ULL, keys[1]) != -1) return 11;
    if (statebytes() != sizeof state || statebytes() == their_statebytes()) return 12;
    if (strcmp(primitive(), "siphash24") != 0) return 13;
    if (crypto_shorthash(NULL, hash, 1, keys[0]) != -1 || crypto_shorthash_siphashx24(NULL, hash, 1, keys[0]) != -1) return 14;
    crypto_aead_chacha20poly1305_ietf_keygen(keys[0]);
    crypto_aead_xchacha20poly1305_ietf_keygen(keys[1]);
    if (memcmp(keys[0], keys[1], sizeof keys[0]) == 0) return 15;
    /* The older AEAD, with nonces of 8 bytes, is still libsodium's. */
    if (crypto_aead_chacha20poly1305_npubbytes() != 8) return 16;
    return 0;
}
