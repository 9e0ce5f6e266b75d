/* The published answers through every call that can give them: see answers.h. */

#include "answers.h"
#include <keylane.h>
#include <keylane_inline.h>

/* How many times a batch contains a message: enough for a kernel. */
enum { COPIES = 21 };

typedef struct hash_case {
    unsigned int c, d, bits;
    bytes key, message, tag, tag_nocase;
    int valid;
} hash_case;

static void little_endian(uint64_t x, uint8_t *to, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) to[i] = (uint8_t)(x >> 8 * i);
}

static uint64_t integer(bytes b) {
    uint64_t x = 0;
    size_t i;
    for (i = b.length; i > 0; i--) x = x << 8 | b.at[i - 1];
    return x;
}

/* Each of the three kinds of tags has two macros and two functions. OUT is the argument that receives a tag, VALUE the
 * argument that passes one. is_ compares a tag with bytes, to_ makes one from bytes. */
#define OUT_INTEGER(tag) (&(tag))
#define VALUE_INTEGER(tag) (tag)
#define OUT_BYTES(tag) ((tag).bytes)
#define VALUE_BYTES(tag) ((tag).bytes)

static int is_u32(uint32_t tag, bytes expected) {
    uint8_t b[4];
    little_endian(tag, b, 4);
    return expected.length == 4 && memcmp(b, expected.at, 4) == 0;
}

static int is_u64(uint64_t tag, bytes expected) {
    uint8_t b[8];
    little_endian(tag, b, 8);
    return expected.length == 8 && memcmp(b, expected.at, 8) == 0;
}

static int is_tag128(keylane_tag128 tag, bytes expected) {
    return expected.length == 16 && memcmp(tag.bytes, expected.at, 16) == 0;
}

static uint32_t to_u32(bytes b) {
    return (uint32_t)integer(b);
}

static uint64_t to_u64(bytes b) {
    return integer(b);
}

static keylane_tag128 to_tag128(bytes b) {
    keylane_tag128 tag;
    memcpy(tag.bytes, b.at, 16);
    return tag;
}

/* A view of n bytes, which also begin at an offset in buffer 0. What nobody may read is not 0. */
static void to_view(uint8_t view[16], const uint8_t *message, size_t n, size_t offset) {
    int k;
    memset(view, 0xa5, 16);
    for (k = 0; k < 4; k++) {
        view[k] = (uint8_t)(n >> 8 * k);
        if (n > 12) view[8 + k] = 0;
        if (n > 12) view[12 + k] = (uint8_t)(offset >> 8 * k);
    }
    if (n > 0 && n <= 12) memcpy(view + 4, message, n);
}

