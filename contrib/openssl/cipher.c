/* Compares ChaCha20-Poly1305 of the provider with OpenSSL's default one.
 *
 *   cipher FOLDER evp           calls with random input, in the right order and in wrong ones
 *   cipher FOLDER answers       reads lines "KEY NONCE AAD MESSAGE CIPHERTEXT TAG VALID" in hexadecimal, "-" for nothing
 *   cipher FOLDER tls PEM       connections of TLS 1.2 and 1.3 in memory, with keylane on one side; PEM has a key and its
 *                               certificate
 *
 * FOLDER has keylane.so. */
#include <dlfcn.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

static void fill(unsigned char *bytes, size_t count) {
    while (count > 0) bytes[--count] = (unsigned char)number();
}

static size_t length(void) {
    static const size_t limits[] = {20, 70, 300, 2000, 40000};
    return below(limits[below(5)]);
}

enum { MOST = 1 << 18, TAG = 16, RECORD = 13 };

static unsigned char key[32], nonce[12], aad[MOST], text[MOST];

/* ---- EVP ---- */

/* The cipher of both providers: first keylane's. */
static EVP_CIPHER *ciphers[2];
static EVP_CIPHER_CTX *both[2];

static void begin(void) {
    for (int i = 0; i < 2; i++) CHECK((both[i] = EVP_CIPHER_CTX_new()) != NULL);
}

static void end(void) {
    for (int i = 0; i < 2; i++) EVP_CIPHER_CTX_free(both[i]);
}

/* Expects that both do it. */
#define DONE(call)                            \
    do {                                      \
        for (int i = 0; i < 2; i++) {         \
            EVP_CIPHER_CTX *ctx = both[i];    \
            CHECK((call) > 0);                \
        }                                     \
    } while (0)

/* Expects that keylane's refuses it. The default one may take it. */
#define REFUSED(call)                         \
    do {                                      \
        EVP_CIPHER_CTX *ctx = both[0];        \
        CHECK((call) <= 0);                   \
    } while (0)

/* Expects that both refuse it. */
#define BOTH_REFUSE(call)                     \
    do {                                      \
        for (int i = 0; i < 2; i++) {         \
            EVP_CIPHER_CTX *ctx = both[i];    \
            CHECK((call) <= 0);               \
        }                                     \
    } while (0)

static int init(EVP_CIPHER_CTX *ctx, int which, const unsigned char *k, const unsigned char *n, int seal) {
    return EVP_CipherInit_ex2(ctx, ciphers[which], k, n, seal, NULL);
}

static int set_tag(EVP_CIPHER_CTX *ctx, int size, void *tag) { return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, size, tag); }

static int get_tag(EVP_CIPHER_CTX *ctx, int size, void *tag) { return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, size, tag); }

static int update(EVP_CIPHER_CTX *ctx, unsigned char *out, const unsigned char *in, size_t count) {
    int written = -1, done = EVP_CipherUpdate(ctx, out, &written, in, (int)count);
    CHECK(done <= 0 || written == (int)count);
    return done;
}

static int finish(EVP_CIPHER_CTX *ctx) {
    unsigned char out[16];
    int written = -1, done = EVP_CipherFinal_ex(ctx, out, &written);
    CHECK(done <= 0 || written == 0);
    return done;
}

/* Random ways to give both the same key and nonce. */
static void start(int seal) {
    fill(nonce, sizeof nonce);
    switch (below(4)) {
    case 0: /* the same key as before, if there is one */
        if (EVP_CIPHER_CTX_get0_cipher(both[0]) != NULL) {
            DONE(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, seal, NULL));
            break;
        } /* fall through */
    case 1:
        fill(key, sizeof key);
        DONE(init(ctx, i, key, nonce, seal));
        break;
    case 2:
        fill(key, sizeof key);
        DONE(init(ctx, i, NULL, NULL, seal));
        DONE(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL));
        DONE(set_tag(ctx, TAG, NULL));
        DONE(EVP_CipherInit_ex2(ctx, NULL, key, NULL, -1, NULL));
        DONE(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, -1, NULL));
        break;
    default:
        fill(key, sizeof key);
        DONE(init(ctx, i, NULL, nonce, seal));
        DONE(EVP_CipherInit_ex2(ctx, NULL, key, NULL, -1, NULL));
    }
}

