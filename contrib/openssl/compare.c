/* Compares the provider with OpenSSL's default one, and measures both.
 *
 *   compare FOLDER            every call with random input, in the right order and in wrong ones
 *   compare FOLDER figures    nanoseconds of a call, as lines for contrib/figures.py
 *
 * FOLDER has keylane.so. */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "random.h"

static unsigned char bytes[1 << 16];

static void fill(void) {
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)number();
}

static size_t length(void) {
    static const size_t limits[] = {20, 70, 300, 6000};
    return below(limits[below(4)]);
}

/* The same MAC of both providers. */
typedef struct {
    EVP_MAC *mac[2];
    EVP_MAC_CTX *ctx[2];
} Pair;

static Pair fetch(const char *name) {
    static const char *const properties[] = {"provider=keylane", "provider=default"};
    Pair pair;
    for (int i = 0; i < 2; i++) {
        pair.mac[i] = EVP_MAC_fetch(NULL, name, properties[i]);
        CHECK(pair.mac[i] != NULL);
        pair.ctx[i] = EVP_MAC_CTX_new(pair.mac[i]);
        CHECK(pair.ctx[i] != NULL);
    }
    return pair;
}

static void release(Pair pair) {
    for (int i = 0; i < 2; i++) {
        EVP_MAC_CTX_free(pair.ctx[i]);
        EVP_MAC_free(pair.mac[i]);
    }
}

/* Expects that both do the same. */
#define BOTH(call)                                   \
    do {                                             \
        int answers[2];                              \
        for (int i = 0; i < 2; i++) {                \
            EVP_MAC_CTX *ctx = pair.ctx[i];          \
            answers[i] = (call) > 0;                 \
        }                                            \
        CHECK(answers[0] == answers[1]);             \
    } while (0)

/* Expects that keylane's does it, and the other too. */
#define DONE(call)                                   \
    do {                                             \
        for (int i = 0; i < 2; i++) {                \
            EVP_MAC_CTX *ctx = pair.ctx[i];          \
            CHECK((call) > 0);                       \
        }                                            \
    } while (0)

/* Expects that keylane's refuses it. */
#define REFUSED(call)                                \
    do {                                             \
        EVP_MAC_CTX *ctx = pair.ctx[0];              \
        CHECK((call) <= 0);                          \
    } while (0)

static void same_tags(Pair pair) {
    unsigned char tags[2][16];
    size_t sizes[2];
    for (int i = 0; i < 2; i++) CHECK(EVP_MAC_final(pair.ctx[i], tags[i], &sizes[i], sizeof tags[i]) > 0);
    CHECK(sizes[0] == sizes[1] && sizes[0] == EVP_MAC_CTX_get_mac_size(pair.ctx[0]));
    CHECK(memcmp(tags[0], tags[1], sizes[0]) == 0);
}

static int set_number(EVP_MAC_CTX *ctx, const char *name, unsigned int value) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(name, &value), OSSL_PARAM_construct_end()};
    return EVP_MAC_CTX_set_params(ctx, params);
}

static int set_key(EVP_MAC_CTX *ctx, size_t size) {
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, bytes, size), OSSL_PARAM_construct_end()};
    return EVP_MAC_CTX_set_params(ctx, params);
}

static unsigned int get_number(EVP_MAC_CTX *ctx, const char *name) {
    unsigned int value = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_uint(name, &value), OSSL_PARAM_construct_end()};
    CHECK(EVP_MAC_CTX_get_params(ctx, params) > 0);
    return value;
}

/* A message in pieces. Sometimes a copy goes on, and the first ends. */
static void message(Pair *all) {
    Pair pair = *all;
    for (size_t pieces = below(5); pieces > 0; pieces--) {
        fill();
        size_t from = below(64), size = length();
        DONE(EVP_MAC_update(ctx, bytes + from, size));
        if (below(4) == 0) {
            Pair copy = pair;
            for (int i = 0; i < 2; i++) {
                copy.ctx[i] = EVP_MAC_CTX_dup(pair.ctx[i]);
                CHECK(copy.ctx[i] != NULL);
            }
            same_tags(pair);
            for (int i = 0; i < 2; i++) {
                EVP_MAC_CTX_free(pair.ctx[i]);
                pair.ctx[i] = copy.ctx[i];
            }
        }
    }
    same_tags(pair);
    *all = pair;
}

