/* crypto_shorthash and crypto_onetimeauth of libsodium, computed by libkeylane.
 *
 * A program that includes this header instead of <sodium.h>, or beside it, gets keylane's SipHash-2-4 and Poly1305 under
 * libsodium's names: the functions are macros for the inline functions below. Link with -lkeylane.
 *
 * Names, sizes, results and return values are libsodium's. Only crypto_onetimeauth_state is larger, so an object file
 * that was compiled without this header must not share one with an object file that was compiled with it. A state may
 * have any address, in a packed struct for instance; it is fastest at a multiple of 16. */
#ifndef KEYLANE_SODIUM_H
#define KEYLANE_SODIUM_H

#include <keylane.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libsodium's own headers for these names declare nothing if they come after this one, where the names are macros. */
#ifndef crypto_shorthash_H
#define crypto_shorthash_H
#endif
#ifndef crypto_shorthash_siphash24_H
#define crypto_shorthash_siphash24_H
#endif
#ifndef crypto_onetimeauth_H
#define crypto_onetimeauth_H
#endif
#ifndef crypto_onetimeauth_poly1305_H
#define crypto_onetimeauth_poly1305_H
#endif

#ifndef crypto_shorthash_BYTES
#define crypto_shorthash_siphash24_BYTES 8U
#define crypto_shorthash_siphash24_KEYBYTES 16U
#define crypto_shorthash_BYTES crypto_shorthash_siphash24_BYTES
#define crypto_shorthash_KEYBYTES crypto_shorthash_siphash24_KEYBYTES
#define crypto_shorthash_PRIMITIVE "siphash24"
#endif
#ifndef crypto_shorthash_siphashx24_BYTES /* missing in a minimal libsodium */
#define crypto_shorthash_siphashx24_BYTES 16U
#define crypto_shorthash_siphashx24_KEYBYTES 16U
#endif
#ifndef crypto_onetimeauth_BYTES
#define crypto_onetimeauth_poly1305_BYTES 16U
#define crypto_onetimeauth_poly1305_KEYBYTES 32U
#define crypto_onetimeauth_BYTES crypto_onetimeauth_poly1305_BYTES
#define crypto_onetimeauth_KEYBYTES crypto_onetimeauth_poly1305_KEYBYTES
#define crypto_onetimeauth_PRIMITIVE "poly1305"
#endif

/* 0 or -1, as libsodium returns. */
static inline int keylane_sodium_status(keylane_status status) { return status == KEYLANE_OK ? 0 : -1; }

/* A length that no object can have becomes one that keylane refuses. */
static inline size_t keylane_sodium_length(unsigned long long length) {
    return length > SIZE_MAX ? SIZE_MAX : length & SIZE_MAX;
}

/* As libsodium, ends the process if the system has no random numbers. */
static inline void keylane_sodium_random(unsigned char *bytes, size_t length) {
    if (keylane_random(bytes, length) != KEYLANE_OK) {
        abort();
    }
}

static inline int keylane_sodium_shorthash(unsigned char *out, const unsigned char *in, unsigned long long inlen,
                                           const unsigned char *k) {
    uint64_t tag = 0;
    keylane_status status = keylane_siphash24(k, in, keylane_sodium_length(inlen), &tag);
    int i;
    if (!out || status != KEYLANE_OK) {
        return -1;
    }
    for (i = 0; i < 8; i++) {
        out[i] = tag >> (8 * i) & 0xff;
    }
    return 0;
}

static inline int keylane_sodium_shorthash_x(unsigned char *out, const unsigned char *in, unsigned long long inlen,
                                             const unsigned char *k) {
    return keylane_sodium_status(keylane_siphashx24(k, in, keylane_sodium_length(inlen), out));
}

static inline void keylane_sodium_shorthash_keygen(unsigned char k[16]) { keylane_sodium_random(k, 16); }

/* One key, one message. */
static inline int keylane_sodium_onetimeauth(unsigned char *out, const unsigned char *in, unsigned long long inlen,
                                             const unsigned char *k) {
    return keylane_sodium_status(keylane_poly1305_mac(k, in, keylane_sodium_length(inlen), out));
}

static inline int keylane_sodium_onetimeauth_verify(const unsigned char *h, const unsigned char *in,
                                                    unsigned long long inlen, const unsigned char *k) {
    return keylane_sodium_status(keylane_poly1305_mac_verify(k, in, keylane_sodium_length(inlen), h));
}

/* Copies a state from or to any address. */
static inline void keylane_sodium_copy(void *to, const void *from) { memcpy(to, from, sizeof(keylane_poly1305)); }

/* Replaces the state at any address by `aligned`, which is wiped. */
static inline int keylane_sodium_put(void *state, keylane_poly1305 *aligned, keylane_status status) {
    keylane_sodium_copy(state, aligned);
    keylane_poly1305_wipe(aligned);
    return keylane_sodium_status(status);
}

/* The library takes a state whose address is a multiple of 16. Otherwise it answers KEYLANE_ALIGN, which is left for it
 * to find out: a compiler may assume that a pointer of this type is aligned. Then an aligned copy does the work. */
static inline int keylane_sodium_onetimeauth_init(keylane_poly1305 *state, const unsigned char *key) {
    keylane_poly1305 aligned;
    keylane_status status = keylane_poly1305_init(state, key);
    if (status != KEYLANE_ALIGN) {
        return keylane_sodium_status(status);
    }
    status = keylane_poly1305_init(&aligned, key);
    return keylane_sodium_put(state, &aligned, status);
}