/* Sometimes copies go on in the place of both. */
static void maybe_copy(void) {
    if (below(8) != 0) return;
    for (int i = 0; i < 2; i++) {
        EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
        CHECK(copy != NULL && EVP_CIPHER_CTX_copy(copy, both[i]) > 0);
        EVP_CIPHER_CTX_free(both[i]);
        both[i] = copy;
    }
}

/* Passes bytes on in random pieces: additional data if there is no place for results. */
static void pieces(unsigned char *const out[2], const unsigned char *in, size_t count) {
    size_t at = 0;
    int tiny = below(4) == 0;
    while (at < count) {
        size_t size = tiny ? below(3) : length();
        if (size > count - at || below(6) == 0) size = count - at;
        if (tiny && count > 2000) tiny = 0;
        DONE(update(ctx, out == NULL ? NULL : out[i] + at, (out == NULL || out[i] != text ? in : out[i]) + at, size));
        maybe_copy();
        at += size;
    }
}

static void messages(void) {
    static unsigned char sealed[2][MOST], opened[2][MOST];
    begin();
    for (int round = 0; round < 3000; round++) {
        size_t aad_count = below(3) == 0 ? 0 : length(), count = below(10) == 0 ? 0 : length() * (1 + 4 * (below(20) == 0));
        unsigned char tags[2][TAG], given[TAG];
        int size = below(4) == 0 ? 1 + (int)below(TAG) : TAG, fault = (int)below(3);
        unsigned char *places[2] = {sealed[0], sealed[1]};
        fill(aad, aad_count);
        fill(text, count);
        start(1);
        pieces(NULL, aad, aad_count);
        pieces(places, text, count);
        DONE(finish(ctx));
        memset(tags, 0, sizeof tags);
        DONE(get_tag(ctx, size, tags[i]));
        CHECK(memcmp(sealed[0], sealed[1], count) == 0 && memcmp(tags[0], tags[1], TAG) == 0);
        if (below(4) == 0) {
            end();
            begin();
            DONE(init(ctx, i, key, NULL, 0));
        }
        DONE(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL));
        memcpy(given, tags[0], TAG);
        if (fault == 0) given[below((size_t)size)] ^= (unsigned char)(1 << below(8));
        if (fault == 1 && count > 0) sealed[0][below(count)] ^= (unsigned char)(1 << below(8));
        if (fault == 1 && count == 0) fault = 2;
        if (below(2)) DONE(set_tag(ctx, size, given));
        else fault = fault | 4;
        pieces(NULL, aad, aad_count);
        /* In place, or from one place to the other. */
        if (below(2)) {
            for (int i = 0; i < 2; i++) memcpy(opened[i], sealed[0], count);
            for (int i = 0; i < 2; i++) places[i] = opened[i];
            pieces(places, sealed[0], count);
        } else {
            places[0] = text;
            memcpy(text, sealed[0], count);
            places[1] = opened[1];
            pieces(places, sealed[0], count);
            memcpy(opened[0], text, count);
        }
        if (fault & 4) DONE(set_tag(ctx, size, given));
        /* Whoever forges one byte of a short tag is right at times. */
        if ((fault & 3) == 2) DONE(finish(ctx));
        else if (size > 8) BOTH_REFUSE(finish(ctx));
        else CHECK((finish(both[0]) > 0) == (finish(both[1]) > 0));
        CHECK(memcmp(opened[0], opened[1], count) == 0);
    }
    end();
}

/* Records of TLS 1.2 under one key. */
static int announce(EVP_CIPHER_CTX *ctx, unsigned char *record) {
    unsigned char copy[RECORD];
    memcpy(copy, record, RECORD);
    return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, RECORD, copy) == TAG;
}

static int one_record(EVP_CIPHER_CTX *ctx, unsigned char *out, const unsigned char *in, size_t count) {
    int written = -1;
    if (count % 2) return EVP_Cipher(ctx, out, in, (unsigned int)count);
    return EVP_CipherUpdate(ctx, out, &written, in, (int)count) > 0 ? written : -1;
}

