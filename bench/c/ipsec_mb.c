// Poly1305 by Intel's library for IPsec. Its functions are called through macros. Jobs are not validated, and
// each is done when its submission returns: nothing stays in the queue.

#include <intel-ipsec-mb.h>
#include <stddef.h>
#include <stdint.h>

struct message {
    const uint8_t *bytes;
    size_t len;
};

enum { BURST = 64 };

void *keylane_bench_ipsec_mb_new(void)
{
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager)
        init_mb_mgr_auto(manager, NULL);
    return manager;
}

void keylane_bench_ipsec_mb_free(void *manager)
{
    free_mb_mgr(manager);
}

static inline void fill(IMB_JOB *job, const uint8_t *key, const uint8_t *message, size_t len, uint8_t *tag)
{
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = IMB_AUTH_POLY1305;
    job->u.POLY1305._key = key;
    job->src = message;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = len;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = 16;
}

void keylane_bench_ipsec_mb_job(void *manager, const uint8_t *key, const uint8_t *message, size_t len, uint8_t *tag)
{
    fill(IMB_GET_NEXT_JOB((IMB_MGR *)manager), key, message, len, tag);
    IMB_SUBMIT_JOB_NOCHECK((IMB_MGR *)manager);
}

// n is at most BURST.
void keylane_bench_ipsec_mb_burst(void *manager, const uint8_t *keys, const struct message *messages, uint8_t *tags,
                                  uint32_t n)
{
    IMB_JOB *jobs[BURST];
    IMB_GET_NEXT_BURST((IMB_MGR *)manager, n, jobs);
    for (uint32_t i = 0; i < n; i++)
        fill(jobs[i], keys + 32 * i, messages[i].bytes, messages[i].len, tags + 16 * i);
    IMB_SUBMIT_BURST_NOCHECK((IMB_MGR *)manager, n, jobs);
}