static inline int keylane_sodium_onetimeauth_update(keylane_poly1305 *state, const unsigned char *in,
                                                    unsigned long long inlen) {
    keylane_poly1305 aligned;
    size_t length = keylane_sodium_length(inlen);
    keylane_status status = keylane_poly1305_update(state, in, length);
    if (status != KEYLANE_ALIGN) {
        return keylane_sodium_status(status);
    }
    keylane_sodium_copy(&aligned, state);
    status = keylane_poly1305_update(&aligned, in, length);
    return keylane_sodium_put(state, &aligned, status);
}

static inline int keylane_sodium_onetimeauth_final(keylane_poly1305 *state, unsigned char *out) {
    keylane_poly1305 aligned;
    keylane_status status = keylane_poly1305_finish(state, out);
    if (status != KEYLANE_ALIGN) {
        return keylane_sodium_status(status);
    }
    keylane_sodium_copy(&aligned, state);
    status = keylane_poly1305_finish(&aligned, out);
    return keylane_sodium_put(state, &aligned, status);
}

static inline void keylane_sodium_onetimeauth_keygen(unsigned char k[32]) { keylane_sodium_random(k, 32); }

/* Functions, so that a program may take their addresses. */
static inline size_t keylane_sodium_shorthash_bytes(void) { return crypto_shorthash_BYTES; }
static inline size_t keylane_sodium_shorthash_keybytes(void) { return crypto_shorthash_KEYBYTES; }
static inline const char *keylane_sodium_shorthash_primitive(void) { return crypto_shorthash_PRIMITIVE; }
static inline size_t keylane_sodium_shorthash_siphash24_bytes(void) { return crypto_shorthash_siphash24_BYTES; }
static inline size_t keylane_sodium_shorthash_siphash24_keybytes(void) { return crypto_shorthash_siphash24_KEYBYTES; }
static inline size_t keylane_sodium_shorthash_siphashx24_bytes(void) { return crypto_shorthash_siphashx24_BYTES; }
static inline size_t keylane_sodium_shorthash_siphashx24_keybytes(void) { return crypto_shorthash_siphashx24_KEYBYTES; }
static inline size_t keylane_sodium_onetimeauth_statebytes(void) { return sizeof(keylane_poly1305); }
static inline size_t keylane_sodium_onetimeauth_bytes(void) { return crypto_onetimeauth_BYTES; }
static inline size_t keylane_sodium_onetimeauth_keybytes(void) { return crypto_onetimeauth_KEYBYTES; }
static inline const char *keylane_sodium_onetimeauth_primitive(void) { return crypto_onetimeauth_PRIMITIVE; }
static inline size_t keylane_sodium_onetimeauth_poly1305_statebytes(void) { return sizeof(keylane_poly1305); }
static inline size_t keylane_sodium_onetimeauth_poly1305_bytes(void) { return crypto_onetimeauth_poly1305_BYTES; }
static inline size_t keylane_sodium_onetimeauth_poly1305_keybytes(void) { return crypto_onetimeauth_poly1305_KEYBYTES; }

#define crypto_shorthash keylane_sodium_shorthash
#define crypto_shorthash_bytes keylane_sodium_shorthash_bytes
#define crypto_shorthash_keybytes keylane_sodium_shorthash_keybytes
#define crypto_shorthash_primitive keylane_sodium_shorthash_primitive
#define crypto_shorthash_keygen keylane_sodium_shorthash_keygen
#define crypto_shorthash_siphash24 keylane_sodium_shorthash
#define crypto_shorthash_siphash24_bytes keylane_sodium_shorthash_siphash24_bytes
#define crypto_shorthash_siphash24_keybytes keylane_sodium_shorthash_siphash24_keybytes
#define crypto_shorthash_siphashx24 keylane_sodium_shorthash_x
#define crypto_shorthash_siphashx24_bytes keylane_sodium_shorthash_siphashx24_bytes
#define crypto_shorthash_siphashx24_keybytes keylane_sodium_shorthash_siphashx24_keybytes

#define crypto_onetimeauth_state keylane_poly1305
#define crypto_onetimeauth_statebytes keylane_sodium_onetimeauth_statebytes
#define crypto_onetimeauth_bytes keylane_sodium_onetimeauth_bytes
#define crypto_onetimeauth_keybytes keylane_sodium_onetimeauth_keybytes
#define crypto_onetimeauth_primitive keylane_sodium_onetimeauth_primitive
#define crypto_onetimeauth keylane_sodium_onetimeauth
#define crypto_onetimeauth_verify keylane_sodium_onetimeauth_verify
#define crypto_onetimeauth_init keylane_sodium_onetimeauth_init
#define crypto_onetimeauth_update keylane_sodium_onetimeauth_update
#define crypto_onetimeauth_final keylane_sodium_onetimeauth_final
#define crypto_onetimeauth_keygen keylane_sodium_onetimeauth_keygen
#define crypto_onetimeauth_poly1305_state keylane_poly1305
#define crypto_onetimeauth_poly1305_statebytes keylane_sodium_onetimeauth_poly1305_statebytes
#define crypto_onetimeauth_poly1305_bytes keylane_sodium_onetimeauth_poly1305_bytes
#define crypto_onetimeauth_poly1305_keybytes keylane_sodium_onetimeauth_poly1305_keybytes
#define crypto_onetimeauth_poly1305 keylane_sodium_onetimeauth
#define crypto_onetimeauth_poly1305_verify keylane_sodium_onetimeauth_verify
#define crypto_onetimeauth_poly1305_init keylane_sodium_onetimeauth_init
#define crypto_onetimeauth_poly1305_update keylane_sodium_onetimeauth_update
#define crypto_onetimeauth_poly1305_final keylane_sodium_onetimeauth_final
#define crypto_onetimeauth_poly1305_keygen keylane_sodium_onetimeauth_keygen

#endif