static void records(void) {
    static unsigned char sealed[2][MOST], opened[2][MOST];
    for (int connection = 0; connection < 40; connection++) {
        EVP_CIPHER_CTX *writers[2], *readers[2];
        fill(key, sizeof key);
        fill(nonce, sizeof nonce);
        begin();
        memcpy(writers, both, sizeof both);
        if (connection % 2) {
            DONE(init(ctx, i, key, nonce, 1));
        } else {
            DONE(init(ctx, i, key, NULL, 1));
            DONE(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 12, nonce));
        }
        begin();
        memcpy(readers, both, sizeof both);
        DONE(init(ctx, i, key, nonce, 0));
        for (uint64_t count = 0; count < 50; count++) {
            size_t size = below(4) == 0 ? below(200) : below(16385), total = size + TAG;
            unsigned char record[RECORD], tag[2][TAG];
            int apart = below(2) != 0, forged = below(8) == 0;
            fill(record, RECORD);
            record[11] = (unsigned char)(size >> 8);
            record[12] = (unsigned char)size;
            fill(text, size);
            memcpy(both, writers, sizeof both);
            DONE(announce(ctx, record));
            if (below(10) == 0) {
                BOTH_REFUSE(one_record(ctx, sealed[i], text, total + 1));
                DONE(announce(ctx, record));
            }
            for (int i = 0; i < 2; i++) memcpy(sealed[i], text, size);
            DONE(one_record(ctx, sealed[i], apart ? text : sealed[i], total) == (int)total);
            DONE(get_tag(ctx, TAG, tag[i]));
            CHECK(memcmp(sealed[0], sealed[1], total) == 0 && memcmp(tag[0], sealed[0] + size, TAG) == 0);
            memcpy(both, readers, sizeof both);
            record[11] = (unsigned char)(total >> 8);
            record[12] = (unsigned char)total;
            DONE(announce(ctx, record));
            if (forged) sealed[0][below(total)] ^= (unsigned char)(1 << below(8));
            for (int i = 0; i < 2; i++) memcpy(opened[i], sealed[0], total);
            if (forged) {
                BOTH_REFUSE(one_record(ctx, opened[i], apart ? sealed[0] : opened[i], total));
                /* No byte of plaintext is there. */
                CHECK(memcmp(opened[0], sealed[0], total) == 0);
            } else {
                DONE(one_record(ctx, opened[i], apart ? sealed[0] : opened[i], total) == (int)size);
                CHECK(memcmp(opened[0], text, size) == 0 && memcmp(opened[1], text, size) == 0);
            }
        }
        memcpy(both, writers, sizeof both);
        end();
        memcpy(both, readers, sizeof both);
        end();
    }
}