static void siphash(void) {
    for (int round = 0; round < 3000; round++) {
        Pair pair = fetch("SIPHASH");
        fill();
        unsigned int c = (unsigned int)below(6), d = (unsigned int)below(6), size = (unsigned int)below(3) * 8;
        if (below(2)) BOTH(set_number(ctx, "size", size));
        if (below(2)) BOTH(set_number(ctx, "c-rounds", c));
        if (below(2)) BOTH(set_number(ctx, "d-rounds", d));
        if (below(2)) {
            DONE(EVP_MAC_init(ctx, bytes, 16, NULL));
        } else {
            DONE(EVP_MAC_init(ctx, NULL, 0, NULL));
            DONE(set_key(ctx, 16));
        }
        /* For the next key only. */
        if (below(4) == 0) BOTH(set_number(ctx, "c-rounds", 3));
        if (below(4) == 0) BOTH(set_number(ctx, "size", 8));
        CHECK(EVP_MAC_CTX_get_mac_size(pair.ctx[0]) == EVP_MAC_CTX_get_mac_size(pair.ctx[1]));
        message(&pair);
        for (size_t again = below(3); again > 0; again--) {
            switch (below(4)) {
            case 0: /* the same key */
                DONE(EVP_MAC_init(ctx, NULL, 0, NULL));
                break;
            case 1: { /* the same key, another size */
                size_t other = below(2) ? 8 : 16;
                OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t("size", &other), OSSL_PARAM_construct_end()};
                DONE(EVP_MAC_init(ctx, NULL, 0, params));
                break;
            }
            case 2: /* another */
                fill();
                DONE(EVP_MAC_init(ctx, bytes, 16, NULL));
                break;
            default: /* no change of the key: the message goes on */
                same_tags(pair);
            }
            message(&pair);
        }
        release(pair);
    }
    Pair pair = fetch("SIPHASH");
    CHECK(EVP_MAC_CTX_get_mac_size(pair.ctx[0]) == 16);
    CHECK(get_number(pair.ctx[0], "size") == 16);
    CHECK(get_number(pair.ctx[0], "c-rounds") == 2 && get_number(pair.ctx[0], "d-rounds") == 4);
    unsigned char tag[16];
    size_t size;
    for (size_t keys = 0; keys < 40; keys++) {
        if (keys == 16) continue;
        BOTH(EVP_MAC_init(ctx, bytes, keys, NULL));
        BOTH(set_key(ctx, keys));
        REFUSED(set_key(ctx, keys));
    }
    for (unsigned int sizes = 0; sizes < 40; sizes++) BOTH(set_number(ctx, "size", sizes));
    DONE(set_number(ctx, "size", 16));
    REFUSED(set_number(ctx, "c-rounds", 256));
    REFUSED(set_number(ctx, "d-rounds", 1u << 31));
    /* Without a key there is no tag. The default provider gives one. */
    DONE(EVP_MAC_init(ctx, NULL, 0, NULL));
    REFUSED(EVP_MAC_update(ctx, bytes, 1));
    REFUSED(EVP_MAC_final(ctx, tag, &size, sizeof tag));
    DONE(EVP_MAC_init(ctx, bytes, 16, NULL));
    BOTH(EVP_MAC_final(ctx, tag, &size, 15));
    DONE(EVP_MAC_update(ctx, bytes, 1));
    /* Another size in the middle of a message: the default provider gives a tag that is none of SipHash's. */
    BOTH(set_number(ctx, "size", 8));
    REFUSED(EVP_MAC_update(ctx, bytes, 1));
    REFUSED(EVP_MAC_final(ctx, tag, &size, sizeof tag));
    CHECK(size == 0);
    /* The former size does not bring the message back. */
    BOTH(set_number(ctx, "size", 16));
    REFUSED(EVP_MAC_update(ctx, bytes, 1));
    BOTH(set_number(ctx, "size", 8));
    DONE(EVP_MAC_init(ctx, NULL, 0, NULL));
    message(&pair);
    release(pair);
}

