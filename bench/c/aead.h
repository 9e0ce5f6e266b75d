// The calls of a library that encrypts packets with ChaCha20-Poly1305: src/foreign/aead.rs. Each library's file names its own
// by NAME. A key comes from new and is wiped by nobody: it is known to all. open returns 1 if the tag is right.

#include <stddef.h>
#include <stdint.h>

#define JOIN(a, b) a##b
#define JOINED(a, b) JOIN(a, b)
#define CALL(call) JOINED(JOINED(keylane_bench_aead_, NAME), call)

struct key;
struct key *CALL(_new)(const uint8_t *key);
void CALL(_free)(struct key *key);
void CALL(_seal)(struct key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, uint8_t *data, size_t len,
                 uint8_t *tag);
int CALL(_open)(struct key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, uint8_t *data, size_t len,
                const uint8_t *tag);