static void wrong_calls(void) {
    unsigned char out[100], tag[TAG], record[RECORD] = {0};
    size_t size = 11;
    OSSL_PARAM eleven[] = {OSSL_PARAM_construct_size_t("ivlen", &size), OSSL_PARAM_construct_end()};
    OSSL_PARAM short_key[] = {OSSL_PARAM_construct_size_t("keylen", &size), OSSL_PARAM_construct_end()};
    for (int i = 0; i < 2; i++) {
        CHECK(EVP_CIPHER_get_key_length(ciphers[i]) == 32 && EVP_CIPHER_get_iv_length(ciphers[i]) == 12);
        CHECK(EVP_CIPHER_get_block_size(ciphers[i]) == 1 && EVP_CIPHER_get_mode(ciphers[i]) == 0);
        CHECK(EVP_CIPHER_is_a(ciphers[i], "ChaCha20-Poly1305"));
    }
    CHECK(EVP_CIPHER_get_flags(ciphers[0]) == EVP_CIPHER_get_flags(ciphers[1]));
    begin();
    DONE(init(ctx, i, NULL, NULL, 1));
    for (int i = 0; i < 2; i++) {
        CHECK(EVP_CIPHER_CTX_get_key_length(both[i]) == 32 && EVP_CIPHER_CTX_get_iv_length(both[i]) == 12);
        CHECK(EVP_CIPHER_CTX_get_tag_length(both[i]) == 0);
    }
    /* Without a key or a nonce. The default provider encrypts, with zeros. */
    REFUSED(update(ctx, out, text, 5));
    REFUSED(update(ctx, NULL, text, 5));
    REFUSED(finish(ctx));
    REFUSED(announce(ctx, record));
    DONE(EVP_CipherInit_ex2(ctx, NULL, key, NULL, -1, NULL));
    REFUSED(update(ctx, out, text, 5));
    DONE(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, -1, NULL));
    BOTH_REFUSE(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 11, NULL));
    BOTH_REFUSE(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 13, NULL));
    BOTH_REFUSE(EVP_CIPHER_CTX_set_params(ctx, eleven));
    BOTH_REFUSE(EVP_CIPHER_CTX_set_params(ctx, short_key));
    BOTH_REFUSE(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 4, nonce));
    /* Who seals gives no tag, and gets one at the end. */
    BOTH_REFUSE(set_tag(ctx, TAG, tag));
    BOTH_REFUSE(set_tag(ctx, 17, NULL));
    REFUSED(get_tag(ctx, TAG, tag));
    DONE(update(ctx, out, text, 5));
    DONE(update(ctx, out, text, 0));
    /* Additional data after text: OpenSSL 3.0 gives a tag that is none of RFC 8439. */
    REFUSED(update(ctx, NULL, aad, 5));
    DONE(finish(ctx));
    BOTH_REFUSE(get_tag(ctx, 17, tag));
    DONE(get_tag(ctx, TAG, tag));
    /* The same nonce again: OpenSSL 3.0 goes on. */
    REFUSED(update(ctx, out, text, 5));
    REFUSED(update(ctx, NULL, aad, 5));
    REFUSED(finish(ctx));
    DONE(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 0, NULL));
    DONE(update(ctx, out, text, 5));
    /* A message that was given up: its nonce seals no other. */
    DONE(EVP_CipherInit_ex2(ctx, NULL, NULL, nonce, 1, NULL));
    DONE(update(ctx, out, text, 5));
    DONE(EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, 0, NULL));
    DONE(EVP_CipherInit_ex2(ctx, NULL, NULL, NULL, 1, NULL));
    REFUSED(update(ctx, out, text, 5));
    /* Without a tag: OpenSSL 3.0 takes everything for genuine. */
    end();
    begin();
    DONE(init(ctx, i, key, nonce, 0));
    BOTH_REFUSE(get_tag(ctx, TAG, tag));
    DONE(update(ctx, out, text, 5));
    REFUSED(finish(ctx));
    /* A record that is shorter than its tag. */
    record[12] = 15;
    BOTH_REFUSE(announce(ctx, record));
    end();
}

/* ---- Published answers ---- */

static size_t bytes(const char *hex, unsigned char *out) {
    size_t n = 0;
    unsigned int byte;
    while (sscanf(hex + 2 * n, "%2x", &byte) == 1) out[n++] = (unsigned char)byte;
    return n;
}

static void answers(void) {
    static char line[1 << 18];
    static unsigned char message[MOST], sealed[MOST], out[MOST];
    unsigned long count = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *words[7];
        unsigned char tag[TAG], made[TAG];
        for (int i = 0; i < 7; i++) CHECK((words[i] = strtok(i == 0 ? line : NULL, " \n")) != NULL);
        CHECK(bytes(words[0], key) == 32 && bytes(words[1], nonce) == 12 && bytes(words[5], tag) == TAG);
        size_t aad_count = bytes(words[2], aad), size = bytes(words[3], message), valid = words[6][0] == '1';
        CHECK(bytes(words[4], sealed) == size);
        begin();
        EVP_CIPHER_CTX *ctx = both[0];
        CHECK(init(ctx, 0, key, nonce, 0) > 0 && set_tag(ctx, TAG, tag) > 0 && update(ctx, NULL, aad, aad_count) > 0);
        CHECK(update(ctx, out, sealed, size) > 0 && (finish(ctx) > 0) == valid);
        if (valid) {
            CHECK(memcmp(out, message, size) == 0);
            CHECK(init(ctx, 0, key, nonce, 1) > 0 && update(ctx, NULL, aad, aad_count) > 0);
            CHECK(update(ctx, out, message, size) > 0 && finish(ctx) > 0 && get_tag(ctx, TAG, made) > 0);
            CHECK(memcmp(out, sealed, size) == 0 && memcmp(made, tag, TAG) == 0);
        }
        end();
        count++;
    }
    printf("%lu published answers by EVP\n", count);
}

