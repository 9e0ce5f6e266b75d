// ChaCha20-Poly1305 by OpenSSL, with a context for each direction that keeps the key, and ChaCha20 by its internal function.
// Part of the shared object of openssl.c.

#define NAME openssl
#include "aead.h"
#include <openssl/evp.h>
#include <stdlib.h>

struct key {
    EVP_CIPHER_CTX *seal, *open;
};

struct key *CALL(_new)(const uint8_t *bytes)
{
    struct key *key = malloc(sizeof *key);
    if (!key)
        return NULL;
    key->seal = EVP_CIPHER_CTX_new();
    key->open = EVP_CIPHER_CTX_new();
    if (EVP_EncryptInit_ex(key->seal, EVP_chacha20_poly1305(), NULL, bytes, NULL) != 1 ||
        EVP_DecryptInit_ex(key->open, EVP_chacha20_poly1305(), NULL, bytes, NULL) != 1) {
        CALL(_free)(key);
        return NULL;
    }
    return key;
}

void CALL(_free)(struct key *key)
{
    EVP_CIPHER_CTX_free(key->seal);
    EVP_CIPHER_CTX_free(key->open);
    free(key);
}

void CALL(_seal)(struct key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, uint8_t *data, size_t len,
                 uint8_t *tag)
{
    int written;
    EVP_EncryptInit_ex(key->seal, NULL, NULL, NULL, nonce);
    EVP_EncryptUpdate(key->seal, NULL, &written, aad, (int)aad_len);
    EVP_EncryptUpdate(key->seal, data, &written, data, (int)len);
    EVP_EncryptFinal_ex(key->seal, data + len, &written);
    EVP_CIPHER_CTX_ctrl(key->seal, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}

int CALL(_open)(struct key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, uint8_t *data, size_t len,
                const uint8_t *tag)
{
    int written;
    EVP_DecryptInit_ex(key->open, NULL, NULL, NULL, nonce);
    EVP_CIPHER_CTX_ctrl(key->open, EVP_CTRL_AEAD_SET_TAG, 16, (void *)tag);
    EVP_DecryptUpdate(key->open, NULL, &written, aad, (int)aad_len);
    EVP_DecryptUpdate(key->open, data, &written, data, (int)len);
    return EVP_DecryptFinal_ex(key->open, data + len, &written) == 1;
}

// From OpenSSL's include/crypto/chacha.h, which is not installed.
void ChaCha20_ctr32(unsigned char *out, const unsigned char *in, size_t len, const unsigned int key[8],
                    const unsigned int counter[4]);

void keylane_bench_openssl_chacha20(const uint32_t *key, const uint32_t *counter, uint8_t *data, size_t len)
{
    ChaCha20_ctr32(data, data, len, key, counter);
}
