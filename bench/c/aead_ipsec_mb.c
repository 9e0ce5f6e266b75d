// ChaCha20-Poly1305 by Intel's library for IPsec, in jobs as in ipsec_mb.c. Its users compare the tags themselves.

#define NAME ipsec_mb
#include "aead.h"
#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include <string.h>

struct key {
    IMB_MGR *manager;
    uint8_t bytes[32];
};

struct key *CALL(_new)(const uint8_t *bytes)
{
    struct key *key = malloc(sizeof *key);
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (!key || !manager) {
        free(key);
        if (manager)
            free_mb_mgr(manager);
        return NULL;
    }
    init_mb_mgr_auto(manager, NULL);
    key->manager = manager;
    memcpy(key->bytes, bytes, sizeof key->bytes);
    return key;
}

void CALL(_free)(struct key *key)
{
    free_mb_mgr(key->manager);
    free(key);
}

static inline void run(struct key *key, IMB_CIPHER_DIRECTION direction, IMB_CHAIN_ORDER order, const uint8_t *nonce,
                       const uint8_t *aad, size_t aad_len, uint8_t *data, size_t len, uint8_t *tag)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(key->manager);
    job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job->cipher_direction = direction;
    job->chain_order = order;
    job->enc_keys = job->dec_keys = key->bytes;
    job->key_len_in_bytes = sizeof key->bytes;
    job->iv = nonce;
    job->iv_len_in_bytes = 12;
    job->src = job->dst = data;
    job->cipher_start_src_offset_in_bytes = job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = job->msg_len_to_hash_in_bytes = len;
    job->u.CHACHA20_POLY1305.aad = aad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = aad_len;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = 16;
    IMB_SUBMIT_JOB_NOCHECK(key->manager);
}

void CALL(_seal)(struct key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, uint8_t *data, size_t len,
                 uint8_t *tag)
{
    run(key, IMB_DIR_ENCRYPT, IMB_ORDER_CIPHER_HASH, nonce, aad, aad_len, data, len, tag);
}

int CALL(_open)(struct key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, uint8_t *data, size_t len,
                const uint8_t *tag)
{
    uint8_t right[16];
    run(key, IMB_DIR_DECRYPT, IMB_ORDER_HASH_CIPHER, nonce, aad, aad_len, data, len, right);
    return memcmp(right, tag, sizeof right) == 0;
}