/* ---- TLS ---- */

/* keylane's provider, whose updates are counted. */
static OSSL_FUNC_provider_query_operation_fn *their_query;
static OSSL_FUNC_cipher_update_fn *their_update;
static size_t updated;
static const char *folder;

static int counted_update(void *ctx, unsigned char *out, size_t *written, size_t room, const unsigned char *in, size_t count) {
    updated += count;
    return their_update(ctx, out, written, room, in, count);
}

static const OSSL_ALGORITHM *counted_query(void *provider, int operation, int *no_cache) {
    static OSSL_DISPATCH functions[30];
    static OSSL_ALGORITHM list[2];
    const OSSL_ALGORITHM *theirs = their_query(provider, operation, no_cache);
    if (operation != OSSL_OP_CIPHER) return theirs;
    list[0] = theirs[0];
    list[0].implementation = functions;
    for (int i = 0; theirs[0].implementation[i].function_id != 0; i++) {
        functions[i] = theirs[0].implementation[i];
        if (functions[i].function_id != OSSL_FUNC_CIPHER_UPDATE) continue;
        their_update = OSSL_FUNC_cipher_update(&functions[i]);
        functions[i].function = (void (*)(void))counted_update;
    }
    return list;
}

static int counted_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *core, const OSSL_DISPATCH **out, void **provider) {
    static OSSL_DISPATCH functions[30];
    char path[4096];
    OSSL_provider_init_fn *theirs;
    const OSSL_DISPATCH *found;
    snprintf(path, sizeof path, "%s/keylane.so", folder);
    *(void **)&theirs = dlsym(dlopen(path, RTLD_NOW), "OSSL_provider_init");
    if (!theirs(handle, core, &found, provider)) return 0;
    for (int i = 0; found[i].function_id != 0; i++) {
        functions[i] = found[i];
        if (functions[i].function_id != OSSL_FUNC_PROVIDER_QUERY_OPERATION) continue;
        their_query = OSSL_FUNC_provider_query_operation(&functions[i]);
        functions[i].function = (void (*)(void))counted_query;
    }
    *out = functions;
    return 1;
}

/* Moves what one side has written to the other. With `spoil`, the last byte is changed. */
static void move(SSL *from, SSL *to, int spoil) {
    static unsigned char wire[1 << 20];
    int count;
    while ((count = BIO_read(SSL_get_wbio(from), wire, sizeof wire)) > 0) {
        if (spoil) wire[count - 1] ^= 1;
        CHECK(BIO_write(SSL_get_rbio(to), wire, count) == count);
    }
}

static void say(SSL *from, SSL *to) {
    static unsigned char heard[MOST];
    size_t count = 1 + below(MOST - 1), at = 0;
    int done;
    fill(text, count);
    while (at < count) {
        size_t piece = 1 + below(20000);
        if (piece > count - at) piece = count - at;
        CHECK(SSL_write(from, text + at, (int)piece) == (int)piece);
        at += piece;
    }
    move(from, to, 0);
    for (at = 0; at < count; at += (size_t)done) CHECK((done = SSL_read(to, heard + at, (int)(count - at))) > 0);
    CHECK(memcmp(heard, text, count) == 0);
    CHECK(SSL_read(to, heard, 1) <= 0);
}

