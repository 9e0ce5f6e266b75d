/* crypto_shorthash, crypto_onetimeauth, crypto_aead_chacha20poly1305_ietf and crypto_aead_xchacha20poly1305_ietf of
 * libsodium, computed by libkeylane.
 *
 * A program that includes this header instead of <sodium.h>, or beside it, gets keylane's SipHash-2-4, Poly1305,
 * ChaCha20-Poly1305 and XChaCha20-Poly1305 under libsodium's names: the functions are macros for the inline functions
 * below. Link with -lkeylane.
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

/* One of libsodium's headers has both the AEAD with nonces of 12 bytes and an older one with nonces of 8, which keylane
 * lacks. If it is here, it comes first, so that a program can use the older one. */
#ifdef __has_include
#if __has_include(<sodium/crypto_aead_chacha20poly1305.h>)
#include <sodium/crypto_aead_chacha20poly1305.h>
#endif
#endif

/* libsodium's own headers for these names declare nothing if they come after this one, where the names are macros. */
#ifndef crypto_aead_chacha20poly1305_H
#define crypto_aead_chacha20poly1305_H
#endif
#ifndef crypto_aead_xchacha20poly1305_H
#define crypto_aead_xchacha20poly1305_H
#endif
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
#define KEYLANE_SODIUM_MOST_BYTES 274877906880ULL /* 2^38 - 64, all that the block numbers of ChaCha20 allow */
#ifndef crypto_aead_chacha20poly1305_ietf_KEYBYTES
#define crypto_aead_chacha20poly1305_ietf_KEYBYTES 32U
#define crypto_aead_chacha20poly1305_ietf_NSECBYTES 0U
#define crypto_aead_chacha20poly1305_ietf_NPUBBYTES 12U
#define crypto_aead_chacha20poly1305_ietf_ABYTES 16U
#define crypto_aead_chacha20poly1305_ietf_MESSAGEBYTES_MAX \
    (SIZE_MAX - 16U < KEYLANE_SODIUM_MOST_BYTES ? SIZE_MAX - 16U : KEYLANE_SODIUM_MOST_BYTES)
#define crypto_aead_chacha20poly1305_IETF_KEYBYTES crypto_aead_chacha20poly1305_ietf_KEYBYTES
#define crypto_aead_chacha20poly1305_IETF_NSECBYTES crypto_aead_chacha20poly1305_ietf_NSECBYTES
#define crypto_aead_chacha20poly1305_IETF_NPUBBYTES crypto_aead_chacha20poly1305_ietf_NPUBBYTES
#define crypto_aead_chacha20poly1305_IETF_ABYTES crypto_aead_chacha20poly1305_ietf_ABYTES
#define crypto_aead_chacha20poly1305_IETF_MESSAGEBYTES_MAX crypto_aead_chacha20poly1305_ietf_MESSAGEBYTES_MAX
#endif
#ifndef crypto_aead_xchacha20poly1305_ietf_KEYBYTES
#define crypto_aead_xchacha20poly1305_ietf_KEYBYTES 32U
#define crypto_aead_xchacha20poly1305_ietf_NSECBYTES 0U
#define crypto_aead_xchacha20poly1305_ietf_NPUBBYTES 24U
#define crypto_aead_xchacha20poly1305_ietf_ABYTES 16U
#define crypto_aead_xchacha20poly1305_ietf_MESSAGEBYTES_MAX (SIZE_MAX - 16U)
#define crypto_aead_xchacha20poly1305_IETF_KEYBYTES crypto_aead_xchacha20poly1305_ietf_KEYBYTES
#define crypto_aead_xchacha20poly1305_IETF_NSECBYTES crypto_aead_xchacha20poly1305_ietf_NSECBYTES
#define crypto_aead_xchacha20poly1305_IETF_NPUBBYTES crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define crypto_aead_xchacha20poly1305_IETF_ABYTES crypto_aead_xchacha20poly1305_ietf_ABYTES
#define crypto_aead_xchacha20poly1305_IETF_MESSAGEBYTES_MAX crypto_aead_xchacha20poly1305_ietf_MESSAGEBYTES_MAX
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

/* ---- AEAD. Here `x` is whether nonces have 24 bytes. ---- */

/* A key that is ready, and the nonce of 12 bytes that goes with it. */
typedef struct keylane_sodium_ready {
    keylane_chacha20poly1305 key;
    unsigned char nonce[12];
} keylane_sodium_ready;

static inline keylane_status keylane_sodium_prepare(keylane_sodium_ready *ready, int x, const unsigned char *npub,
                                                    const unsigned char *k) {
    if (!npub) {
        return KEYLANE_NULL;
    }
    memset(ready->nonce, 0, 4);
    memcpy(ready->nonce + (x ? 4 : 0), npub + (x ? 16 : 0), x ? 8 : 12);
    return x ? keylane_chacha20poly1305_init_xchacha20(&ready->key, k, npub)
             : keylane_chacha20poly1305_init(&ready->key, k);
}

