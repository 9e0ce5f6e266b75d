/* Reads lines "shorthash|shorthashx|onetimeauth KEY MESSAGE" and "aead|aeadx KEY MESSAGE NONCE AAD" in hexadecimal ("-" for
 * nothing) and prints tags, and ciphertexts with their tags. A program for libsodium, by its names. The build says whose
 * header it gets. */
#ifdef KEYLANE
#include "keylane_sodium.h"
#else
#include <sodium.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (1 << 20)
static unsigned char key[32], nonce[24], aad[1 << 16], message[MOST], sealed[MOST + 64], opened[MOST + 64];
static char line[2 * sizeof message + 2 * sizeof aad + 300];

/* The four functions for nonces of one length. */
typedef struct {
    int (*encrypt)(unsigned char *, unsigned long long *, const unsigned char *, unsigned long long, const unsigned char *,
        unsigned long long, const unsigned char *, const unsigned char *, const unsigned char *);
    int (*decrypt)(unsigned char *, unsigned long long *, unsigned char *, const unsigned char *, unsigned long long,
        const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
    int (*encrypt_detached)(unsigned char *, unsigned char *, unsigned long long *, const unsigned char *,
        unsigned long long, const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *,
        const unsigned char *);
    int (*decrypt_detached)(unsigned char *, unsigned char *, const unsigned char *, unsigned long long,
        const unsigned char *, const unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
} aead;

#define AEAD(name) \
    {crypto_aead_##name##_encrypt, crypto_aead_##name##_decrypt, crypto_aead_##name##_encrypt_detached, \
        crypto_aead_##name##_decrypt_detached}

static size_t bytes(const char *hex, unsigned char *out) {
    size_t n = 0;
    unsigned int byte;
    while (sscanf(hex + 2 * n, "%2x", &byte) == 1) out[n++] = (unsigned char)byte;
    return n;
}

static int is_filled(const unsigned char *from, size_t length, unsigned char byte) {
    while (length > 0)
        if (from[--length] != byte) return 0;
    return 1;
}

#ifdef KEYLANE
/* From one place to another across it, and in the place of the additional data. libsodium does not promise that. */
static int across(const aead *a, size_t length, size_t aad_length, size_t shift, const unsigned char *mac) {
    unsigned char *c = sealed, *m = opened;
    memcpy(m + shift, message, length);
    if (a->encrypt(m, NULL, m + shift, length, aad, aad_length, NULL, nonce, key) != 0) return __LINE__;
    if (memcmp(m, c, length + 16) != 0) return __LINE__;
    memmove(m + shift, m, length + 16);
    if (a->decrypt(m, NULL, NULL, m + shift, length + 16, aad, aad_length, nonce, key) != 0) return __LINE__;
    if (memcmp(m, message, length) != 0) return __LINE__;
    if (aad_length + length > sizeof opened) return 0;
    memcpy(m, aad, aad_length);
    memcpy(m + aad_length, c, length);
    if (a->decrypt_detached(m, NULL, m + aad_length, length, mac, m, aad_length, nonce, key) != 0) return __LINE__;
    if (memcmp(m, message, length) != 0) return __LINE__;
    /* Ciphertext in the place of the additional data has no tag that anyone can check: refused. */
    memcpy(m, message, length);
    if (length > 0 && aad_length > 0 && a->encrypt_detached(m, c + length, NULL, m, length, m, aad_length, NULL, nonce, key) != -1)
        return __LINE__;
    return length > 0 && aad_length > 0 && !is_filled(m, length, 0) ? __LINE__ : 0;
}
#endif

/* Seals and opens a message: apart, in one place, and forged. Afterwards `sealed` has the ciphertext and its tag. 0, or the
 * line of a fault. */
static int packet(const aead *a, size_t length, size_t aad_length) {
    unsigned long long n = 1, maclen = 0;
    unsigned char mac[16], *c = sealed, *m = opened;
    size_t total = length + 16, i;
    int fault = 0;
    if (a->encrypt(c, &n, message, length, aad, aad_length, NULL, nonce, key) != 0 || n != total) return __LINE__;
    if (a->encrypt_detached(m, mac, &maclen, message, length, aad, aad_length, NULL, nonce, key) != 0) return __LINE__;
    if (maclen != 16 || memcmp(m, c, length) != 0 || memcmp(mac, c + length, 16) != 0) return __LINE__;
    memcpy(m, message, length);
    if (a->encrypt(m, NULL, m, length, aad, aad_length, NULL, nonce, key) != 0 || memcmp(m, c, total) != 0) return __LINE__;
    if (a->decrypt(m, &n, NULL, m, total, aad, aad_length, nonce, key) != 0 || n != length) return __LINE__;
    if (memcmp(m, message, length) != 0) return __LINE__;
    memset(m, 0x5a, total + 1);
    if (a->decrypt(m, &n, NULL, c, total, aad, aad_length, nonce, key) != 0 || n != length) return __LINE__;
    if (memcmp(m, message, length) != 0 || m[length] != 0x5a) return __LINE__;
    /* Nowhere: only the tag is checked. */
    if (a->decrypt(NULL, &n, NULL, c, total, aad, aad_length, nonce, key) != 0 || n != length) return __LINE__;
    if (a->decrypt_detached(NULL, NULL, c, length, mac, aad, aad_length, nonce, key) != 0) return __LINE__;
#ifdef KEYLANE
    fault = across(a, length, aad_length, length % 40, mac);
    if (fault != 0) return fault;
#endif
    /* One bit changes in each byte, or in some of them. */
    for (i = 0; i < total; i += total > 300 ? total / 20 : 1) {
        unsigned char bit = (unsigned char)(1u << i % 8);
        c[i] ^= bit;
        memset(m, 0x5a, length);
        n = 1;
        if (a->decrypt(m, &n, NULL, c, total, aad, aad_length, nonce, key) != -1 || n != 0) return __LINE__;
        if (!is_filled(m, length, 0)) return __LINE__;
        if (a->decrypt(NULL, NULL, NULL, c, total, aad, aad_length, nonce, key) != -1) return __LINE__;
        c[i] ^= bit;
    }
    if (aad_length > 0) {
        aad[aad_length / 2] ^= 1;
        if (a->decrypt_detached(m, NULL, c, length, mac, aad, aad_length, nonce, key) != -1) return __LINE__;
        aad[aad_length / 2] ^= 1;
    }
    for (i = 0; i < 16; i++) {
        n = 1;
        if (a->decrypt(m, &n, NULL, c, i, aad, aad_length, nonce, key) != -1 || n != 0) return __LINE__;
    }
    return fault;
}

int main(void) {
    static const aead short_nonces = AEAD(chacha20poly1305_ietf), long_nonces = AEAD(xchacha20poly1305_ietf);
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned char tag[crypto_onetimeauth_BYTES], pieces[crypto_onetimeauth_BYTES];
        size_t size = crypto_onetimeauth_BYTES, length, i;
        char *name = strtok(line, " "), *hex = strtok(NULL, " "), *rest = strtok(NULL, " \n");
        char *nonce_hex = strtok(NULL, " \n"), *aad_hex = strtok(NULL, " \n");
        bytes(hex, key);
        length = strcmp(rest, "-") == 0 ? 0 : bytes(rest, message);
        if (strncmp(name, "aead", 4) == 0) {
            int fault;
            bytes(nonce_hex, nonce);
            fault = packet(name[4] == 'x' ? &long_nonces : &short_nonces, length,
                strcmp(aad_hex, "-") == 0 ? 0 : bytes(aad_hex, aad));
            if (fault != 0) {
                fprintf(stderr, "line %d of answers.c: %s, %lu bytes\n", fault, name, (unsigned long)length);
                return 1;
            }
            for (i = 0; i < length + 16; i++) printf("%02x", sealed[i]);
            printf("\n");
            continue;
        }
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