/* All calls of one family and width. */
#define CALLS(F, B, TYPE, OUT, VALUE, IS, TO)                                                                        \
    static void F##_##B(const hash_case *t) {                                                                        \
        const uint8_t *m = t->message.at;                                                                            \
        size_t i, n = t->message.length;                                                                             \
        keylane_##F h;                                                                                               \
        keylane_##F##_stream s;                                                                                      \
        keylane_message many[COPIES], buffer;                                                                        \
        uint8_t views[COPIES][16];                                                                                   \
        int32_t offsets32[COPIES + 1];                                                                               \
        int64_t offsets64[COPIES + 1];                                                                               \
        TYPE tag, tags[COPIES], given = TO(t->tag);                                                                  \
        uint8_t *rows = (uint8_t *)malloc(n * COPIES + 1);                                                           \
        keylane_status expected = t->valid ? KEYLANE_OK : KEYLANE_MISMATCH;                                          \
        if (rows == NULL) abort();                                                                                   \
        CHECK(keylane_##F##_init(&h, t->c, t->d, B, t->key.at) == KEYLANE_OK);                                       \
        CHECK(keylane_##F##_hash##B(&h, m, n, OUT(tag)) == KEYLANE_OK);                                              \
        CHECK(IS(tag, t->tag) == t->valid);                                                                          \
        CHECK(keylane_##F##_verify##B(&h, m, n, VALUE(given)) == expected);                                          \
        CHECK(keylane_##F##_stream_init(&s, &h) == KEYLANE_OK);                                                      \
        for (i = 0; i < n; i += 7)                                                                                   \
            CHECK(keylane_##F##_stream_update(&s, m + i, n - i < 7 ? n - i : 7) == KEYLANE_OK);                      \
        CHECK(keylane_##F##_stream_finish##B(&s, OUT(tag)) == KEYLANE_OK);                                           \
        CHECK(IS(tag, t->tag) == t->valid);                                                                          \
        CHECK(keylane_##F##_stream_verify##B(&s, VALUE(given)) == expected);                                         \
        keylane_##F##_stream_wipe(&s);                                                                               \
        CHECK(keylane_##F##_stream_verify##B(&s, VALUE(given)) == KEYLANE_STATE);                                    \
        if (t->tag_nocase.length) {                                                                                  \
            CHECK(keylane_##F##_hash##B##_nocase(&h, m, n, OUT(tag)) == KEYLANE_OK);                                 \
            CHECK(IS(tag, t->tag_nocase));                                                                           \
        }                                                                                                            \
        if (n == 4) {                                                                                                \
            uint32_t copies[COPIES];                                                                                 \
            CHECK(keylane_##F##_hash##B##_u32(&h, to_u32(t->message), OUT(tag)) == KEYLANE_OK);                      \
            CHECK(IS(tag, t->tag) == t->valid);                                                                      \
            for (i = 0; i < COPIES; i++) copies[i] = to_u32(t->message);                                             \
            CHECK(keylane_##F##_hash##B##_u32s(&h, copies, COPIES, tags) == KEYLANE_OK);                             \
            for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag) == t->valid);                                     \
        }                                                                                                            \
        if (n == 8) {                                                                                                \
            uint64_t copies[COPIES];                                                                                 \
            CHECK(keylane_##F##_hash##B##_u64(&h, to_u64(t->message), OUT(tag)) == KEYLANE_OK);                      \
            CHECK(IS(tag, t->tag) == t->valid);                                                                      \
            for (i = 0; i < COPIES; i++) copies[i] = to_u64(t->message);                                             \
            CHECK(keylane_##F##_hash##B##_u64s(&h, copies, COPIES, tags) == KEYLANE_OK);                             \
            for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag) == t->valid);                                     \
        }                                                                                                            \
        for (i = 0; i < COPIES; i++) {                                                                               \
            if (n) memcpy(rows + i * n, m, n);                                                                       \
            many[i].bytes = m;                                                                                       \
            many[i].length = n;                                                                                      \
        }                                                                                                            \
        for (i = 0; i <= COPIES; i++) {                                                                              \
            offsets32[i] = (int32_t)(i * n);                                                                         \
            offsets64[i] = (int64_t)(i * n);                                                                         \
        }                                                                                                            \
        buffer.bytes = rows;                                                                                         \
        buffer.length = n * COPIES;                                                                                  \
        for (i = 0; i < COPIES; i++) to_view(views[i], m, n, i * n);                                                 \
        CHECK(keylane_##F##_hash##B##_views(&h, views, &buffer, 1, 0, COPIES, tags) == KEYLANE_OK);                  \
        for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag) == t->valid);                                         \
        if (t->tag_nocase.length) {                                                                                  \
            CHECK(keylane_##F##_hash##B##_views(&h, views, &buffer, 1, 1, COPIES, tags) == KEYLANE_OK);              \
            for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag_nocase));                                          \
        }                                                                                                            \
        if (n == 16) {                                                                                               \
            CHECK(keylane_##F##_hash##B##_u128(&h, m, OUT(tag)) == KEYLANE_OK);                                      \
            CHECK(IS(tag, t->tag) == t->valid);                                                                      \
            CHECK(keylane_##F##_hash##B##_u128s(&h, rows, COPIES, tags) == KEYLANE_OK);                              \
            for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag) == t->valid);                                     \
        }                                                                                                            \
        CHECK(keylane_##F##_hash##B##_rows(&h, rows, n * COPIES, n, 0, COPIES, tags) == KEYLANE_OK);                 \
        for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag) == t->valid);                                         \
        CHECK(keylane_##F##_hash##B##_offsets32(&h, rows, n * COPIES, offsets32, 0, COPIES, tags) == KEYLANE_OK);    \
        for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag) == t->valid);                                         \
        CHECK(keylane_##F##_hash##B##_offsets64(&h, rows, n * COPIES, offsets64, 0, COPIES, tags) == KEYLANE_OK);    \
        for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag) == t->valid);                                         \
        CHECK(keylane_##F##_hash##B##_many(&h, many, 0, COPIES, tags) == KEYLANE_OK);                                \
        for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag) == t->valid);                                         \
        if (t->tag_nocase.length) {                                                                                  \
            CHECK(keylane_##F##_hash##B##_rows(&h, rows, n * COPIES, n, 1, COPIES, tags) == KEYLANE_OK);             \
            for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag_nocase));                                          \
            CHECK(keylane_##F##_hash##B##_offsets32(&h, rows, n * COPIES, offsets32, 1, COPIES, tags) == KEYLANE_OK); \
            for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag_nocase));                                          \
            CHECK(keylane_##F##_hash##B##_offsets64(&h, rows, n * COPIES, offsets64, 1, COPIES, tags) == KEYLANE_OK); \
            for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag_nocase));                                          \
            CHECK(keylane_##F##_hash##B##_many(&h, many, 1, COPIES, tags) == KEYLANE_OK);                            \
            for (i = 0; i < COPIES; i++) CHECK(IS(tags[i], t->tag_nocase));                                          \
        }                                                                                                            \
        keylane_##F##_wipe(&h);                                                                                      \
        CHECK(keylane_##F##_hash##B(&h, m, n, OUT(tag)) == KEYLANE_STATE);                                           \
        free(rows);                                                                                                  \
    }

CALLS(siphash, 64, uint64_t, OUT_INTEGER, VALUE_INTEGER, is_u64, to_u64)
CALLS(siphash, 128, keylane_tag128, OUT_BYTES, VALUE_BYTES, is_tag128, to_tag128)
CALLS(halfsiphash, 32, uint32_t, OUT_INTEGER, VALUE_INTEGER, is_u32, to_u32)
CALLS(halfsiphash, 64, uint64_t, OUT_INTEGER, VALUE_INTEGER, is_u64, to_u64)

/* One call with key and message, for the rounds that have a name. */
#define ONE_SHOT(F, C, D, B, NAME, TYPE, OUT, IS)                                                                    \
    if (!half == !strcmp(#F, "siphash") && t->c == C && t->d == D && t->bits == B) {                                 \
        TYPE tag;                                                                                                    \
        CHECK(NAME(t->key.at, t->message.at, t->message.length, OUT(tag)) == KEYLANE_OK);                            \
        CHECK(IS(tag, t->tag) == t->valid);                                                                          \
    }

#define NOCASE(C, D, NAME)                                                                                           \
    if (!half && t->c == C && t->d == D && t->bits == 64 && t->tag_nocase.length) {                                  \
        uint64_t tag;                                                                                                \
        CHECK(NAME(t->key.at, t->message.at, t->message.length, &tag) == KEYLANE_OK);                                \
        CHECK(is_u64(tag, t->tag_nocase));                                                                           \
    }

static void one_shot(const hash_case *t, int half) {
    ONE_SHOT(siphash, 1, 1, 64, keylane_siphash11, uint64_t, OUT_INTEGER, is_u64)
    ONE_SHOT(siphash, 1, 2, 64, keylane_siphash12, uint64_t, OUT_INTEGER, is_u64)
    ONE_SHOT(siphash, 1, 3, 64, keylane_siphash13, uint64_t, OUT_INTEGER, is_u64)
    ONE_SHOT(siphash, 2, 4, 64, keylane_siphash24, uint64_t, OUT_INTEGER, is_u64)
    ONE_SHOT(siphash, 4, 8, 64, keylane_siphash48, uint64_t, OUT_INTEGER, is_u64)
    ONE_SHOT(siphash, 1, 3, 128, keylane_siphashx13, keylane_tag128, OUT_BYTES, is_tag128)
    ONE_SHOT(siphash, 2, 4, 128, keylane_siphashx24, keylane_tag128, OUT_BYTES, is_tag128)
    ONE_SHOT(siphash, 4, 8, 128, keylane_siphashx48, keylane_tag128, OUT_BYTES, is_tag128)
    ONE_SHOT(halfsiphash, 1, 3, 32, keylane_halfsiphash13, uint32_t, OUT_INTEGER, is_u32)
    ONE_SHOT(halfsiphash, 1, 3, 32, keylane_hsiphash32, uint32_t, OUT_INTEGER, is_u32)
    ONE_SHOT(halfsiphash, 2, 4, 32, keylane_halfsiphash24, uint32_t, OUT_INTEGER, is_u32)
    ONE_SHOT(halfsiphash, 1, 3, 64, keylane_halfsiphashx13, uint64_t, OUT_INTEGER, is_u64)
    ONE_SHOT(halfsiphash, 2, 4, 64, keylane_halfsiphashx24, uint64_t, OUT_INTEGER, is_u64)
    NOCASE(1, 2, keylane_siphash12_nocase)
    NOCASE(1, 3, keylane_siphash13_nocase)
    NOCASE(2, 4, keylane_siphash24_nocase)
    if (!half && t->c == 1 && t->d == 3 && t->bits == 64) {
        uint32_t tag;
        bytes low = t->tag;
        low.length = 4;
        CHECK(keylane_hsiphash64(t->key.at, t->message.at, t->message.length, &tag) == KEYLANE_OK);
        CHECK(is_u32(tag, low) == t->valid);
    }
}

/* The same, by keylane_inline.h. */
static void inlined(const hash_case *t) {
    const keylane_inline_key k = keylane_inline_prepare(t->key.at);
    CHECK(is_u64(keylane_inline_hash64(&k, t->c, t->d, t->message.at, t->message.length), t->tag) == t->valid);
    if (t->tag_nocase.length)
        CHECK(is_u64(keylane_inline_hash64_nocase(&k, t->c, t->d, t->message.at, t->message.length), t->tag_nocase));
}

/* hash half|sip c d bits key message tag tag_nocase valid, where the message may be "*count:byte". */
static void hash(char *words[]) {
    hash_case t;
    int half = strcmp(words[1], "half") == 0;
    t.c = (unsigned int)atoi(words[2]);
    t.d = (unsigned int)atoi(words[3]);
    t.bits = (unsigned int)atoi(words[4]);
    t.key = from_hex(words[5]);
    if (words[6][0] == '*') {
        t.message.length = (size_t)atol(words[6] + 1);
        t.message.at = (uint8_t *)malloc(t.message.length);
        if (t.message.at == NULL) abort();
        memset(t.message.at, (int)strtol(strchr(words[6], ':') + 1, NULL, 16), t.message.length);
    } else {
        t.message = from_hex(words[6]);
    }
    t.tag = from_hex(words[7]);
    t.tag_nocase = from_hex(words[8]);
    t.valid = atoi(words[9]);
    if (half && t.bits == 32) halfsiphash_32(&t);
    else if (half) halfsiphash_64(&t);
    else if (t.bits == 64) siphash_64(&t);
    else siphash_128(&t);
    if (!half && t.bits == 64 && t.c < 16 && t.d < 16) inlined(&t);
    one_shot(&t, half);
    free(t.key.at);
    free(t.message.at);
    free(t.tag.at);
    free(t.tag_nocase.at);
}

/* unpadded key tag blocks... */
static void unpadded(char *words[], size_t n) {
    bytes key = from_hex(words[1]), tag = from_hex(words[2]);
    keylane_siphash13uj h;
    uint64_t got;
    size_t i;
    CHECK(keylane_siphash13uj_init(&h, key.at) == KEYLANE_OK);
    for (i = 3; i < n; i++) {
        bytes block = from_hex(words[i]);
        if (block.length == 8) CHECK(keylane_siphash13uj_word(&h, integer(block)) == KEYLANE_OK);
        else CHECK(keylane_siphash13uj_jumbo(&h, block.at) == KEYLANE_OK);
        free(block.at);
    }
    CHECK(keylane_siphash13uj_finish(&h, &got) == KEYLANE_OK);
    CHECK(is_u64(got, tag));
    keylane_siphash13uj_wipe(&h);
    CHECK(keylane_siphash13uj_finish(&h, &got) == KEYLANE_STATE);
    free(key.at);
    free(tag.at);
}

/* cookie secret client_cookie reserved_is_zero timestamp address server_cookie valid */
static void cookie(char *words[]) {
    bytes secret = from_hex(words[1]), client_cookie = from_hex(words[2]);
    bytes address = from_hex(words[5]), server_cookie = from_hex(words[6]);
    int valid = atoi(words[7]);
    uint8_t made[16];
    if (atoi(words[3]) && valid) {
        CHECK(keylane_dns_cookie(secret.at, client_cookie.at, (uint32_t)strtoul(words[4], NULL, 10), address.at,
                  address.length, made) == KEYLANE_OK);
        CHECK(memcmp(made, server_cookie.at, 16) == 0);
    }
    CHECK(keylane_dns_cookie_verify(secret.at, client_cookie.at, server_cookie.at, address.at, address.length) ==
        (valid ? KEYLANE_OK : KEYLANE_MISMATCH));
    free(secret.at);
    free(client_cookie.at);
    free(address.at);
    free(server_cookie.at);
}

/* In pieces; `p` is initialised. */
static void in_pieces(keylane_poly1305 *p, bytes message, bytes tag, int valid, int verify) {
    uint8_t got[16];
    size_t i, piece = verify ? 17 : 200;
    for (i = 0; i < message.length; i += piece) {
        size_t left = message.length - i;
        CHECK(keylane_poly1305_update(p, message.at + i, left < piece ? left : piece) == KEYLANE_OK);
    }
    if (verify) {
        CHECK(keylane_poly1305_finish_verify(p, tag.at) == (valid ? KEYLANE_OK : KEYLANE_MISMATCH));
    } else {
        CHECK(keylane_poly1305_finish(p, got) == KEYLANE_OK);
        CHECK((memcmp(got, tag.at, 16) == 0) == valid);
    }
    CHECK(keylane_poly1305_finish(p, got) == KEYLANE_STATE);
}

/* mac key message tag valid */
static void mac(char *words[]) {
    bytes key = from_hex(words[1]), message = from_hex(words[2]), tag = from_hex(words[3]);
    int valid = atoi(words[4]);
    keylane_status expected = valid ? KEYLANE_OK : KEYLANE_MISMATCH;
    keylane_poly1305 p;
    keylane_message messages[COPIES];
    uint8_t got[16], keys[32 * COPIES], tags[16 * COPIES], good[COPIES];
    size_t i;
    CHECK(keylane_poly1305_mac(key.at, message.at, message.length, got) == KEYLANE_OK);
    CHECK((memcmp(got, tag.at, 16) == 0) == valid);
    CHECK(keylane_poly1305_mac_verify(key.at, message.at, message.length, tag.at) == expected);
    CHECK(keylane_poly1305_init(&p, key.at) == KEYLANE_OK);
    in_pieces(&p, message, tag, valid, 0);
    CHECK(keylane_poly1305_init(&p, key.at) == KEYLANE_OK);
    in_pieces(&p, message, tag, valid, 1);
    for (i = 0; i < COPIES; i++) {
        memcpy(keys + 32 * i, key.at, 32);
        messages[i].bytes = message.at;
        messages[i].length = message.length;
    }
    CHECK(keylane_poly1305_macs(keys, messages, COPIES, tags) == KEYLANE_OK);
    for (i = 0; i < COPIES; i++) CHECK((memcmp(tags + 16 * i, tag.at, 16) == 0) == valid);
    for (i = 0; i < COPIES; i++) memcpy(tags + 16 * i, tag.at, 16);
    if (valid) {
        tags[16 * 3 + 15] ^= 0x80;
        CHECK(keylane_poly1305_macs_verify(keys, messages, COPIES, tags, good) == KEYLANE_MISMATCH);
        for (i = 0; i < COPIES; i++) CHECK(good[i] == (i != 3));
        tags[16 * 3 + 15] ^= 0x80;
    }
    CHECK(keylane_poly1305_macs_verify(keys, messages, COPIES, tags, good) == expected);
    for (i = 0; i < COPIES; i++) CHECK(good[i] == valid);
    free(key.at);
    free(message.at);
    free(tag.at);
}

/* aes aes_key r nonce message tag; rfc8439 key nonce message tag valid */
static void derived(char *words[], int aes) {
    bytes key = from_hex(words[1]), r = from_hex(aes ? words[2] : "-"), nonce = from_hex(words[aes ? 3 : 2]);
    bytes message = from_hex(words[aes ? 4 : 3]), tag = from_hex(words[aes ? 5 : 4]);
    keylane_poly1305 p;
    if (aes) CHECK(keylane_poly1305_init_aes(&p, key.at, r.at, nonce.at) == KEYLANE_OK);
    else CHECK(keylane_poly1305_init_rfc8439(&p, key.at, nonce.at) == KEYLANE_OK);
    in_pieces(&p, message, tag, aes ? 1 : atoi(words[5]), 0);
    free(key.at);
    free(r.at);
    free(nonce.at);
    free(message.at);
    free(tag.at);
}

/* packet key nonce aad message ciphertext tag valid; a nonce of 24 bytes is one of XChaCha20-Poly1305. */
static void packet(char *words[]) {
    bytes key = from_hex(words[1]), nonce = from_hex(words[2]), aad = from_hex(words[3]);
    bytes message = from_hex(words[4]), ciphertext = from_hex(words[5]), tag = from_hex(words[6]);
    int valid = atoi(words[7]);
    keylane_status expected = valid ? KEYLANE_OK : KEYLANE_MISMATCH;
    keylane_chacha20poly1305 c;
    keylane_packet packets[COPIES];
    bytes copies[COPIES];
    uint8_t tags[16 * COPIES], good[COPIES];
    size_t i;
    if (nonce.length == 24) {
        CHECK(keylane_chacha20poly1305_init_xchacha20(&c, key.at, nonce.at) == KEYLANE_OK);
        memset(nonce.at, 0, 4);
        memmove(nonce.at + 4, nonce.at + 16, 8);
    } else {
        CHECK(keylane_chacha20poly1305_init(&c, key.at) == KEYLANE_OK);
    }
    for (i = 0; i < COPIES; i++) {
        copies[i] = from_hex(words[valid ? 4 : 5]);
        packets[i].nonce = nonce.at;
        packets[i].aad = aad.at;
        packets[i].aad_length = aad.length;
        packets[i].data = copies[i].at;
        packets[i].length = copies[i].length;
        packets[i].tag = tags + 16 * i;
        memcpy(packets[i].tag, tag.at, 16);
    }
    if (valid) {
        CHECK(keylane_chacha20poly1305_seal_many_with_nonces(&c, packets, COPIES) == KEYLANE_OK);
        CHECK(keylane_chacha20poly1305_seal_with_nonce(&c, nonce.at, aad.at, aad.length, message.at, message.length,
                  tags) == KEYLANE_OK);
        CHECK(message.length == 0 || memcmp(message.at, ciphertext.at, message.length) == 0);
        for (i = 0; i < COPIES; i++) {
            CHECK(message.length == 0 || memcmp(copies[i].at, ciphertext.at, message.length) == 0);
            CHECK(memcmp(tags + 16 * i, tag.at, 16) == 0);
        }
    }
    CHECK(keylane_chacha20poly1305_open_many(&c, packets, COPIES, good) == expected);
    for (i = 0; i < COPIES; i++) CHECK(good[i] == valid);
    if (!valid) CHECK(message.length == 0 || memcmp(copies[0].at, ciphertext.at, message.length) == 0);
    CHECK(keylane_chacha20poly1305_open(&c, nonce.at, aad.at, aad.length, ciphertext.at, ciphertext.length, tag.at) ==
        expected);
    if (valid && message.length > 0) CHECK(memcmp(copies[1].at, ciphertext.at, message.length) == 0);
    keylane_chacha20poly1305_wipe(&c);
    for (i = 0; i < COPIES; i++) free(copies[i].at);
    free(key.at);
    free(nonce.at);
    free(aad.at);
    free(message.at);
    free(ciphertext.at);
    free(tag.at);
}

int main(int argc, char **argv) {
    FILE *file = fopen(argc > 1 ? argv[1] : "", "r");
    char *line = NULL, *words[64];
    size_t room = 0, n;
    if (file == NULL) return 2;
    while ((n = next_line(file, &line, &room, words, 64)) > 0) {
        if (strcmp(words[0], "hash") == 0) hash(words);
        else if (strcmp(words[0], "unpadded") == 0) unpadded(words, n);
        else if (strcmp(words[0], "cookie") == 0) cookie(words);
        else if (strcmp(words[0], "mac") == 0) mac(words);
        else if (strcmp(words[0], "packet") == 0) packet(words);
        else if (strcmp(words[0], "aes") == 0) derived(words, 1);
        else if (strcmp(words[0], "rfc8439") == 0) derived(words, 0);
        else return 2;
    }
    free(line);
    fclose(file);
    printf("%lu answers, %lu checks, %lu failures\n", line_number, checks, failures);
    return failures != 0;
}