/* Whether two pieces of memory share a byte. */
static inline int keylane_sodium_overlap(const void *a, size_t a_length, const void *b, size_t b_length) {
    uintptr_t first, second;
    memcpy(&first, &a, sizeof first);
    memcpy(&second, &b, sizeof second);
    return a_length != 0 && b_length != 0 && (first < second ? second - first < a_length : first - second < b_length);
}

static inline unsigned char *keylane_sodium_room(size_t length) {
    void *room = malloc(length);
#ifdef __cplusplus
    return static_cast<unsigned char *>(room);
#else
    return room;
#endif
}

/* The message may be anywhere, also across the place of the ciphertext. As libsodium, ends the process if it is too
 * long. After another failure no byte of it is in the place of the ciphertext. */
static inline int keylane_sodium_seal(int x, unsigned char *c, unsigned char *mac, const unsigned char *m,
                                      unsigned long long mlen, const unsigned char *ad, unsigned long long adlen,
                                      const unsigned char *npub, const unsigned char *k) {
    keylane_sodium_ready ready;
    unsigned char tag[16];
    size_t length = keylane_sodium_length(mlen);
    keylane_status status;
    if (mlen > KEYLANE_SODIUM_MOST_BYTES || mlen > SIZE_MAX - 16U) {
        abort();
    }
    if (!mac || (length != 0 && (!c || !m)) || keylane_sodium_prepare(&ready, x, npub, k) != KEYLANE_OK) {
        return -1;
    }
    if (length != 0) {
        memmove(c, m, length);
    }
    status = keylane_chacha20poly1305_seal_with_nonce(&ready.key, ready.nonce, ad, keylane_sodium_length(adlen), c, length,
                                                      tag);
    keylane_chacha20poly1305_wipe(&ready.key);
    if (status == KEYLANE_OK) {
        memcpy(mac, tag, sizeof tag);
    } else if (length != 0) {
        memset(c, 0, length);
    }
    return keylane_sodium_status(status);
}

/* The message may go anywhere, also across the ciphertext, its tag and the additional data. Then, and without a place for
 * it (m is null), a copy is opened. After a failure the place of the message has zeros. */
static inline int keylane_sodium_open(int x, unsigned char *m, const unsigned char *c, unsigned long long clen,
                                      const unsigned char *mac, const unsigned char *ad, unsigned long long adlen,
                                      const unsigned char *npub, const unsigned char *k) {
    keylane_sodium_ready ready;
    unsigned char tag[16], *copy = NULL, *data = m;
    size_t length = keylane_sodium_length(clen), ad_length = keylane_sodium_length(adlen);
    keylane_status status = KEYLANE_NULL;
    if (clen > KEYLANE_SODIUM_MOST_BYTES || clen > SIZE_MAX - 16U || !mac || (length != 0 && !c) ||
        keylane_sodium_prepare(&ready, x, npub, k) != KEYLANE_OK) {
        return -1;
    }
    memcpy(tag, mac, sizeof tag);
    if (length != 0 && (!m || keylane_sodium_overlap(m, length, ad, ad_length))) {
        copy = keylane_sodium_room(length);
        data = copy;
    }
    if (length == 0 || data) {
        if (length != 0) {
            memmove(data, c, length);
        }
        status = keylane_chacha20poly1305_open(&ready.key, ready.nonce, ad, ad_length, data, length, tag);
    }
    keylane_chacha20poly1305_wipe(&ready.key);
    if (m && length != 0) {
        if (status != KEYLANE_OK) {
            memset(m, 0, length);
        } else if (copy) {
            memcpy(m, copy, length);
        }
    }
    if (copy) {
        keylane_wipe(copy, length);
        free(copy);
    }
    return keylane_sodium_status(status);
}

