/* Compares keylane_inline.h, and the functions for Redis built on it (contrib/redis/), with the library and the
 * published answers. Usage: redis FILE, where FILE is that of answers.c. */

#define _DEFAULT_SOURCE
#include "answers.h"
#include <keylane.h>
#include <keylane_inline.h>
#include <sys/mman.h>
#include <unistd.h>

uint64_t siphash(const uint8_t *in, const size_t inlen, const uint8_t *k);
uint64_t siphash_nocase(const uint8_t *in, const size_t inlen, const uint8_t *k);
void siphash_many(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k, uint64_t *out);
void siphash_many_nocase(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k, uint64_t *out);

enum { LONGEST = 600, MOST = 70, STEP = 7 };

/* The little-endian tag of a line, as an integer. */
static uint64_t number(const char *hex) {
    const bytes b = from_hex(hex);
    const uint64_t tag = keylane_inline_load64(b.at);
    free(b.at);
    return tag;
}

/* Checks the lines "hash sip 1 2 64 KEY MESSAGE TAG TAG_NOCASE ...": the published answers for Redis' functions. */
static unsigned long published(const char *path) {
    char *line = NULL, *words[16];
    size_t room = 0, n;
    unsigned long folded = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) abort();
    while ((n = next_line(file, &line, &room, words, 16)) > 0) {
        bytes key, message;
        if (n < 9 || strcmp(words[0], "hash") || strcmp(words[1], "sip") || strcmp(words[4], "64")) continue;
        if (strcmp(words[2], "1") || strcmp(words[3], "2") || words[6][0] == '*') continue;
        key = from_hex(words[5]), message = from_hex(words[6]);
        CHECK(siphash(message.at, message.length, key.at) == number(words[7]));
        if (strcmp(words[8], "-")) {
            CHECK(siphash_nocase(message.at, message.length, key.at) == number(words[8]));
            folded++;
        }
        free(key.at), free(message.at);
    }
    fclose(file);
    free(line);
    return folded;
}

static uint64_t library(unsigned int c, unsigned int d, int nocase, const uint8_t *key, const uint8_t *in,
    size_t inlen) {
    keylane_siphash h;
    uint64_t tag = 0;
    CHECK(keylane_siphash_init(&h, c, d, 64, key) == KEYLANE_OK);
    CHECK((nocase ? keylane_siphash_hash64_nocase(&h, in, inlen, &tag) : keylane_siphash_hash64(&h, in, inlen, &tag))
        == KEYLANE_OK);
    keylane_siphash_wipe(&h);
    return tag;
}

#define ROUNDS(c, d)                                                                                                 \
    CHECK(keylane_inline_hash64(&k, c, d, in, inlen) == library(c, d, 0, key, in, inlen));                           \
    CHECK(keylane_inline_hash64_nocase(&k, c, d, in, inlen) == library(c, d, 1, key, in, inlen));                    \
    if (inlen == 4)                                                                                                  \
        CHECK(keylane_inline_hash64_u32(&k, c, d, keylane_inline_load32(in)) == library(c, d, 0, key, in, inlen));   \
    if (inlen == 8)                                                                                                  \
        CHECK(keylane_inline_hash64_u64(&k, c, d, keylane_inline_load64(in)) == library(c, d, 0, key, in, inlen));

static void one(const uint8_t *key, const uint8_t *in, size_t inlen) {
    const keylane_inline_key k = keylane_inline_prepare(key);
    ROUNDS(1, 1)
    ROUNDS(1, 2)
    ROUNDS(1, 3)
    ROUNDS(2, 4)
    ROUNDS(4, 8)
    ROUNDS(7, 15)
    CHECK(siphash(in, inlen, key) == library(1, 2, 0, key, in, inlen));
    CHECK(siphash_nocase(in, inlen, key) == library(1, 2, 1, key, in, inlen));
}

/* `n` keys of different lengths in one call. Each ends at `end` or begins at `begin`. */
static void many(const uint8_t *key, const uint8_t *begin, const uint8_t *end, size_t n, size_t longest) {
    const uint8_t *in[MOST] = {NULL};
    size_t inlen[MOST] = {0}, i;
    uint64_t out[MOST + 1], folded[MOST + 1];
    for (i = 0; i < n; i++) {
        inlen[i] = (11 * n + STEP * i * i) % (longest + 1);
        in[i] = inlen[i] == 0 ? NULL : i % 2 ? begin : end - inlen[i];
    }
    out[n] = folded[n] = 42;
    siphash_many(in, inlen, n, key, out);
    siphash_many_nocase(in, inlen, n, key, folded);
    for (i = 0; i < n; i++) {
        CHECK(out[i] == siphash(in[i], inlen[i], key));
        CHECK(folded[i] == siphash_nocase(in[i], inlen[i], key));
    }
    CHECK(out[n] == 42 && folded[n] == 42);
}

int main(int argc, char **argv) {
    static const size_t longest[] = {0, 3, 7, 8, 16, 31, 32, 63, 64, 80, LONGEST};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    /* One page between two inaccessible ones. */
    uint8_t *const pages =
        (uint8_t *)mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *const begin = pages + page, *const end = begin + page;
    uint8_t key[16];
    size_t i, n;
    unsigned long folded;
    if (argc != 2 || (void *)pages == MAP_FAILED) abort();
    if (mprotect(pages, page, PROT_NONE) || mprotect(end, page, PROT_NONE)) abort();
    folded = published(argv[1]);
    CHECK(folded > 0);
    for (i = 0; i < sizeof key; i++) key[i] = (uint8_t)(0x9d * i + 3);
    /* Every byte value occurs at every position within a word. */
    for (i = 0; i < page; i++) begin[i] = (uint8_t)(i + i / 256);
    one(key, NULL, 0);
    for (i = 1; i <= LONGEST; i++) one(key, begin, i), one(key, end - i, i);
    for (n = 0; n <= MOST; n++)
        for (i = 0; i < sizeof longest / sizeof *longest; i++) many(key, begin, end, n, longest[i]);
    printf("%lu checks, %lu of them published answers with case fold\n", checks, folded);
    return failures > 0;
}
