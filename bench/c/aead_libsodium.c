// ChaCha20-Poly1305 by libsodium. The library must have been initialised.

#define NAME libsodium
#include "aead.h"
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

struct key {
    uint8_t bytes[32];
};

struct key *CALL(_new)(const uint8_t *bytes)
{
    struct key *key = malloc(sizeof *key);
    if (key)
        memcpy(key->bytes, bytes, sizeof key->bytes);
    return key;
}

void CALL(_free)(struct key *key)
{
    free(key);
}

void CALL(_seal)(struct key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, uint8_t *data, size_t len,
                 uint8_t *tag)
{
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(data, tag, NULL, data, len, aad, aad_len, NULL, nonce, key->bytes);
}

int CALL(_open)(struct key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, uint8_t *data, size_t len,
                const uint8_t *tag)
{
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(data, NULL, data, len, tag, aad, aad_len, nonce,
                                                              key->bytes) == 0;
}
