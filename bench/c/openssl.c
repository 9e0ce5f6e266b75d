// Poly1305 by OpenSSL's internal functions. They and their dependencies stay inside the shared object made of
// this file, so another OpenSSL can be in the same program.

#include <stddef.h>
#include <stdint.h>

// From OpenSSL's include/crypto/poly1305.h, which is not installed.
size_t Poly1305_ctx_size(void);
void Poly1305_Init(void *state, const unsigned char key[32]);
void Poly1305_Update(void *state, const unsigned char *bytes, size_t len);
void Poly1305_Final(void *state, unsigned char tag[16]);

struct state {
    _Alignas(64) unsigned char bytes[512];
};

int keylane_bench_openssl_fits(void)
{
    return Poly1305_ctx_size() <= sizeof(struct state);
}

// A message in pieces.

void keylane_bench_openssl_init(struct state *state, const uint8_t *key)
{
    Poly1305_Init(state, key);
}

void keylane_bench_openssl_update(struct state *state, const uint8_t *piece, size_t len)
{
    Poly1305_Update(state, piece, len);
}

void keylane_bench_openssl_final(struct state *state, uint8_t *tag)
{
    Poly1305_Final(state, tag);
}

// A whole message.

void keylane_bench_openssl(const uint8_t *key, const uint8_t *message, size_t len, uint8_t *tag)
{
    struct state state;
    Poly1305_Init(&state, key);
    Poly1305_Update(&state, message, len);
    Poly1305_Final(&state, tag);
}
