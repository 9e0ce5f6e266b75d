/* Poly1305 of the standard input, with the one-time key of ChaCha20-Poly1305 for a key and a nonce. */

#include <keylane.h>
#include <stdio.h>

int main(void) {
    static const uint8_t nonce[12] = {0}; /* the first message under this key */
    uint8_t key[32], piece[4096], tag[16];
    keylane_poly1305 p;
    keylane_status status = keylane_random(key, sizeof key);
    size_t i, n;
    if (status == KEYLANE_OK) status = keylane_poly1305_init_rfc8439(&p, key, nonce);
    keylane_wipe(key, sizeof key);
    while (status == KEYLANE_OK && (n = fread(piece, 1, sizeof piece, stdin)) > 0)
        status = keylane_poly1305_update(&p, piece, n);
    if (status == KEYLANE_OK) status = keylane_poly1305_finish(&p, tag);
    if (status != KEYLANE_OK) {
        fprintf(stderr, "%s\n", keylane_strerror(status));
        return 1;
    }
    for (i = 0; i < sizeof tag; i++) printf("%02x", tag[i]);
    printf("\n");
    return 0;
}