/* libsodium's four functions, for nonces of one length. */
#define KEYLANE_SODIUM_AEAD(name, x)                                                                                      \
    static inline int keylane_sodium_##name##_encrypt_detached(                                                           \
        unsigned char *c, unsigned char *mac, unsigned long long *maclen_p, const unsigned char *m,                       \
        unsigned long long mlen, const unsigned char *ad, unsigned long long adlen, const unsigned char *nsec,            \
        const unsigned char *npub, const unsigned char *k) {                                                              \
        (void)nsec;                                                                                                       \
        if (maclen_p) {                                                                                                   \
            *maclen_p = 16;                                                                                               \
        }                                                                                                                 \
        return keylane_sodium_seal(x, c, mac, m, mlen, ad, adlen, npub, k);                                               \
    }                                                                                                                     \
    static inline int keylane_sodium_##name##_encrypt(                                                                    \
        unsigned char *c, unsigned long long *clen_p, const unsigned char *m, unsigned long long mlen,                    \
        const unsigned char *ad, unsigned long long adlen, const unsigned char *nsec, const unsigned char *npub,          \
        const unsigned char *k) {                                                                                         \
        int answer = -1;                                                                                                  \
        (void)nsec;                                                                                                       \
        if (c) {                                                                                                          \
            answer = keylane_sodium_seal(x, c, c + keylane_sodium_length(mlen), m, mlen, ad, adlen, npub, k);             \
        }                                                                                                                 \
        if (clen_p) {                                                                                                     \
            *clen_p = answer == 0 ? mlen + 16 : 0;                                                                        \
        }                                                                                                                 \
        return answer;                                                                                                    \
    }                                                                                                                     \
    static inline int keylane_sodium_##name##_decrypt_detached(                                                           \
        unsigned char *m, unsigned char *nsec, const unsigned char *c, unsigned long long clen, const unsigned char *mac, \
        const unsigned char *ad, unsigned long long adlen, const unsigned char *npub, const unsigned char *k) {           \
        (void)nsec;                                                                                                       \
        return keylane_sodium_open(x, m, c, clen, mac, ad, adlen, npub, k);                                               \
    }                                                                                                                     \
    static inline int keylane_sodium_##name##_decrypt(                                                                    \
        unsigned char *m, unsigned long long *mlen_p, unsigned char *nsec, const unsigned char *c,                        \
        unsigned long long clen, const unsigned char *ad, unsigned long long adlen, const unsigned char *npub,            \
        const unsigned char *k) {                                                                                         \
        int answer = -1;                                                                                                  \
        (void)nsec;                                                                                                       \
        if (c && clen >= 16) {                                                                                            \
            answer = keylane_sodium_open(x, m, c, clen - 16, c + keylane_sodium_length(clen - 16), ad, adlen, npub, k);   \
        }                                                                                                                 \
        if (mlen_p) {                                                                                                     \
            *mlen_p = answer == 0 ? clen - 16 : 0;                                                                        \
        }                                                                                                                 \
        return answer;                                                                                                    \
    }                                                                                                                     \
    static inline void keylane_sodium_##name##_keygen(unsigned char k[32]) { keylane_sodium_random(k, 32); }              \
    static inline size_t keylane_sodium_##name##_keybytes(void) { return crypto_aead_##name##_ietf_KEYBYTES; }            \
    static inline size_t keylane_sodium_##name##_nsecbytes(void) { return crypto_aead_##name##_ietf_NSECBYTES; }          \
    static inline size_t keylane_sodium_##name##_npubbytes(void) { return crypto_aead_##name##_ietf_NPUBBYTES; }          \
    static inline size_t keylane_sodium_##name##_abytes(void) { return crypto_aead_##name##_ietf_ABYTES; }                \
    static inline size_t keylane_sodium_##name##_messagebytes_max(void) {                                                 \
        return crypto_aead_##name##_ietf_MESSAGEBYTES_MAX;                                                                \
    }
KEYLANE_SODIUM_AEAD(chacha20poly1305, 0)
KEYLANE_SODIUM_AEAD(xchacha20poly1305, 1)
#undef KEYLANE_SODIUM_AEAD

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

#define crypto_aead_chacha20poly1305_ietf_keybytes keylane_sodium_chacha20poly1305_keybytes
#define crypto_aead_chacha20poly1305_ietf_nsecbytes keylane_sodium_chacha20poly1305_nsecbytes
#define crypto_aead_chacha20poly1305_ietf_npubbytes keylane_sodium_chacha20poly1305_npubbytes
#define crypto_aead_chacha20poly1305_ietf_abytes keylane_sodium_chacha20poly1305_abytes
#define crypto_aead_chacha20poly1305_ietf_messagebytes_max keylane_sodium_chacha20poly1305_messagebytes_max
#define crypto_aead_chacha20poly1305_ietf_encrypt keylane_sodium_chacha20poly1305_encrypt
#define crypto_aead_chacha20poly1305_ietf_decrypt keylane_sodium_chacha20poly1305_decrypt
#define crypto_aead_chacha20poly1305_ietf_encrypt_detached keylane_sodium_chacha20poly1305_encrypt_detached
#define crypto_aead_chacha20poly1305_ietf_decrypt_detached keylane_sodium_chacha20poly1305_decrypt_detached
#define crypto_aead_chacha20poly1305_ietf_keygen keylane_sodium_chacha20poly1305_keygen

#define crypto_aead_xchacha20poly1305_ietf_keybytes keylane_sodium_xchacha20poly1305_keybytes
#define crypto_aead_xchacha20poly1305_ietf_nsecbytes keylane_sodium_xchacha20poly1305_nsecbytes
#define crypto_aead_xchacha20poly1305_ietf_npubbytes keylane_sodium_xchacha20poly1305_npubbytes
#define crypto_aead_xchacha20poly1305_ietf_abytes keylane_sodium_xchacha20poly1305_abytes
#define crypto_aead_xchacha20poly1305_ietf_messagebytes_max keylane_sodium_xchacha20poly1305_messagebytes_max
#define crypto_aead_xchacha20poly1305_ietf_encrypt keylane_sodium_xchacha20poly1305_encrypt
#define crypto_aead_xchacha20poly1305_ietf_decrypt keylane_sodium_xchacha20poly1305_decrypt
#define crypto_aead_xchacha20poly1305_ietf_encrypt_detached keylane_sodium_xchacha20poly1305_encrypt_detached
#define crypto_aead_xchacha20poly1305_ietf_decrypt_detached keylane_sodium_xchacha20poly1305_decrypt_detached
#define crypto_aead_xchacha20poly1305_ietf_keygen keylane_sodium_xchacha20poly1305_keygen

#endif