static void poly1305(void) {
    for (int round = 0; round < 3000; round++) {
        Pair pair = fetch("POLY1305");
        for (size_t messages = 1 + below(3); messages > 0; messages--) {
            fill();
            if (below(8) == 0) memset(bytes, 0xff, 64);
            if (below(2)) {
                DONE(EVP_MAC_init(ctx, bytes, 32, NULL));
            } else {
                DONE(set_key(ctx, 32));
                DONE(EVP_MAC_init(ctx, NULL, 0, NULL));
            }
            message(&pair);
        }
        release(pair);
    }
    Pair pair = fetch("POLY1305");
    unsigned char tag[16];
    size_t size;
    CHECK(EVP_MAC_CTX_get_mac_size(pair.ctx[0]) == 16);
    for (size_t keys = 0; keys < 70; keys++) {
        if (keys == 32) continue;
        BOTH(EVP_MAC_init(ctx, bytes, keys, NULL));
        REFUSED(set_key(ctx, keys));
    }
    REFUSED(EVP_MAC_update(ctx, bytes, 1));
    REFUSED(EVP_MAC_final(ctx, tag, &size, sizeof tag));
    DONE(EVP_MAC_init(ctx, bytes, 32, NULL));
    REFUSED(EVP_MAC_final(ctx, tag, &size, 15));
    DONE(EVP_MAC_update(ctx, bytes, 1));
    /* One key, one message. */
    BOTH(EVP_MAC_init(ctx, NULL, 0, NULL));
    REFUSED(EVP_MAC_init(ctx, NULL, 0, NULL));
    same_tags(pair);
    REFUSED(EVP_MAC_update(ctx, bytes, 1));
    REFUSED(EVP_MAC_final(ctx, tag, &size, sizeof tag));
    REFUSED(EVP_MAC_init(ctx, NULL, 0, NULL));
    release(pair);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of some samples: init, update and final of one message. */
static double sample(EVP_MAC_CTX *ctx, size_t key, size_t size) {
    enum { SAMPLES = 31 };
    double samples[SAMPLES];
    unsigned char tag[16];
    size_t written, calls = 100000 / (100 + size) + 1;
    for (int i = 0; i < SAMPLES; i++) {
        double begun = now();
        for (size_t call = 0; call < calls; call++) {
            CHECK(EVP_MAC_init(ctx, bytes, key, NULL) > 0);
            CHECK(EVP_MAC_update(ctx, bytes, size) > 0);
            CHECK(EVP_MAC_final(ctx, tag, &written, sizeof tag) > 0);
        }
        samples[i] = (now() - begun) / (double)calls;
    }
    qsort(samples, SAMPLES, sizeof *samples, ascending);
    return samples[SAMPLES / 2];
}

static void figures(const char *name, size_t key) {
    static const size_t sizes[] = {0, 16, 64, 256, 1420, 16384};
    Pair pair = fetch(name);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double ns[2] = {sample(pair.ctx[0], key, sizes[i]), sample(pair.ctx[1], key, sizes[i])};
        printf("\"message, bytes\",%zu,%s,%.1f\n", sizes[i], name, ns[0]);
        printf("\"message, bytes\",%zu,\"%s, default\",%.1f\n", sizes[i], name, ns[1]);
    }
    release(pair);
}

int main(int count, char **words) {
    CHECK(count >= 2);
    CHECK(OSSL_PROVIDER_set_default_search_path(NULL, words[1]));
    OSSL_PROVIDER *ours = OSSL_PROVIDER_load(NULL, "keylane");
    OSSL_PROVIDER *theirs = OSSL_PROVIDER_load(NULL, "default");
    CHECK(ours != NULL && theirs != NULL);
    char *name = NULL;
    unsigned int status = 0;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_ptr("name", &name, 0), OSSL_PARAM_construct_uint("status", &status),
                           OSSL_PARAM_construct_end()};
    CHECK(OSSL_PROVIDER_get_params(ours, params) && strcmp(name, "keylane") == 0 && status == 1);
    if (count == 3 && strcmp(words[2], "figures") == 0) {
        figures("SIPHASH", 16);
        figures("POLY1305", 32);
    } else {
        siphash();
        poly1305();
        puts("keylane and the default provider agree");
    }
    OSSL_PROVIDER_unload(ours);
    OSSL_PROVIDER_unload(theirs);
    return 0;
}
