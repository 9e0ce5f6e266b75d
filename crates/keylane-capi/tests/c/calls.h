/* What faults.c and stack.c share: every function of the library with the roles of its arguments, and right arguments
 * for each. calls.rs writes the table, functions.h, from the prototypes in keylane.h.
 *
 * Each pointer argument has a region of its own between pages without access. What lies around the argument in its
 * region is filled with one byte. */

#define _DEFAULT_SOURCE
#include <keylane.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What an argument is for. A length or a number of buffers belongs to the pointer before it, a count to all other
 * arrays of the call. */
enum role {
    NUMBER, /* any value is right */
    ROUNDS,
    BITS,
    WIDTH,
    LENGTH,
    ADDRESS_LENGTH, /* 4 or 16 */
    COUNT,
    BUFFER_COUNT,
    TAG,       /* a tag to verify, as an integer */
    IN_TAG,    /* a tag to verify, as bytes */
    IN_TAGS,   /* `count` tags to verify */
    IN,        /* input of a fixed size */
    BYTES,     /* input of `length` bytes */
    DATA,      /* `length` bytes that are changed in place */
    ARRAY,     /* input of `count` values */
    OFFSETS,   /* input of `count` + 1 values, or none for 0 */
    MESSAGES,  /* input of `count` pointers with lengths */
    PACKETS,   /* input of `count` packets, whose data are changed in place */
    VIEWS,     /* input of `count` views */
    BUFFERS,   /* input of `buffer_count` pointers with lengths */
    TEXT,      /* a name that ends with 0 */
    OUT,       /* one result, at any address */
    OUT_BYTES, /* `length` bytes of results */
    OUT_ARRAY, /* `count` results */
    OBJECT,    /* an object to use */
    CHANGED,   /* an object to use and change */
    NEW,       /* an object to initialise */
    WIPED      /* an object to wipe, or anything else */
};

/* The objects. */
enum object {
    no_object,
    keylane_siphash_object,
    keylane_siphash_stream_object,
    keylane_halfsiphash_object,
    keylane_halfsiphash_stream_object,
    keylane_siphash13uj_object,
    keylane_poly1305_object,
    keylane_chacha20poly1305_object,
    OBJECTS
};

/* What a function returns. */
enum answer { STATUS, NOTHING, A_TEXT };

enum { ARGUMENTS = 8, PAGE = 4096 };

typedef struct {
    const char *name;
    enum role role;
    size_t unit, alignment; /* of what a pointer points to */
    enum object object;
} argument;

typedef struct {
    const char *name;
    int (*call)(const uint64_t *given);
    enum answer answer;
    unsigned int bits; /* the tag width in its name, or 0 */
    int count;
    argument arguments[ARGUMENTS];
} function;

#include "functions.h"

enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