static void connection(OSSL_LIB_CTX *library, const char *pem, int version, int server_has_it) {
    OSSL_LIB_CTX *libraries[2] = {server_has_it ? library : NULL, server_has_it ? NULL : library};
    SSL_CTX *contexts[2];
    SSL *ends[2];
    unsigned char byte = 7;
    for (int i = 0; i < 2; i++) {
        const char *wanted = libraries[i] != NULL ? "?provider=keylane" : NULL;
        contexts[i] = SSL_CTX_new_ex(libraries[i], wanted, i == 0 ? TLS_server_method() : TLS_client_method());
        CHECK(contexts[i] != NULL);
        CHECK(SSL_CTX_set_min_proto_version(contexts[i], version) && SSL_CTX_set_max_proto_version(contexts[i], version));
        CHECK(SSL_CTX_set_cipher_list(contexts[i], "ECDHE-ECDSA-CHACHA20-POLY1305"));
        CHECK(SSL_CTX_set_ciphersuites(contexts[i], "TLS_CHACHA20_POLY1305_SHA256"));
        if (i == 0) {
            CHECK(SSL_CTX_use_certificate_file(contexts[i], pem, SSL_FILETYPE_PEM) == 1);
            CHECK(SSL_CTX_use_PrivateKey_file(contexts[i], pem, SSL_FILETYPE_PEM) == 1);
        }
        CHECK((ends[i] = SSL_new(contexts[i])) != NULL);
        SSL_set_bio(ends[i], BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        if (i == 0) SSL_set_accept_state(ends[i]);
        else SSL_set_connect_state(ends[i]);
    }
    for (int turn = 0; turn < 20 && !(SSL_is_init_finished(ends[0]) && SSL_is_init_finished(ends[1])); turn++) {
        SSL_do_handshake(ends[1]);
        move(ends[1], ends[0], 0);
        SSL_do_handshake(ends[0]);
        move(ends[0], ends[1], 0);
    }
    CHECK(SSL_is_init_finished(ends[0]) && SSL_is_init_finished(ends[1]) && SSL_version(ends[0]) == version);
    CHECK(strstr(SSL_CIPHER_get_name(SSL_get_current_cipher(ends[0])), "CHACHA20") != NULL);
    updated = 0;
    for (int turn = 0; turn < 10; turn++) {
        say(ends[turn % 2], ends[1 - turn % 2]);
        if (version == TLS1_3_VERSION && turn == 4) CHECK(SSL_key_update(ends[0], SSL_KEY_UPDATE_REQUESTED) == 1);
    }
    /* keylane did it: each byte of both directions, once. */
    CHECK(updated > 5 * 1000);
    printf("TLS 1.%d, keylane as %s: %lu bytes\n", version == TLS1_3_VERSION ? 3 : 2, server_has_it ? "server" : "client",
        (unsigned long)updated);
    CHECK(SSL_write(ends[1], &byte, 1) == 1);
    move(ends[1], ends[0], 1);
    CHECK(SSL_read(ends[0], &byte, 1) <= 0 && SSL_get_error(ends[0], -1) == SSL_ERROR_SSL);
    for (int i = 0; i < 2; i++) {
        SSL_free(ends[i]);
        SSL_CTX_free(contexts[i]);
    }
}

static void tls(const char *pem) {
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *providers[2];
    CHECK(library != NULL && OSSL_PROVIDER_add_builtin(library, "keylane", counted_init));
    CHECK((providers[0] = OSSL_PROVIDER_load(library, "keylane")) != NULL);
    CHECK((providers[1] = OSSL_PROVIDER_load(library, "default")) != NULL);
    for (int i = 0; i < 4; i++) connection(library, pem, i % 2 ? TLS1_2_VERSION : TLS1_3_VERSION, i / 2);
    for (int i = 0; i < 2; i++) OSSL_PROVIDER_unload(providers[i]);
    OSSL_LIB_CTX_free(library);
}

int main(int count, char **words) {
    static const char *const properties[] = {"provider=keylane", "provider=default"};
    OSSL_PROVIDER *providers[2];
    CHECK(count >= 3);
    folder = words[1];
    if (strcmp(words[2], "tls") == 0) {
        CHECK(count == 4);
        tls(words[3]);
        return 0;
    }
    CHECK(OSSL_PROVIDER_set_default_search_path(NULL, folder));
    CHECK((providers[0] = OSSL_PROVIDER_load(NULL, "keylane")) != NULL);
    CHECK((providers[1] = OSSL_PROVIDER_load(NULL, "default")) != NULL);
    for (int i = 0; i < 2; i++) CHECK((ciphers[i] = EVP_CIPHER_fetch(NULL, "ChaCha20-Poly1305", properties[i])) != NULL);
    if (strcmp(words[2], "answers") == 0) {
        answers();
    } else {
        messages();
        records();
        wrong_calls();
        puts("keylane's ChaCha20-Poly1305 and the default provider's agree");
    }
    for (int i = 0; i < 2; i++) {
        EVP_CIPHER_free(ciphers[i]);
        OSSL_PROVIDER_unload(providers[i]);
    }
    return 0;
}
