/* SipHash of the arguments under a random key: once for a hash table, and once as a short MAC that is then
 * verified. */

#include <keylane.h>
#include <stdio.h>
#include <string.h>

static int failed(const char *what, keylane_status status) {
    if (status != KEYLANE_OK) fprintf(stderr, "%s: %s\n", what, keylane_strerror(status));
    return status != KEYLANE_OK;
}

int main(int argc, char **argv) {
    uint8_t key[16];
    keylane_siphash table, mac;
    int i;
    if (failed("random", keylane_random(key, sizeof key)) ||
        failed("init", keylane_siphash_init(&table, 1, 3, 64, key)) ||
        failed("init", keylane_siphash_init(&mac, 2, 4, 128, key)))
        return 1;
    keylane_wipe(key, sizeof key);
    for (i = 1; i < argc; i++) {
        uint64_t hash;
        uint8_t tag[16];
        size_t length = strlen(argv[i]);
        if (failed("hash", keylane_siphash_hash64(&table, argv[i], length, &hash)) ||
            failed("hash", keylane_siphash_hash128(&mac, argv[i], length, tag)) ||
            failed("verify", keylane_siphash_verify128(&mac, argv[i], length, tag)))
            return 1;
        printf("%016llx  %s\n", (unsigned long long)hash, argv[i]);
    }
    keylane_siphash_wipe(&table);
    keylane_siphash_wipe(&mac);
    return 0;
}