/* ---- Random numbers ------------------------------------------------------------------------------------------- */

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t next(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static size_t below(size_t n) {
    return (size_t)(next() >> 20) % n;
}

/* ---- Regions -------------------------------------------------------------------------------------------------- */

/* One for each argument, and one for the bytes of separate messages. */
enum { REGIONS = ARGUMENTS + 1, MESSAGE_BYTES = ARGUMENTS, MARGIN = 512 };

typedef struct {
    uint8_t *start;    /* between two pages without access */
    size_t size;
    uint8_t *low, *high; /* what this call uses, with a margin */
} region;

static region regions[REGIONS];

static uint8_t filling(int r) {
    return (uint8_t)(0x51 + r);
}

static void make_regions(size_t pages, size_t pages_of_messages) {
    int r;
    for (r = 0; r < REGIONS; r++) {
        size_t size = PAGE * (r == MESSAGE_BYTES ? pages_of_messages : pages);
        uint8_t *map = (uint8_t *)mmap(NULL, size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED || mprotect(map + PAGE, size, PROT_READ | PROT_WRITE) != 0) {
            puts("no memory");
            exit(2);
        }
        regions[r].start = regions[r].low = regions[r].high = map + PAGE;
        regions[r].size = size;
        memset(map + PAGE, filling(r), size);
    }
}

/* The region that contains all of some memory, or -1. */
static int region_of(const void *pointer, size_t size) {
    uintptr_t at = (uintptr_t)pointer;
    int r;
    for (r = 0; r < REGIONS; r++) {
        uintptr_t start = (uintptr_t)regions[r].start;
        if (at >= start && at - start <= regions[r].size && size <= regions[r].size - (at - start)) return r;
    }
    return -1;
}

/* Notes that a call may use this memory. */
static void touch(const void *pointer, size_t size) {
    int r = region_of(pointer, size);
    uint8_t *start, *end, *low, *high;
    if (r < 0) return;
    start = regions[r].start;
    end = start + regions[r].size;
    low = (uint8_t *)(uintptr_t)pointer;
    high = low + size;
    low = low - start > MARGIN ? low - MARGIN : start;
    high = end - high > MARGIN ? high + MARGIN : end;
    if (regions[r].low == regions[r].high) {
        regions[r].low = low;
        regions[r].high = high;
    }
    if (low < regions[r].low) regions[r].low = low;
    if (high > regions[r].high) regions[r].high = high;
}

/* Memory for an argument: next to the page behind it, next to the page before it, or between. */
static void *place(int r, size_t size, size_t alignment) {
    size_t room = regions[r].size, at;
    if (size > room) {
        printf("no room for %lu bytes\n", (unsigned long)size);
        exit(2);
    }
    switch (below(4)) {
    case 0: at = 0; break;
    case 1: at = below(room - size + 1); break;
    default: at = room - size;
    }
    at -= at % alignment;
    touch(regions[r].start + at, size);
    return regions[r].start + at;
}

/* Forgets the previous call: fills what it used. */
static void clear(void) {
    int r;
    for (r = 0; r < REGIONS; r++) {
        memset(regions[r].low, filling(r), (size_t)(regions[r].high - regions[r].low));
        regions[r].low = regions[r].high = regions[r].start;
    }
}

static void fill_randomly(void *bytes, size_t size) {
    uint8_t *at = (uint8_t *)bytes;
    while (size-- > 0) *at++ = (uint8_t)(next() >> 30);
}

/* ---- Objects that are in use ---------------------------------------------------------------------------------- */

typedef struct {
    enum object object;
    unsigned int bits; /* of its tags */
    size_t size;
    KEYLANE_ALIGNED(16) uint8_t bytes[sizeof(keylane_poly1305)];
} sample;

static sample samples[80];
static int sample_count;

static void keep(enum object object, unsigned int bits, const void *bytes, size_t size) {
    sample *new_one = &samples[sample_count++];
    new_one->object = object;
    new_one->bits = bits;
    new_one->size = size;
    memcpy(new_one->bytes, bytes, size);
}

/* Samples of each object. A stream has absorbed one of these numbers of bytes. No byte of an object is zero before its
 * init, so that one that a wipe leaves is seen. */
static void make_samples(const size_t absorbed[3]) {
    static const unsigned int rounds[3][2] = {{1, 3}, {2, 4}, {3, 5}};
    static const uint8_t bytes[1 << 17];
    uint8_t key[32];
    int i;
    unsigned int wide;
    fill_randomly(key, sizeof key);
    for (i = 0; i < 3; i++) {
        keylane_siphash13uj uj;
        keylane_poly1305 p;
        keylane_chacha20poly1305 c;
        for (wide = 0; wide < 2; wide++) {
            keylane_siphash h;
            keylane_siphash_stream s;
            keylane_halfsiphash half;
            keylane_halfsiphash_stream half_stream;
            memset(&h, 0x5a, sizeof h);
            memset(&s, 0x5a, sizeof s);
            memset(&half, 0x5a, sizeof half);
            memset(&half_stream, 0x5a, sizeof half_stream);
            keylane_siphash_init(&h, rounds[i][0], rounds[i][1], 64u << wide, key);
            keylane_siphash_stream_init(&s, &h);
            keylane_siphash_stream_update(&s, bytes, absorbed[i]);
            keylane_halfsiphash_init(&half, rounds[i][0], rounds[i][1], 32u << wide, key);
            keylane_halfsiphash_stream_init(&half_stream, &half);
            keylane_halfsiphash_stream_update(&half_stream, bytes, absorbed[i]);
            keep(keylane_siphash_object, 64u << wide, &h, sizeof h);
            keep(keylane_siphash_stream_object, 64u << wide, &s, sizeof s);
            keep(keylane_halfsiphash_object, 32u << wide, &half, sizeof half);
            keep(keylane_halfsiphash_stream_object, 32u << wide, &half_stream, sizeof half_stream);
        }
        memset(&uj, 0x5a, sizeof uj);
        memset(&p, 0x5a, sizeof p);
        keylane_siphash13uj_init(&uj, key);
        keylane_poly1305_init(&p, key);
        keylane_poly1305_update(&p, bytes, absorbed[i]);
        if (i > 0) keylane_siphash13uj_jumbo(&uj, key);
        key[0] ^= (uint8_t)(i + 1);
        keylane_chacha20poly1305_init(&c, key);
        keep(keylane_chacha20poly1305_object, 0, &c, sizeof c);
        keep(keylane_siphash13uj_object, 0, &uj, sizeof uj);
        keep(keylane_poly1305_object, 0, &p, sizeof p);
    }
}

/* So short that no slot is used, and long. */
static const size_t SHORT_PIECES[3] = {0, 7, 80}, LONG_PIECES[3] = {90, 1000, 100001};

/* A sample that a function takes for this object, or with `wrong` one that it does not take. */
static const sample *find_sample(enum object object, unsigned int bits, int wrong, size_t most) {
    for (;;) {
        const sample *one = &samples[below((size_t)sample_count)];
        int right = one->object == object && (bits == 0 || one->bits == bits);
        if (right != wrong && one->size <= most) return one;
    }
}

/* ---- Right arguments ------------------------------------------------------------------------------------------ */

/* How many messages, and how long they are. */
typedef struct {
    size_t count, length, width;
    enum { EQUAL, MIXED, MOSTLY_SHORT, LENGTHS } lengths;
} shape;

/* Every kernel; none before `keylane_kernels` has been called. */
static keylane_kernel kernels[100];
static size_t kernel_count;

/* Whether tags to verify are left as they are, so that no call is made that might choose a kernel. */
static int skip_tags;

static size_t message_length(const shape *s, size_t i) {
    switch (s->lengths) {
    case MIXED: return s->length == 0 ? 0 : i * 37 % s->length;
    case MOSTLY_SHORT: return i % 29 == 5 ? s->length : i % 20;
    default: return s->length;
    }
}

/* The index of the argument with this role, or -1. */
static int with_role(const function *f, enum role role) {
    int i;
    for (i = 0; i < f->count; i++)
        if (f->arguments[i].role == role) return i;
    return -1;
}

static void *pointer(uint64_t given) {
    return (void *)(uintptr_t)given;
}

static uint64_t address(const void *pointer) {
    return (uint64_t)(uintptr_t)pointer;
}

static const function *find_function(const char *name, size_t length) {
    size_t i;
    for (i = 0; i < FUNCTION_COUNT; i++)
        if (strlen(FUNCTIONS[i].name) == length && memcmp(FUNCTIONS[i].name, name, length) == 0) return &FUNCTIONS[i];
    printf("no function %.*s\n", (int)length, name);
    exit(2);
}

/* The function whose name has `new_part` in place of `part`. */
static const function *renamed(const function *f, const char *part, const char *new_part) {
    char name[100];
    const char *at = strstr(f->name, part);
    int length = snprintf(name, sizeof name, "%.*s%s%s", (int)(at - f->name), f->name, new_part, at + strlen(part));
    return find_function(name, (size_t)length);
}

/* Writes the right tag of a ciphertext. Sealing it twice gives it again, and its tag. */
static void make_tag_of_packet(const uint64_t *object, const keylane_packet *packet, uint8_t *tag) {
    static uint8_t copy[1 << 17];
    const keylane_chacha20poly1305 *c = (const keylane_chacha20poly1305 *)pointer(*object);
    int i;
    if (packet->length > sizeof copy) exit(2);
    if (packet->length > 0) memcpy(copy, packet->data, packet->length);
    for (i = 0; i < 2; i++)
        if (keylane_chacha20poly1305_seal_with_nonce(
                c, packet->nonce, packet->aad, packet->aad_length, copy, packet->length, tag) != KEYLANE_OK) {
            puts("no tag for a packet");
            exit(2);
        }
}

/* Writes the tag or tags that a function verifies, by the function that makes them. */
static void make_tags(const function *f, const uint64_t *given, void *tags) {
    static KEYLANE_ALIGNED(16) uint8_t object[sizeof(keylane_poly1305)];
    const function *maker;
    uint64_t arguments[ARGUMENTS] = {0};
    int i, k;
    if (with_role(f, DATA) >= 0) {
        keylane_packet packet;
        packet.nonce = (const uint8_t *)pointer(given[1]);
        packet.aad = pointer(given[2]);
        packet.aad_length = (size_t)given[3];
        packet.data = pointer(given[4]);
        packet.length = (size_t)given[5];
        make_tag_of_packet(given, &packet, (uint8_t *)tags);
        return;
    }
    maker = strstr(f->name, "_stream_verify") != NULL ? renamed(f, "verify", "finish")
        : strstr(f->name, "siphash_verify") != NULL   ? renamed(f, "verify", "hash")
                                                      : renamed(f, "_verify", "");
    for (i = 0; i < maker->count; i++) {
        const argument *a = &maker->arguments[i];
        if (a->role == NUMBER) arguments[i] = 7;
        if (a->role == OUT || a->role == OUT_ARRAY) arguments[i] = address(tags);
        for (k = 0; k < f->count; k++)
            if (strcmp(f->arguments[k].name, a->name) == 0 && a->role != OUT && a->role != OUT_ARRAY)
                arguments[i] = given[k];
        if (a->role == CHANGED) {
            memcpy(object, pointer(arguments[i]), a->unit);
            arguments[i] = address(object);
        }
    }
    if (maker->call(arguments) != KEYLANE_OK) {
        printf("%s makes no tag for %s\n", maker->name, f->name);
        exit(2);
    }
}

/* Writes one of the four numbers of a view. */
static void put_number(void *views, size_t i, int number, uint32_t value) {
    uint8_t *at = (uint8_t *)views + 16 * i + 4 * number;
    int k;
    for (k = 0; k < 4; k++) at[k] = (uint8_t)(value >> 8 * k);
}

/* Up to this length a message is in its view. */
enum { INLINE = 12 };

/* Right arguments for a function. */
static void make_arguments(const function *f, const shape *s, uint64_t *given) {
    size_t i, at, count = s->count;
    int k;
    clear();
    for (k = 0; k < f->count; k++) {
        const argument *a = &f->arguments[k];
        switch (a->role) {
        case NUMBER: given[k] = next(); break;
        case ROUNDS: given[k] = 1 + below(255); break;
        case BITS: given[k] = (f->arguments[0].object == keylane_siphash_object ? 64u : 32u) << below(2); break;
        case WIDTH: given[k] = s->width; break;
        case COUNT: given[k] = count; break;
        case LENGTH:
        case BUFFER_COUNT:
        case ADDRESS_LENGTH: break;
        case TAG:
        case IN_TAG:
        case IN_TAGS: break;
        case IN:
            given[k] = address(place(k, a->unit, 1));
            fill_randomly(pointer(given[k]), a->unit);
            break;
        case BYTES: {
            size_t length = s->length;
            if (with_role(f, WIDTH) >= 0) length = s->width * count;
            if (with_role(f, ADDRESS_LENGTH) >= 0) length = below(2) ? 4 : 16;
            if (with_role(f, OFFSETS) >= 0)
                for (i = 0, length = 10; i < count; i++) length += message_length(s, i);
            given[k] = address(place(k, length, 1));
            given[k + 1] = length;
            fill_randomly(pointer(given[k]), length);
            break;
        }
        case ARRAY:
            given[k] = address(place(k, count * a->unit, a->alignment));
            fill_randomly(pointer(given[k]), count * a->unit);
            break;
        case OFFSETS:
            at = below(10);
            given[k] = address(place(k, count == 0 ? 0 : (count + 1) * a->unit, a->alignment));
            for (i = 0; count > 0 && i <= count; i++) {
                if (a->unit == 4) ((int32_t *)pointer(given[k]))[i] = (int32_t)at;
                if (a->unit == 8) ((int64_t *)pointer(given[k]))[i] = (int64_t)at;
                at += message_length(s, i);
            }
            break;
        case MESSAGES: {
            keylane_message *messages;
            uint8_t *bytes;
            for (i = at = 0; i < count; i++) at += message_length(s, i);
            bytes = (uint8_t *)place(MESSAGE_BYTES, at, 1);
            fill_randomly(bytes, at);
            given[k] = address(place(k, count * a->unit, a->alignment));
            messages = (keylane_message *)pointer(given[k]);
            for (i = at = 0; i < count; i++) {
                messages[i].bytes = bytes + at;
                messages[i].length = message_length(s, i);
                at += messages[i].length;
            }
            break;
        }
        case DATA:
            given[k] = address(place(k, s->length, 1));
            given[k + 1] = s->length;
            fill_randomly(pointer(given[k]), s->length);
            break;
        case PACKETS: {
            keylane_packet *packets;
            uint8_t *bytes;
            for (i = at = 0; i < count; i++) at += 28 + i % 41 + message_length(s, i);
            bytes = (uint8_t *)place(MESSAGE_BYTES, at, 1);
            fill_randomly(bytes, at);
            given[k] = address(place(k, count * a->unit, a->alignment));
            packets = (keylane_packet *)pointer(given[k]);
            for (i = 0; i < count; i++) {
                packets[i].nonce = bytes;
                packets[i].aad = bytes + 12;
                packets[i].aad_length = i % 41;
                packets[i].data = bytes + 12 + i % 41;
                packets[i].length = message_length(s, i);
                bytes += 12 + i % 41 + packets[i].length;
                packets[i].tag = bytes;
                bytes += 16;
                if (!skip_tags) make_tag_of_packet(&given[0], &packets[i], packets[i].tag);
            }
            break;
        }
        case VIEWS: given[k] = address(place(k, count * a->unit, 1)); break;
        case BUFFERS: {
            keylane_message *buffers;
            uint8_t *bytes;
            void *views = pointer(given[with_role(f, VIEWS)]);
            size_t b, n = 1 + below(below(3) == 0 ? 20 : 3);
            for (i = at = 0; i < count; i++)
                if (message_length(s, i) > INLINE) at += message_length(s, i);
            bytes = (uint8_t *)place(MESSAGE_BYTES, at, 1);
            fill_randomly(bytes, at);
            /* Padding and prefixes may be anything. */
            fill_randomly(views, 16 * count);
            given[k] = address(place(k, n * a->unit, a->alignment));
            given[k + 1] = n;
            buffers = (keylane_message *)pointer(given[k]);
            for (b = at = 0; b < n; b++) {
                buffers[b].bytes = bytes + at;
                buffers[b].length = 0;
                for (i = b; i < count; i += n) {
                    size_t length = message_length(s, i);
                    put_number(views, i, 0, (uint32_t)length);
                    if (length <= INLINE) continue;
                    put_number(views, i, 2, (uint32_t)b);
                    put_number(views, i, 3, (uint32_t)buffers[b].length);
                    buffers[b].length += length;
                }
                at += buffers[b].length;
                if (buffers[b].length == 0 && below(2)) buffers[b].bytes = NULL;
            }
            break;
        }
        case TEXT: {
            /* A slot, then a kernel of it that runs here. */
            static size_t chosen;
            const char *text = k == 0 ? "siphash-xn" : "siphash_x1";
            do {
                if (k == 0 && kernel_count > 0) chosen = below(kernel_count);
            } while (kernel_count > 0 && kernels[chosen].state == KEYLANE_KERNEL_ABSENT);
            if (kernel_count > 0) text = k == 0 ? kernels[chosen].slot : kernels[chosen].id;
            given[k] = address(place(k, strlen(text) + 1, 1));
            memcpy(pointer(given[k]), text, strlen(text) + 1);
            break;
        }
        case OUT: given[k] = address(place(k, a->unit, 1)); break;
        case OUT_BYTES:
            given[k] = address(place(k, s->length, 1));
            given[k + 1] = s->length;
            break;
        case OUT_ARRAY: given[k] = address(place(k, count * a->unit, a->alignment)); break;
        case OBJECT:
        case CHANGED:
        case NEW:
        case WIPED:
            given[k] = address(place(k, a->unit, a->alignment));
            memcpy(pointer(given[k]), find_sample(a->object, f->bits, 0, a->unit)->bytes, a->unit);
        }
    }
    for (k = 0; k < f->count; k++) {
        const argument *a = &f->arguments[k];
        if (a->role == TAG) {
            given[k] = 0;
            if (!skip_tags) make_tags(f, given, &given[k]);
            if (a->unit == 4) given[k] = *(uint32_t *)&given[k];
        }
        if (a->role == IN_TAG || a->role == IN_TAGS) {
            given[k] = address(place(k, a->role == IN_TAG ? 16 : 16 * count, 1));
            if (!skip_tags) make_tags(f, given, pointer(given[k]));
        }
    }
}
