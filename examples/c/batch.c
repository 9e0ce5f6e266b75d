/* Hashes many keys of a hash table in one call, and lists the active kernels. */

#include <keylane.h>
#include <stdio.h>
#include <string.h>

enum { KEYS = 1000, KERNELS = 64 };

int main(void) {
    static char texts[KEYS][16];
    static keylane_message messages[KEYS];
    static uint64_t together[KEYS];
    static keylane_kernel kernels[KERNELS];
    const uint8_t key[16] = {7};
    keylane_siphash h;
    size_t count, i;
    keylane_status status = keylane_siphash_init(&h, 1, 2, 64, key);
    for (i = 0; i < KEYS; i++) {
        sprintf(texts[i], "User:%lu", (unsigned long)(i * i));
        messages[i].bytes = texts[i];
        messages[i].length = strlen(texts[i]);
    }
    if (status == KEYLANE_OK) status = keylane_siphash_hash64_many(&h, messages, 1, KEYS, together);
    for (i = 0; status == KEYLANE_OK && i < KEYS; i++) {
        uint64_t alone;
        status = keylane_siphash_hash64_nocase(&h, messages[i].bytes, messages[i].length, &alone);
        if (status == KEYLANE_OK && alone != together[i]) return 2;
    }
    if (status == KEYLANE_OK) status = keylane_kernels(kernels, KERNELS, &count);
    if (status != KEYLANE_OK) {
        fprintf(stderr, "%s\n", keylane_strerror(status));
        return 1;
    }
    for (i = 0; i < count && i < KERNELS; i++)
        if (kernels[i].state == KEYLANE_KERNEL_ACTIVE) printf("%s %s\n", kernels[i].slot, kernels[i].id);
    keylane_siphash_wipe(&h);
    return 0;
}
