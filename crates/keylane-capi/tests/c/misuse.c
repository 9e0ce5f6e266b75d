/* Misuse by a caller, and valid calls that look like misuse: every status, null pointers, alignment, overlap. Also
 * compares batches of 0 to 70 messages with single calls. Compiled as C99 and as C++11. */

#include <keylane.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long checks, failures;

#define IS(call, status)                                                                             \
    do {                                                                                             \
        keylane_status got = (call);                                                                 \
        checks++;                                                                                    \
        if (got != (status) && failures++ < 20)                                                      \
            printf("line %d: %s is %s, not %s\n", __LINE__, #call, keylane_strerror(got), #status); \
    } while (0)

#define CHECK(what)                                                              \
    do {                                                                         \
        checks++;                                                                \
        if (!(what) && failures++ < 20) printf("line %d: not %s\n", __LINE__, #what); \
    } while (0)

/* A value to find unchanged after a call that must write nothing. */
static const uint64_t KEPT = 0x6b657074;

static const uint8_t key[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void objects(void) {
    keylane_siphash h, zero;
    keylane_siphash_stream s, zero_stream;
    keylane_halfsiphash half;
    uint64_t tag = KEPT;
    uint32_t tag32;
    uint8_t tag128[16];
    memset(&zero, 0, sizeof zero);
    memset(&zero_stream, 0, sizeof zero_stream);

    IS(keylane_siphash_init(&h, 0, 4, 64, key), KEYLANE_ROUNDS);
    IS(keylane_siphash_init(&h, 2, 0, 64, key), KEYLANE_ROUNDS);
    IS(keylane_siphash_init(&h, 256, 4, 64, key), KEYLANE_ROUNDS);
    IS(keylane_siphash_init(&h, 2, 4, 32, key), KEYLANE_BITS);
    IS(keylane_halfsiphash_init(&half, 2, 4, 128, key), KEYLANE_BITS);
    IS(keylane_siphash_init(&h, 2, 4, 64, NULL), KEYLANE_NULL);
    IS(keylane_siphash_init(NULL, 2, 4, 64, key), KEYLANE_NULL);
    IS(keylane_siphash_init((keylane_siphash *)((char *)&s + 1), 2, 4, 64, key), KEYLANE_ALIGN);

    IS(keylane_siphash_hash64(&zero, "", 0, &tag), KEYLANE_STATE);
    IS(keylane_siphash_hash64(NULL, "", 0, &tag), KEYLANE_NULL);
    IS(keylane_siphash_stream_init(&s, &zero), KEYLANE_STATE);
    IS(keylane_siphash_stream_update(&zero_stream, "", 0), KEYLANE_STATE);
    IS(keylane_siphash_init(&h, 255, 255, 64, key), KEYLANE_OK);
    IS(keylane_siphash_hash128(&h, "", 0, tag128), KEYLANE_STATE);
    IS(keylane_siphash_hash64(&h, NULL, 1, &tag), KEYLANE_NULL);
    IS(keylane_siphash_hash64(&h, "", 0, NULL), KEYLANE_NULL);
    IS(keylane_siphash_hash64(&h, "", (size_t)PTRDIFF_MAX + 1, &tag), KEYLANE_LENGTH);
    CHECK(tag == KEPT);
    IS(keylane_siphash_hash64(&h, NULL, 0, &tag), KEYLANE_OK);
    IS(keylane_siphash_verify64(&h, NULL, 0, tag), KEYLANE_OK);
    IS(keylane_siphash_verify64(&h, NULL, 0, tag ^ 1), KEYLANE_MISMATCH);
    IS(keylane_siphash_verify128(&h, NULL, 0, NULL), KEYLANE_NULL);

    IS(keylane_siphash_stream_init(&s, &h), KEYLANE_OK);
    keylane_siphash_wipe(&h);
    keylane_siphash_wipe(&h);
    keylane_siphash_wipe(NULL);
    keylane_siphash_wipe(&zero);
    IS(keylane_siphash_stream_update(&s, NULL, 0), KEYLANE_OK);
    IS(keylane_siphash_stream_update(&s, NULL, 1), KEYLANE_NULL);
    IS(keylane_siphash_stream_verify64(&s, tag), KEYLANE_OK);
    IS(keylane_siphash_stream_finish128(&s, tag128), KEYLANE_STATE);
    zero_stream = s;
    keylane_siphash_stream_wipe(&s);
    IS(keylane_siphash_stream_verify64(&zero_stream, tag), KEYLANE_OK);
    IS(keylane_siphash24(NULL, "", 0, &tag), KEYLANE_NULL);
    IS(keylane_halfsiphash24(key, NULL, 3, &tag32), KEYLANE_NULL);
}

static void batches(void) {
    keylane_siphash h;
    uint64_t integers[4] = {1, 2, 3, 4}, tags[4] = {0, 0, 0, 0}, before[4];
    keylane_tag128 wide[2];
    int32_t offsets[4] = {0, 3, 2, 8};
    int64_t offsets64[2] = {-1, 0};
    keylane_message messages[2] = {{"a", 1}, {NULL, 1}}, buffers[2] = {{"0123456789abcd", 14}, {NULL, 0}};
    /* 13 bytes of buffer 0 from byte 1 on, then 2 bytes. */
    uint8_t views[2][16] = {{13, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 'a', 'b', 9, 9, 9, 9, 9, 9}};
    tags[0] = KEPT;
    memcpy(before, tags, sizeof tags);
    IS(keylane_siphash_init(&h, 1, 3, 64, key), KEYLANE_OK);
    IS(keylane_siphash_hash64_u64s(&h, integers, 4, NULL), KEYLANE_NULL);
    IS(keylane_siphash_hash64_u64s(&h, NULL, 4, tags), KEYLANE_NULL);
    IS(keylane_siphash_hash64_u64s(&h, NULL, 0, NULL), KEYLANE_OK);
    IS(keylane_siphash_hash64_u64s(&h, integers, (size_t)1 << (8 * sizeof(size_t) - 4), tags), KEYLANE_COUNT);
    IS(keylane_siphash_hash64_u64s(&h, integers, 4, integers), KEYLANE_OVERLAP);
    IS(keylane_siphash_hash64_u64s(&h, integers, 3, integers + 2), KEYLANE_OVERLAP);
    IS(keylane_siphash_hash64_u64s(&h, integers, 4, h.opaque), KEYLANE_OVERLAP);
    IS(keylane_siphash_hash64_u64s(&h, (const uint64_t *)((char *)integers + 1), 1, tags), KEYLANE_ALIGN);
    IS(keylane_siphash_hash64_rows(&h, "123456", 6, 4, 0, 2, tags), KEYLANE_ROWS);
    IS(keylane_siphash_hash64_rows(&h, NULL, 6, 3, 0, 2, tags), KEYLANE_NULL);
    IS(keylane_siphash_hash64_offsets32(&h, "12345678", 8, offsets, 0, 3, tags), KEYLANE_OFFSETS);
    IS(keylane_siphash_hash64_offsets32(&h, "12345678", 2, offsets, 0, 1, tags), KEYLANE_OFFSETS);
    IS(keylane_siphash_hash64_offsets64(&h, "12345678", 8, offsets64, 0, 1, tags), KEYLANE_OFFSETS);
    IS(keylane_siphash_hash64_offsets64(&h, "12345678", 8, NULL, 0, 1, tags), KEYLANE_NULL);
    IS(keylane_siphash_hash64_offsets64(&h, "12345678", 8, NULL, 0, 0, NULL), KEYLANE_OK);
    IS(keylane_siphash_hash64_offsets64(&h, "12345678", 8, offsets64, 0, SIZE_MAX, tags), KEYLANE_COUNT);
    IS(keylane_siphash_hash64_many(&h, messages, 0, 2, tags), KEYLANE_NULL);
    messages[1].bytes = (const char *)tags + 3;
    IS(keylane_siphash_hash64_many(&h, messages, 0, 2, tags), KEYLANE_OVERLAP);
    IS(keylane_siphash_hash64_many(&h, NULL, 0, 2, tags), KEYLANE_NULL);
    IS(keylane_siphash_hash64_views(&h, NULL, buffers, 2, 0, 2, tags), KEYLANE_NULL);
    IS(keylane_siphash_hash64_views(&h, views, NULL, 2, 0, 2, tags), KEYLANE_NULL);
    IS(keylane_siphash_hash64_views(&h, views, messages, 2, 0, 2, tags), KEYLANE_OVERLAP);
    IS(keylane_siphash_hash64_views(&h, views, buffers, SIZE_MAX, 0, 2, tags), KEYLANE_COUNT);
    IS(keylane_siphash_hash64_views(&h, views, NULL, 0, 0, 2, tags), KEYLANE_VIEWS);
    IS(keylane_siphash_hash64_views(&h, NULL, NULL, 0, 0, 0, NULL), KEYLANE_OK);
    views[0][12] = 2;
    IS(keylane_siphash_hash64_views(&h, views, buffers, 2, 0, 2, tags), KEYLANE_VIEWS);
    views[0][8] = 1;
    views[0][12] = 0;
    IS(keylane_siphash_hash64_views(&h, views, buffers, 2, 0, 2, tags), KEYLANE_VIEWS);
    views[0][8] = 2;
    IS(keylane_siphash_hash64_views(&h, views, buffers, 2, 0, 2, tags), KEYLANE_VIEWS);
    views[0][8] = 0;
    views[1][3] = 0x80;
    IS(keylane_siphash_hash64_views(&h, views, buffers, 2, 0, 2, tags), KEYLANE_VIEWS);
    CHECK(memcmp(before, tags, sizeof tags) == 0);
    messages[1].bytes = NULL;
    messages[1].length = 0;
    IS(keylane_siphash_hash64_many(&h, messages, 0, 2, tags), KEYLANE_OK);
    IS(keylane_siphash_verify64(&h, NULL, 0, tags[1]), KEYLANE_OK);
    IS(keylane_siphash_hash64_rows(&h, NULL, 0, 0, 0, 2, tags), KEYLANE_OK);
    IS(keylane_siphash_verify64(&h, NULL, 0, tags[0]), KEYLANE_OK);
    IS(keylane_siphash_hash128_u64s(&h, integers, 2, wide), KEYLANE_STATE);
    IS(keylane_siphash_init(&h, 1, 3, 128, key), KEYLANE_OK);
    IS(keylane_siphash_hash128_u64s(&h, integers, 1, (keylane_tag128 *)((char *)wide + 8)), KEYLANE_ALIGN);
}

static void poly1305(void) {
    keylane_poly1305 p;
    uint8_t tag[16], keys[64], tags[32], good[2] = {7, 7};
    keylane_message messages[2] = {{"one", 3}, {NULL, 1}};
    memset(keys, 5, sizeof keys);
    IS(keylane_poly1305_init(&p, NULL), KEYLANE_NULL);
    IS(keylane_poly1305_init((keylane_poly1305 *)((char *)&p + 8), key), KEYLANE_ALIGN);
    IS(keylane_poly1305_init(&p, key), KEYLANE_OK);
    IS(keylane_poly1305_update(&p, NULL, 1), KEYLANE_NULL);
    IS(keylane_poly1305_update(&p, NULL, 0), KEYLANE_OK);
    IS(keylane_poly1305_finish(&p, NULL), KEYLANE_NULL);
    IS(keylane_poly1305_finish(&p, tag), KEYLANE_OK);
    IS(keylane_poly1305_update(&p, "", 0), KEYLANE_STATE);
    IS(keylane_poly1305_finish(&p, tag), KEYLANE_STATE);
    keylane_poly1305_wipe(&p);
    keylane_poly1305_wipe(NULL);
    IS(keylane_poly1305_mac_verify(key, NULL, 0, tag), KEYLANE_OK);
    IS(keylane_poly1305_mac(key, NULL, 1, tag), KEYLANE_NULL);
    IS(keylane_poly1305_macs(keys, messages, 2, tags), KEYLANE_NULL);
    messages[1].length = 0;
    IS(keylane_poly1305_macs(keys, messages, 2, keys + 20), KEYLANE_OVERLAP);
    IS(keylane_poly1305_macs(NULL, NULL, 0, NULL), KEYLANE_OK);
    IS(keylane_poly1305_macs(keys, messages, 2, tags), KEYLANE_OK);
    IS(keylane_poly1305_macs_verify(keys, messages, 2, NULL, good), KEYLANE_NULL);
    CHECK(good[0] == 7 && good[1] == 7);
    IS(keylane_poly1305_macs_verify(keys, messages, 2, tags, good), KEYLANE_OK);
    CHECK(good[0] == 1 && good[1] == 1);
}

/* Packets of every number and of many lengths, with and without forged ones, compared with single calls. */
static void packets(void) {
    enum { MOST = 140, LONGEST = 97 };
    static uint8_t data[MOST][LONGEST + 16], alone[LONGEST], before[MOST][LONGEST + 16], nonces[MOST][12], good[MOST];
    static keylane_packet list[MOST];
    keylane_chacha20poly1305 c, zero;
    uint8_t tag[16];
    size_t n, i, k;
    memset(&zero, 0, sizeof zero);
    for (i = 0; i < MOST; i++) {
        nonces[i][11] = (uint8_t)i;
        list[i].nonce = nonces[i];
        list[i].aad = nonces[i];
        list[i].aad_length = i % 13;
        list[i].data = data[i];
        list[i].length = i * 37 % (LONGEST + 1);
        list[i].tag = data[i] + list[i].length;
    }
    IS(keylane_chacha20poly1305_init(&c, key), KEYLANE_OK);
    IS(keylane_chacha20poly1305_seal_many_with_nonces(&zero, NULL, 0), KEYLANE_STATE);
    IS(keylane_chacha20poly1305_seal_with_nonce(&zero, nonces[0], NULL, 0, NULL, 0, tag), KEYLANE_STATE);
    IS(keylane_chacha20poly1305_seal_many_with_nonces(&c, NULL, 0), KEYLANE_OK);
    IS(keylane_chacha20poly1305_open_many(&c, NULL, 0, NULL), KEYLANE_OK);
    for (n = 1; n <= MOST; n++) {
        for (i = 0; i < n; i++)
            for (k = 0; k < list[i].length; k++) data[i][k] = (uint8_t)(i + 3 * k);
        memcpy(before, data, sizeof data);
        IS(keylane_chacha20poly1305_seal_many_with_nonces(&c, list, n), KEYLANE_OK);
        for (i = 0; i < n; i++) {
            memcpy(alone, before[i], list[i].length);
            IS(keylane_chacha20poly1305_seal_with_nonce(
                   &c, nonces[i], nonces[i], list[i].aad_length, alone, list[i].length, tag),
                KEYLANE_OK);
            CHECK(memcmp(alone, data[i], list[i].length) == 0 && memcmp(tag, list[i].tag, 16) == 0);
            if (i == n / 2) {
                IS(keylane_chacha20poly1305_open(
                       &c, nonces[i], nonces[i], list[i].aad_length, alone, list[i].length, tag),
                    KEYLANE_OK);
                CHECK(memcmp(alone, before[i], list[i].length) == 0);
            }
        }
        memcpy(alone, data[n / 2], LONGEST);
        list[n / 2].tag[3] ^= 1;
        memset(good, 7, sizeof good);
        IS(keylane_chacha20poly1305_open_many(&c, list, n, good), KEYLANE_MISMATCH);
        for (i = 0; i < n; i++) {
            CHECK(good[i] == (i != n / 2));
            CHECK(memcmp(data[i], i == n / 2 ? alone : before[i], list[i].length) == 0);
        }
        list[n / 2].tag[3] ^= 1;
        IS(keylane_chacha20poly1305_seal_many_with_nonces(&c, list, n / 2), KEYLANE_OK);
        IS(keylane_chacha20poly1305_open_many(&c, list, n / 2 + 1, good), KEYLANE_OK);
        CHECK(memcmp(data[n / 2], before[n / 2], list[n / 2].length) == 0);
    }
    keylane_chacha20poly1305_wipe(&c);
    CHECK(memcmp(&c, &zero, sizeof c) == 0);
    keylane_chacha20poly1305_wipe(&c);
    keylane_chacha20poly1305_wipe(NULL);
    IS(keylane_chacha20poly1305_open_many(&c, list, 1, good), KEYLANE_STATE);
}

static int is_zero(const void *object, size_t size) {
    const uint8_t *bytes = (const uint8_t *)object;
    while (size > 0)
        if (bytes[--size] != 0) return 0;
    return 1;
}

/* After a wipe or a finish an object is zero, whatever the object or the stack contained before its init. To fill the
 * stack, a long message is finished in another object first. */
static void wiping(void) {
    static uint8_t secret[32], piece[100000], tag[16];
    static keylane_siphash h;
    static keylane_siphash_stream s;
    static keylane_halfsiphash half;
    static keylane_siphash13uj uj;
    static keylane_poly1305 p, other;
    memset(secret, 0xa5, sizeof secret);
    memset(&h, 0x5a, sizeof h);
    memset(&s, 0x5a, sizeof s);
    memset(&half, 0x5a, sizeof half);
    memset(&uj, 0x5a, sizeof uj);
    memset(&p, 0x5a, sizeof p);
    memset(&other, 0x5a, sizeof other);
    IS(keylane_siphash_init(&h, 1, 3, 64, secret), KEYLANE_OK);
    IS(keylane_siphash_stream_init(&s, &h), KEYLANE_OK);
    IS(keylane_siphash_stream_update(&s, piece, 20), KEYLANE_OK);
    keylane_siphash_wipe(&h);
    CHECK(is_zero(&h, sizeof h));
    keylane_siphash_stream_wipe(&s);
    CHECK(is_zero(&s, sizeof s));
    IS(keylane_halfsiphash_init(&half, 1, 3, 32, secret), KEYLANE_OK);
    keylane_halfsiphash_wipe(&half);
    CHECK(is_zero(&half, sizeof half));
    IS(keylane_siphash13uj_init(&uj, secret), KEYLANE_OK);
    keylane_siphash13uj_wipe(&uj);
    CHECK(is_zero(&uj, sizeof uj));
    IS(keylane_poly1305_init(&other, secret), KEYLANE_OK);
    IS(keylane_poly1305_update(&other, piece, sizeof piece), KEYLANE_OK);
    IS(keylane_poly1305_finish(&other, tag), KEYLANE_OK);
    CHECK(is_zero(&other, sizeof other));
    IS(keylane_poly1305_init(&p, secret), KEYLANE_OK);
    IS(keylane_poly1305_update(&p, piece, 20), KEYLANE_OK);
    keylane_poly1305_wipe(&p);
    CHECK(is_zero(&p, sizeof p));
    keylane_wipe(secret, sizeof secret);
    CHECK(is_zero(secret, sizeof secret));
    keylane_wipe(NULL, 0);
}

/* Batches of messages of different lengths, compared with single calls. */
static void ragged(void) {
    enum { MOST = 70 };
    static uint8_t bytes[MOST * 100];
    keylane_siphash h;
    keylane_message messages[MOST];
    keylane_message buffers[2];
    uint8_t views[MOST][16];
    int32_t offsets32[MOST + 1];
    int64_t offsets64[MOST + 1];
    uint64_t tags[MOST], single;
    size_t i, n, at = 0;
    for (i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i % 251);
    for (i = 0; i < MOST; i++) {
        messages[i].bytes = bytes + at;
        messages[i].length = i * 37 % 100;
        offsets32[i] = (int32_t)at;
        offsets64[i] = (int64_t)at;
        memset(views[i], 0xa5, 16);
        views[i][0] = (uint8_t)messages[i].length;
        memset(views[i] + 1, 0, 3);
        if (messages[i].length <= 12) {
            memcpy(views[i] + 4, messages[i].bytes, messages[i].length);
        } else {
            memset(views[i] + 8, 0, 8);
            views[i][12] = (uint8_t)at;
            views[i][13] = (uint8_t)(at >> 8);
        }
        at += messages[i].length;
    }
    buffers[0].bytes = bytes;
    buffers[0].length = at;
    offsets32[MOST] = (int32_t)at;
    offsets64[MOST] = (int64_t)at;
    IS(keylane_siphash_init(&h, 2, 4, 64, key), KEYLANE_OK);
    for (n = 0; n <= MOST; n++) {
        int nocase = n % 2;
        int way;
        for (way = 0; way < 5; way++) {
            /* An empty buffer with an address, and one without. */
            buffers[1].bytes = way == 3 ? bytes : NULL;
            buffers[1].length = 0;
            if (way == 0) IS(keylane_siphash_hash64_many(&h, messages, nocase, n, tags), KEYLANE_OK);
            if (way == 1) IS(keylane_siphash_hash64_offsets32(&h, bytes, at, offsets32, nocase, n, tags), KEYLANE_OK);
            if (way == 2) IS(keylane_siphash_hash64_offsets64(&h, bytes, at, offsets64, nocase, n, tags), KEYLANE_OK);
            if (way >= 3) IS(keylane_siphash_hash64_views(&h, views, buffers, 2, nocase, n, tags), KEYLANE_OK);
            for (i = 0; i < n; i++) {
                if (nocase) {
                    IS(keylane_siphash_hash64_nocase(&h, messages[i].bytes, messages[i].length, &single), KEYLANE_OK);
                } else {
                    IS(keylane_siphash_hash64(&h, messages[i].bytes, messages[i].length, &single), KEYLANE_OK);
                }
                CHECK(tags[i] == single);
            }
        }
    }
}

static void kernels(void) {
    static keylane_kernel list[100];
    size_t count, active = 0, i;
    IS(keylane_kernels(NULL, 0, &count), KEYLANE_OK);
    CHECK(count > 0 && count <= 100);
    IS(keylane_kernels(NULL, 1, &count), KEYLANE_NULL);
    IS(keylane_kernels(list, 100, NULL), KEYLANE_NULL);
    IS(keylane_kernels(list, 100, &count), KEYLANE_OK);
    for (i = 0; i < count; i++) {
        int here = list[i].state == KEYLANE_KERNEL_ACTIVE || list[i].state == KEYLANE_KERNEL_READY;
        active += list[i].state == KEYLANE_KERNEL_ACTIVE;
        CHECK(list[i].lanes > 0 && list[i].slot[0] && list[i].id[0]);
        CHECK(!list[i].missing[0] == (list[i].state != KEYLANE_KERNEL_ABSENT));
        IS(keylane_force(list[i].slot, list[i].id), here ? KEYLANE_OK : KEYLANE_CPU);
    }
    CHECK(active == 10);
    IS(keylane_force("siphash-yn", "siphash_x1"), KEYLANE_SLOT);
    IS(keylane_force("siphash-xn", "siphash_x99"), KEYLANE_KERNEL);
    IS(keylane_force("siphash-xn", "\xff"), KEYLANE_UNICODE);
    IS(keylane_force(NULL, "siphash_x1"), KEYLANE_NULL);
    IS(keylane_selftest(), KEYLANE_OK);
}

/* The program's arguments are the status and the text to expect for the environment. */
static void environment(const char *status, const char *text) {
    char message[200], little[5];
    CHECK(keylane_environment(message, sizeof message) == (keylane_status)atoi(status));
    CHECK(strncmp(message, text, strlen(text)) == 0);
    CHECK(keylane_environment(NULL, 0) == (keylane_status)atoi(status));
    memset(little, 1, sizeof little);
    CHECK(keylane_environment(little, sizeof little) == (keylane_status)atoi(status));
    CHECK(strlen(little) <= 4 && strncmp(little, message, strlen(little)) == 0);
}

static void texts(void) {
    int i, j;
    uint8_t random[2][32];
    for (i = -1; i <= KEYLANE_RANDOM + 1; i++) {
        CHECK(strlen(keylane_strerror(i)) > 5);
        for (j = 0; j < i; j++) CHECK(strcmp(keylane_strerror(i), keylane_strerror(j)) != 0);
    }
    CHECK(strcmp(keylane_strerror(-1), keylane_strerror(KEYLANE_VIEWS + 1)) == 0);
    CHECK(strstr(keylane_strerror(KEYLANE_STATE), "other tag width") != NULL);
    CHECK(strstr(keylane_strerror(KEYLANE_BITS), "object") == NULL);
    CHECK(strcmp(keylane_version(), KEYLANE_VERSION) == 0);
    IS(keylane_random(random[0], 32), KEYLANE_OK);
    IS(keylane_random(random[1], 32), KEYLANE_OK);
    CHECK(memcmp(random[0], random[1], 32) != 0);
    IS(keylane_random(NULL, 0), KEYLANE_OK);
    IS(keylane_random(NULL, 1), KEYLANE_NULL);
}

static void cookies(void) {
    uint8_t cookie[16];
    IS(keylane_dns_cookie(key, key, 7, key, 5, cookie), KEYLANE_LENGTH);
    IS(keylane_dns_cookie(key, key, 7, NULL, 0, cookie), KEYLANE_LENGTH);
    IS(keylane_dns_cookie(key, NULL, 7, key, 4, cookie), KEYLANE_NULL);
    IS(keylane_dns_cookie(key, key, 7, key, 4, cookie), KEYLANE_OK);
    IS(keylane_dns_cookie_verify(key, key, cookie, key, 4), KEYLANE_OK);
    IS(keylane_dns_cookie_verify(key, key, cookie, key + 1, 4), KEYLANE_MISMATCH);
}

int main(int argc, char **argv) {
    if (argc > 2) {
        environment(argv[1], argv[2]);
    } else if (argc > 1) {
        wiping();
    } else {
        objects();
        batches();
        poly1305();
        packets();
        ragged();
        kernels();
        ragged();
        texts();
        cookies();
    }
    printf("%lu checks, %lu failures\n", checks, failures);
    return failures != 0;
}
