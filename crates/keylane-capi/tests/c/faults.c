/* Every function with wrong arguments: each argument wrong in turn, each pair of arguments, and random combinations.
 * The status is the one that keylane.h promises. After it nothing is written, except for results where the call has
 * done its work; those are compared with the calls for one message. */

#include "calls.h"
#include <limits.h>
#include <signal.h>

static unsigned long calls, failures;
static unsigned int seen; /* a bit for each status that a call has returned */

static const function *current;
static const uint64_t *current_given;

static void describe(const char *fault) {
    int k;
    printf("%s: %s(", current->name, fault);
    for (k = 0; k < current->count; k++)
        printf("%s%s = %#lx", k ? ", " : "", current->arguments[k].name, (unsigned long)current_given[k]);
    puts(")");
    fflush(stdout);
}

static void on_crash(int signal) {
    (void)signal;
    describe("reads or writes outside its arguments");
    _exit(3);
}

static void fail(const char *fault) {
    if (failures++ < 20) describe(fault);
}

/* ---- What the header promises --------------------------------------------------------------------------------- */

/* The sample that an object is a copy of, or null. */
static const sample *sample_at(const void *object, enum object kind) {
    int i;
    for (i = 0; i < sample_count; i++)
        if (samples[i].object == kind && memcmp(object, samples[i].bytes, samples[i].size) == 0) return &samples[i];
    return NULL;
}

static size_t most(size_t unit) {
    return (size_t)PTRDIFF_MAX / unit;
}

/* The most bytes of data in a packet. */
static const uint64_t MOST_DATA = ((uint64_t)1 << 38) - 64;

/* How many values a pointer argument points to. */
static size_t values(const function *f, const uint64_t *given, int k) {
    int count = with_role(f, COUNT);
    size_t n = count < 0 ? 0 : (size_t)given[count];
    switch (f->arguments[k].role) {
    case BYTES:
    case DATA:
    case OUT_BYTES: return (size_t)given[k + 1];
    case OFFSETS: return n == 0 || n == SIZE_MAX ? n : n + 1;
    case ARRAY:
    case MESSAGES:
    case PACKETS:
    case VIEWS:
    case IN_TAGS:
    case OUT_ARRAY: return n;
    case BUFFERS: return (size_t)given[k + 1];
    case TEXT: return 0;
    default: return 1;
    }
}

static int is_pointer(enum role role) {
    return role >= IN_TAG;
}

/* Whether the values are pointers with lengths. */
static int is_list(enum role role) {
    return role == MESSAGES || role == BUFFERS;
}

static int is_array(enum role role) {
    return role == IN_TAGS || role == ARRAY || role == OFFSETS || role == VIEWS || role == PACKETS ||
        is_list(role) || role == OUT_ARRAY;
}

static int is_object(enum role role) {
    return role >= OBJECT;
}

static void lower(int *lowest, int condition, int status) {
    if (condition && status < *lowest) *lowest = status;
}

/* The lowest fault of the arguments themselves. */
static int fault_of_arguments(const function *f, const uint64_t *given) {
    int lowest = INT_MAX, k;
    if (f->answer != STATUS) return lowest;
    for (k = 0; k < f->count; k++) {
        const argument *a = &f->arguments[k];
        size_t n = is_pointer(a->role) ? values(f, given, k) : 0;
        int aligned = is_array(a->role) || is_object(a->role);
        lower(&lowest, a->role == ADDRESS_LENGTH && given[k] != 4 && given[k] != 16, KEYLANE_LENGTH);
        lower(&lowest, a->role == TEXT && given[k] == 0, KEYLANE_NULL);
        if (n == 0) continue;
        lower(&lowest, given[k] == 0, KEYLANE_NULL);
        lower(&lowest, aligned && given[k] % a->alignment != 0, KEYLANE_ALIGN);
        lower(&lowest, (a->role == BYTES || a->role == OUT_BYTES) && n > most(1), KEYLANE_LENGTH);
        lower(&lowest, a->role == DATA && n > MOST_DATA, KEYLANE_LENGTH);
        lower(&lowest, is_array(a->role) && n > most(a->unit), KEYLANE_COUNT);
    }
    return lowest;
}

static int share(uint64_t a, size_t a_size, uint64_t b, size_t b_size) {
    return a_size > 0 && b_size > 0 && a < b + b_size && b < a + a_size;
}

/* Whether the packets' memory is the caller's, as far as their pointers and lengths are possible. */
static int are_allowed(const keylane_packet *packets, size_t n) {
    size_t i, k;
    for (i = 0; i < n; i++) {
        const keylane_packet *p = &packets[i];
        if (p->nonce != NULL && region_of(p->nonce, 12) < 0) return 0;
        if (p->tag != NULL && region_of(p->tag, 16) < 0) return 0;
        if (p->aad != NULL && p->aad_length <= most(1) && region_of(p->aad, p->aad_length) < 0 && p->aad_length > 0)
            return 0;
        if (p->data != NULL && p->length <= MOST_DATA && region_of(p->data, p->length) < 0 && p->length > 0) return 0;
        /* Data that overlap another packet are the caller's fault, which no call notices. */
        for (k = 0; k < n; k++) {
            const keylane_packet *q = &packets[k];
            if (k == i || p->length > MOST_DATA) continue;
            if (q->length <= MOST_DATA && share(address(p->data), p->length, address(q->data), q->length)) return 0;
            if (share(address(p->data), p->length, address(q->tag), 16)) return 0;
            if (share(address(p->tag), 16, address(q->tag), 16)) return 0;
        }
    }
    return 1;
}

/* Whether a caller may make this call: every pointer points to memory of the caller, and nobody but the library has
 * written to an object. The library cannot know. */
static int is_allowed(const function *f, const uint64_t *given) {
    int k, one;
    for (k = 0; k < f->count; k++) {
        const argument *a = &f->arguments[k];
        const keylane_message *messages = (const keylane_message *)pointer(given[k]);
        size_t n = is_pointer(a->role) ? values(f, given, k) : 0, i;
        if (n == 0 || (given[k] == 0 && f->answer != STATUS)) continue;
        if (n > most(a->unit) || region_of(pointer(given[k]), n * a->unit) < 0) return 0;
        for (one = 0; is_object(a->role) && a->role != NEW && one < sample_count; one++)
            if (samples[one].object == a->object && memcmp(samples[one].bytes, pointer(given[k]), 8) == 0 &&
                sample_at(pointer(given[k]), a->object) == NULL)
                return 0;
        for (i = 0; is_list(a->role) && i < n; i++)
            if (messages[i].bytes != NULL && messages[i].length > 0 && messages[i].length <= most(1) &&
                region_of(messages[i].bytes, messages[i].length) < 0)
                return 0;
        if (a->role == PACKETS && !are_allowed((const keylane_packet *)pointer(given[k]), n)) return 0;
    }
    return 1;
}

/* One of the four numbers of a view. */
static uint32_t get_number(const void *views, size_t i, int number) {
    const uint8_t *at = (const uint8_t *)views + 16 * i + 4 * number;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The message of a view, and its length. Null if there is none. */
static const uint8_t *viewed(const void *views, size_t i, const keylane_message *buffers, size_t n, size_t *length) {
    uint32_t size = get_number(views, i, 0), b = get_number(views, i, 2), start = get_number(views, i, 3);
    *length = size;
    if (size <= INLINE) return (const uint8_t *)views + 16 * i + 4;
    if (size > INT32_MAX || b >= n) return NULL;
    if (start > buffers[b].length || size > buffers[b].length - start) return NULL;
    return (const uint8_t *)buffers[b].bytes + start;
}

static int64_t offset(const argument *a, uint64_t given, size_t i) {
    return a->unit == 4 ? ((const int32_t *)pointer(given))[i] : ((const int64_t *)pointer(given))[i];
}

/* Whether bytes are UTF-8: only what these tests use. */
static int is_text(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text > 127) return 0;
    return 1;
}

static int fault_of_names(const char *slot, const char *kernel) {
    size_t i, of_slot = 0;
    if (!is_text(slot) || !is_text(kernel)) return KEYLANE_UNICODE;
    for (i = 0; i < kernel_count; i++) {
        if (strcmp(kernels[i].slot, slot) != 0) continue;
        of_slot++;
        if (strcmp(kernels[i].id, kernel) == 0)
            return kernels[i].state == KEYLANE_KERNEL_ABSENT ? KEYLANE_CPU : KEYLANE_OK;
    }
    return of_slot ? KEYLANE_KERNEL : KEYLANE_SLOT;
}

/* The lowest fault of a packet whose data, and whose tag if it is written, must not overlap `others`. No part of the
 * packet may overlap the `written` bytes. */
static int fault_of_packet(const keylane_packet *p, int seals, uint64_t others[][2], size_t n, const uint64_t written[2]) {
    int lowest = INT_MAX;
    size_t i;
    uint64_t data = address(p->data), tag = address(p->tag), nonce = address(p->nonce), aad = address(p->aad);
    lower(&lowest, p->nonce == NULL || p->tag == NULL, KEYLANE_NULL);
    lower(&lowest, p->aad == NULL && p->aad_length > 0, KEYLANE_NULL);
    lower(&lowest, p->data == NULL && p->length > 0, KEYLANE_NULL);
    lower(&lowest, p->aad_length > most(1) || p->length > MOST_DATA, KEYLANE_LENGTH);
    if (lowest != INT_MAX) return lowest;
    lower(&lowest, share(data, p->length, tag, 16), KEYLANE_OVERLAP);
    lower(&lowest, share(data, p->length, nonce, 12), KEYLANE_OVERLAP);
    lower(&lowest, share(data, p->length, aad, p->aad_length), KEYLANE_OVERLAP);
    lower(&lowest, seals && share(tag, 16, nonce, 12), KEYLANE_OVERLAP);
    lower(&lowest, seals && share(tag, 16, aad, p->aad_length), KEYLANE_OVERLAP);
    lower(&lowest, share(data, p->length, written[0], written[1]), KEYLANE_OVERLAP);
    lower(&lowest, share(tag, 16, written[0], written[1]), KEYLANE_OVERLAP);
    lower(&lowest, share(nonce, 12, written[0], written[1]), KEYLANE_OVERLAP);
    lower(&lowest, share(aad, p->aad_length, written[0], written[1]), KEYLANE_OVERLAP);
    for (i = 0; i < n; i++) {
        lower(&lowest, share(data, p->length, others[i][0], others[i][1]), KEYLANE_OVERLAP);
        lower(&lowest, seals && share(tag, 16, others[i][0], others[i][1]), KEYLANE_OVERLAP);
    }
    return lowest;
}

/* The status of an allowed call whose arguments themselves have no fault. */
static int fault_inside(const function *f, const uint64_t *given) {
    int lowest = INT_MAX, k, out = with_role(f, OUT_ARRAY);
    int count = with_role(f, COUNT), width = with_role(f, WIDTH);
    size_t i, n = count < 0 ? 0 : (size_t)given[count];
    size_t out_size = out < 0 ? 0 : n * f->arguments[out].unit;
    if (f->answer != STATUS) return KEYLANE_OK;
    for (k = 0; k < f->count; k++) {
        const argument *a = &f->arguments[k];
        size_t size = is_pointer(a->role) ? values(f, given, k) * a->unit : 0;
        lower(&lowest, k != out && share(given[k], size, given[out < 0 ? 0 : out], out_size), KEYLANE_OVERLAP);
        if (is_list(a->role)) {
            const keylane_message *messages = (const keylane_message *)pointer(given[k]);
            for (i = 0; i < values(f, given, k); i++) {
                uint64_t bytes = address(messages[i].bytes);
                size_t length = messages[i].length;
                lower(&lowest, length > 0 && bytes == 0, KEYLANE_NULL);
                lower(&lowest, length > most(1), KEYLANE_LENGTH);
                lower(&lowest, length <= most(1) && share(bytes, length, given[out], out_size), KEYLANE_OVERLAP);
            }
        }
        if (a->role == DATA) {
            keylane_packet packet;
            uint64_t others[1][2] = {{given[0], sizeof(keylane_chacha20poly1305)}}, none[2] = {0, 0};
            packet.nonce = (const uint8_t *)pointer(given[1]);
            packet.aad = pointer(given[2]);
            packet.aad_length = (size_t)given[3];
            packet.data = pointer(given[4]);
            packet.length = (size_t)given[5];
            packet.tag = (uint8_t *)pointer(given[6]);
            lower(&lowest, 1, fault_of_packet(&packet, with_role(f, OUT) >= 0, others, 1, none));
        }
        if (a->role == PACKETS) {
            uint64_t others[2][2] = {{given[0], sizeof(keylane_chacha20poly1305)}, {given[k], n * a->unit}};
            uint64_t written[2] = {out < 0 ? 0 : given[out], out_size};
            for (i = 0; i < n; i++)
                lower(&lowest, 1,
                    fault_of_packet((const keylane_packet *)pointer(given[k]) + i, out < 0, others, 2, written));
        }
        if (a->role == VIEWS) {
            int buffers = with_role(f, BUFFERS);
            const keylane_message *list = (const keylane_message *)pointer(given[buffers]);
            size_t unused;
            for (i = 0; i < n; i++)
                lower(&lowest, viewed(pointer(given[k]), i, list, given[buffers + 1], &unused) == NULL, KEYLANE_VIEWS);
        }
        if (a->role == OBJECT || a->role == CHANGED) {
            const sample *held = sample_at(pointer(given[k]), a->object);
            lower(&lowest, held == NULL || (f->bits != 0 && held->bits != f->bits), KEYLANE_STATE);
        }
        lower(&lowest, a->role == ROUNDS && ((uint32_t)given[k] < 1 || (uint32_t)given[k] > 255), KEYLANE_ROUNDS);
        if (a->role == BITS) {
            uint32_t bits = (uint32_t)given[k], narrow = f->arguments[0].object == keylane_siphash_object ? 64 : 32;
            lower(&lowest, bits != narrow && bits != 2 * narrow, KEYLANE_BITS);
        }
        if (a->role == OFFSETS && n > 0) {
            size_t length = (size_t)given[with_role(f, LENGTH)];
            int64_t before = 0;
            for (i = 0; i <= n; i++) {
                int64_t now = offset(a, given[k], i);
                lower(&lowest, now < before || (uint64_t)now > length, KEYLANE_OFFSETS);
                before = now;
            }
        }
    }
    if (width >= 0) {
        uint64_t length = given[with_role(f, LENGTH)];
        int same = given[width] == 0 || n == 0 ? length == 0 : length % given[width] == 0 && length / given[width] == n;
        lower(&lowest, !same, KEYLANE_ROWS);
    }
    if (lowest != INT_MAX) return lowest;
    if (with_role(f, TEXT) >= 0) return fault_of_names((const char *)pointer(given[0]), (const char *)pointer(given[1]));
    for (k = 0; k < f->count; k++) {
        static uint8_t right[16 * 4096];
        enum role role = f->arguments[k].role;
        if (role == TAG || role == IN_TAG || (role == IN_TAGS && n > 0)) {
            memset(right, 0, 16);
            make_tags(f, given, right);
            if (role == TAG && memcmp(right, &given[k], f->arguments[k].unit) != 0) return KEYLANE_MISMATCH;
            if (role == IN_TAG && memcmp(right, pointer(given[k]), 16) != 0) return KEYLANE_MISMATCH;
            if (role == IN_TAGS && memcmp(right, pointer(given[k]), 16 * n) != 0) return KEYLANE_MISMATCH;
        }
        for (i = 0; role == PACKETS && out >= 0 && i < n; i++) {
            const keylane_packet *packet = (const keylane_packet *)pointer(given[k]) + i;
            make_tag_of_packet(given, packet, right);
            if (memcmp(right, packet->tag, 16) != 0) return KEYLANE_MISMATCH;
        }
    }
    return KEYLANE_OK;
}

/* ---- One call ------------------------------------------------------------------------------------------------- */

static uint8_t *shadows[REGIONS];

/* Takes what a call may write as it is. */
static void accept(uint64_t start, size_t size) {
    int r = region_of(pointer(start), size);
    if (r >= 0 && size > 0) memcpy(shadows[r] + (start - address(regions[r].start)), pointer(start), size);
}

/* What the call may have written, given its status. */
static void accept_results(const function *f, const uint64_t *given, int status) {
    int k;
    for (k = 0; k < f->count; k++) {
        const argument *a = &f->arguments[k];
        int is_result = a->role == DATA || a->role == OUT || a->role == OUT_BYTES || a->role == OUT_ARRAY || a->role == CHANGED ||
            a->role == NEW || a->role == WIPED;
        size_t n = is_pointer(a->role) ? values(f, given, k) : 0;
        /* finish_verify has wiped the object, and macs_verify has told which tags are good. */
        int done = status == KEYLANE_OK || (status == KEYLANE_MISMATCH && (a->role == CHANGED || a->role == OUT_ARRAY));
        if (strstr(f->name, "stream_verify") != NULL) done = status == KEYLANE_OK;
        if (strcmp(f->name, "keylane_environment") == 0 && status > KEYLANE_MISMATCH) done = 1;
        if (a->role == WIPED && (given[k] == 0 || given[k] % a->alignment != 0)) done = 0;
        if (is_result && done && given[k] != 0 && n <= most(a->unit)) accept(given[k], n * a->unit);
        if (a->role == PACKETS && (status == KEYLANE_OK || status == KEYLANE_MISMATCH)) {
            const keylane_packet *packets = (const keylane_packet *)pointer(given[k]);
            int out = with_role(f, OUT_ARRAY);
            size_t i;
            for (i = 0; i < n; i++) {
                if (out < 0) accept(address(packets[i].tag), 16);
                if (out < 0 || ((const uint8_t *)pointer(given[out]))[i]) accept(address(packets[i].data), packets[i].length);
            }
        }
    }
}

static int is_zero(const uint8_t *bytes, size_t size) {
    while (size > 0)
        if (bytes[--size] != 0) return 0;
    return 1;
}

/* Whether the results of a batch are those of the calls for one message. */
static int is_right(const function *f, const uint64_t *given) {
    int out = with_role(f, OUT_ARRAY), array = with_role(f, ARRAY), messages = with_role(f, MESSAGES);
    int offsets = with_role(f, OFFSETS), bytes = with_role(f, BYTES), width = with_role(f, WIDTH);
    int count = with_role(f, COUNT), nocase = with_role(f, NUMBER), k;
    int views = with_role(f, VIEWS), buffers = with_role(f, BUFFERS);
    size_t i, unit;
    const function *one;
    if (out < 0 || strcmp(f->name, "keylane_kernels") == 0) return 1;
    unit = f->arguments[out].unit;
    if (strcmp(f->name, "keylane_poly1305_macs_verify") == 0 || with_role(f, PACKETS) >= 0) {
        for (i = 0; i < given[count]; i++)
            if (((const uint8_t *)pointer(given[out]))[i] != 1) return 0;
        return 1;
    }
    one = strcmp(f->name, "keylane_poly1305_macs") == 0 ? renamed(f, "macs", "mac")
        : strstr(f->name, "_u32s") != NULL                 ? renamed(f, "_u32s", "_u32")
        : strstr(f->name, "_u64s") != NULL                 ? renamed(f, "_u64s", "_u64")
        : strstr(f->name, "_u128s") != NULL                ? renamed(f, "_u128s", "_u128")
        : renamed(f, strrchr(f->name, '_'), (int)given[nocase] != 0 ? "_nocase" : "");
    for (i = 0; i < given[count]; i++) {
        uint64_t single[ARGUMENTS] = {0};
        KEYLANE_ALIGNED(16) uint8_t tag[16];
        for (k = 0; k < one->count; k++) {
            const argument *a = &one->arguments[k];
            size_t size = array < 0 ? 0 : f->arguments[array].unit;
            const uint8_t *value = array < 0 ? NULL : (const uint8_t *)pointer(given[array]) + i * size;
            if (a->role == OBJECT) single[k] = given[0];
            if (a->role == IN) single[k] = address(value);
            if (a->role == NUMBER) memcpy(&single[k], value, size);
            if (a->role == OUT) single[k] = address(tag);
            if (a->role == BYTES && messages >= 0) {
                single[k] = address(((const keylane_message *)pointer(given[messages]))[i].bytes);
                single[k + 1] = ((const keylane_message *)pointer(given[messages]))[i].length;
            }
            if (a->role == BYTES && views >= 0) {
                const keylane_message *list = (const keylane_message *)pointer(given[buffers]);
                size_t length;
                single[k] = address(viewed(pointer(given[views]), i, list, given[buffers + 1], &length));
                single[k + 1] = length;
            }
            if (a->role == BYTES && width >= 0) {
                single[k] = given[bytes] + i * given[width];
                single[k + 1] = given[width];
            }
            if (a->role == BYTES && offsets >= 0) {
                uint64_t start = (uint64_t)offset(&f->arguments[offsets], given[offsets], i);
                single[k] = given[bytes] + start;
                single[k + 1] = (uint64_t)offset(&f->arguments[offsets], given[offsets], i + 1) - start;
            }
        }
        if (one->call(single) != KEYLANE_OK) return 0;
        if (memcmp(tag, (const uint8_t *)pointer(given[out]) + i * unit, unit) != 0) return 0;
    }
    return 1;
}

/* Calls the function and checks everything, unless no caller may make the call. */
static void check(const function *f, const uint64_t *given) {
    int expected = fault_of_arguments(f, given), status, r, held = 0;
    uint64_t copy[ARGUMENTS];
    int wiped = with_role(f, WIPED), out = with_role(f, OUT), out_array = with_role(f, OUT_ARRAY);
    int data = with_role(f, DATA), packets = with_role(f, PACKETS);
    size_t i;
    current = f;
    current_given = given;
    if (expected == INT_MAX) {
        if (!is_allowed(f, given)) return;
        expected = fault_inside(f, given);
    }
    if (data >= 0 && given[data + 1] <= MOST_DATA) touch(pointer(given[data]), given[data + 1]);
    for (i = 0; packets >= 0 && given[packets] != 0 && i < values(f, given, packets) && i < 4096; i++) {
        const keylane_packet *packet = (const keylane_packet *)pointer(given[packets]) + i;
        if (region_of(packet, sizeof *packet) < 0 || (uintptr_t)packet % sizeof(void *) != 0) break;
        touch(packet->tag, 16);
        if (packet->length <= MOST_DATA) touch(packet->data, packet->length);
    }
    if (out >= 0) touch(pointer(given[out]), f->arguments[out].unit);
    if (out_array >= 0 && values(f, given, out_array) <= 4096)
        touch(pointer(given[out_array]), values(f, given, out_array) * f->arguments[out_array].unit);
    if (wiped >= 0 && given[wiped] != 0 && given[wiped] % f->arguments[wiped].alignment == 0)
        held = sample_at(pointer(given[wiped]), f->arguments[wiped].object) != NULL;
    for (r = 0; r < REGIONS; r++)
        memcpy(shadows[r] + (regions[r].low - regions[r].start), regions[r].low,
            (size_t)(regions[r].high - regions[r].low));
    memcpy(copy, given, sizeof copy);
    status = f->call(copy);
    calls++;
    if (status >= 0 && status < 32) seen |= 1u << status;
    if (status != expected) {
        char text[200];
        snprintf(text, sizeof text, "status %d (%s), not %d (%s)", status, keylane_strerror(status), expected,
            keylane_strerror(expected));
        fail(text);
    }
    accept_results(f, given, status);
    for (r = 0; r < REGIONS; r++)
        if (memcmp(shadows[r] + (regions[r].low - regions[r].start), regions[r].low,
                (size_t)(regions[r].high - regions[r].low)) != 0)
            fail("has written what it must not write");
    if (status == KEYLANE_OK && !is_right(f, given)) fail("gives other results than the calls for one message");
    if (wiped >= 0 && held && !is_zero((const uint8_t *)pointer(given[wiped]), f->arguments[wiped].unit))
        fail("has left something in the object");
    if (wiped >= 0 && !held && given[wiped] != 0 && given[wiped] % f->arguments[wiped].alignment == 0) {
        const region *place = &regions[wiped];
        if (memcmp(shadows[wiped] + (given[wiped] - address(place->start)), pointer(given[wiped]),
                f->arguments[wiped].unit) != 0)
            fail("has wiped what is no such object");
    }
    if (strcmp(f->name, "keylane_wipe") == 0 && given[0] != 0 && !is_zero((const uint8_t *)pointer(given[0]), given[1]))
        fail("has left something");
}

/* ---- Wrong arguments ------------------------------------------------------------------------------------------ */

/* Points the results at or next to some input. */
static int overlapping(const function *f, uint64_t *given, int k, int way) {
    int input = way / 4, position = way % 4;
    size_t size, results = values(f, given, k), unit = f->arguments[k].unit, alignment = f->arguments[k].alignment;
    uint64_t start;
    results = results <= 4096 ? results * unit : unit;
    if (input >= f->count) return 0;
    if (!is_pointer(f->arguments[input].role) || input == k) return -1;
    size = values(f, given, input);
    if (size > 4096) return -1;
    start = given[input];
    size *= f->arguments[input].unit;
    /* The first byte of the input, its last, the bytes before it, the bytes behind it. */
    switch (position) {
    case 0: given[k] = start - start % alignment; break;
    case 1: given[k] = start + size - 1 - (start + size - 1) % alignment; break;
    case 2: given[k] = start - results - (start - results) % alignment; break;
    default: given[k] = (start + size + alignment - 1) / alignment * alignment;
    }
    return 1;
}

/* Makes argument k wrong, or unusual, in the given way. 0: there are not so many ways. Negative: not this way. */
static int spoil(const function *f, uint64_t *given, int k, int way) {
    static const uint64_t lengths[] = {0, 1, (uint64_t)PTRDIFF_MAX + 1, UINT64_MAX};
    static const uint64_t counts[] = {0, 1, (uint64_t)1 << 62, (uint64_t)1 << 60, ((uint64_t)1 << 59) - 1,
        (uint64_t)1 << 58, (uint64_t)PTRDIFF_MAX, (uint64_t)PTRDIFF_MAX + 1, UINT64_MAX, UINT64_MAX - 1};
    static const uint64_t widths[] = {0, 1, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX / 3};
    static const uint64_t rounds[] = {0, 1, 255, 256, UINT32_MAX, 0x80000001};
    static const uint64_t bits[] = {0, 1, 16, 32, 63, 64, 65, 128, 256, UINT32_MAX};
    static const uint64_t numbers[] = {0, 1, UINT64_MAX, (uint64_t)1 << 31, (uint64_t)1 << 63};
    static const char *const texts[] = {"", "siphash-xn", "siphash-yn", "siphash_x1", "poly1305_x1_u64", "\xff"};
    const argument *a = &f->arguments[k];
    uint8_t *memory = (uint8_t *)pointer(given[k]);
    size_t n = is_pointer(a->role) ? values(f, given, k) : 0;
#define CHOICE(list)                                         \
    do {                                                     \
        if (way >= (int)(sizeof list / sizeof list[0])) return 0; \
        given[k] = list[way];                                \
        return 1;                                            \
    } while (0)
    switch (a->role) {
    case NUMBER: CHOICE(numbers);
    case ROUNDS: CHOICE(rounds);
    case BITS: CHOICE(bits);
    case WIDTH: CHOICE(widths);
    case COUNT:
    case BUFFER_COUNT: CHOICE(counts);
    case LENGTH: CHOICE(lengths);
    case ADDRESS_LENGTH:
        if (way == 4) given[k] = 5;
        if (way == 5) given[k] = 17;
        if (way >= 4) return way <= 5;
        CHOICE(lengths);
    case TAG:
        given[k] ^= (uint64_t)1 << way;
        return way < 3;
    default: break;
    }
    if (way == 0) {
        given[k] = 0;
        return 1;
    }
    /* Not aligned, if the region has room for that. */
    if (way <= 2) {
        size_t size = n <= 4096 ? n * a->unit : 0;
        uint64_t moved = way == 1 ? given[k] - 1 : given[k] - a->alignment / 2;
        if (region_of(pointer(moved), size + a->alignment) < 0) return -1;
        memmove(pointer(moved), memory, size);
        given[k] = moved;
        touch(pointer(moved), size);
        return 1;
    }
    way -= 3;
    if (memory == NULL || n > 4096 || region_of(memory, n * a->unit) < 0) return 0;
    switch (a->role) {
    case IN_TAG:
    case IN_TAGS:
        if (n == 0) return 0;
        memory[way == 0 ? 0 : n * a->unit - 1] ^= 0x80;
        return way < 2;
    case OFFSETS: {
        size_t last = n < 2 ? 0 : n - 1, middle = last / 2, at = way == 1 ? middle : way == 2 ? last : 0;
        int64_t wrong = way == 1 ? 0 : way == 2 ? (int64_t)given[with_role(f, LENGTH)] + 1 : way == 3 ? INT32_MIN : -1;
        if (n == 0 || way > 5) return 0;
        if (way == 4) wrong = INT32_MAX;
        if (way == 5) wrong = offset(a, given[k], last) + 1;
        if (a->unit == 4) ((int32_t *)pointer(given[k]))[at] = (int32_t)wrong;
        if (a->unit == 8) ((int64_t *)pointer(given[k]))[at] = way == 3 ? INT64_MIN : way == 4 ? INT64_MAX : wrong;
        return 1;
    }
    case VIEWS: {
        static const uint32_t bad_lengths[] = {0x80000000, UINT32_MAX, INT32_MAX, INLINE};
        int list = with_role(f, BUFFERS);
        const keylane_message *first = (const keylane_message *)pointer(given[list]);
        uint32_t end;
        if (n == 0 || way > 9) return 0;
        if (given[list + 1] == 0 || region_of(first, sizeof *first) < 0) return -1;
        end = (uint32_t)first->length;
        put_number(memory, n - 1, 0, way < 4 ? bad_lengths[way] : INLINE + 1);
        put_number(memory, n - 1, 2, way == 8 ? (uint32_t)given[list + 1] : way == 9 ? UINT32_MAX : 0);
        /* The last byte of the buffer, one byte beyond it, its end, and sums that lose their upper half. */
        put_number(memory, n - 1, 3, way == 4 ? end - 13 : way == 5 ? end - 12 : way == 6 ? end : way == 7 ? -13u : 0);
        return 1;
    }
    case BUFFERS:
    case MESSAGES: {
        keylane_message *messages = (keylane_message *)pointer(given[k]);
        uint64_t results = given[with_role(f, OUT_ARRAY)];
        if (n == 0 || way > 7) return 0;
        switch (way) {
        case 0: messages[n - 1].bytes = NULL; break;
        case 1: messages[0].length = (size_t)PTRDIFF_MAX + 1; break;
        case 2:
            messages[0].length = SIZE_MAX;
            messages[n - 1].bytes = NULL;
            break;
        case 3:
            messages[n / 2].bytes = NULL;
            messages[n / 2].length = 0;
            break;
        case 4: messages[n / 2].bytes = pointer(results); break;
        case 5:
            messages[0].bytes = pointer(results);
            messages[n - 1].length = SIZE_MAX;
            break;
        case 6:
            messages[n - 1].bytes = pointer(results + 3);
            messages[n - 1].length = 1;
            break;
        default:
            messages[n - 1].bytes = pointer(results);
            messages[n - 1].length = 0;
        }
        return 1;
    }
    case PACKETS: {
        keylane_packet *packets = (keylane_packet *)pointer(given[k]), *last = packets + n - 1;
        int out = with_role(f, OUT_ARRAY);
        if (n == 0 || way > 15) return 0;
        switch (way) {
        case 0: last->nonce = NULL; break;
        case 1: packets[0].tag = NULL; break;
        case 2: last->data = NULL; break;
        case 3: last->aad = NULL; break;
        case 4: packets[0].length = (size_t)MOST_DATA + 1; break;
        case 5: last->length = SIZE_MAX; break;
        case 6: last->aad_length = (size_t)PTRDIFF_MAX + 1; break;
        case 7: last->tag = (uint8_t *)last->data; break;
        case 8: last->nonce = (const uint8_t *)last->data; break;
        case 9: last->aad = last->data; break;
        case 10: last->nonce = last->tag + 15; break;
        case 11: last->aad = last->tag - 1; break;
        case 12: last->tag = (uint8_t *)packets; break;
        case 13: last->data = pointer(given[0]); break;
        case 14: packets[0].data = pointer(given[out < 0 ? 0 : out]); break;
        default: last->tag[15] ^= 0x80;
        }
        return 1;
    }
    case TEXT:
        if (way >= (int)(sizeof texts / sizeof texts[0]) + (int)kernel_count) return 0;
        if (way < (int)(sizeof texts / sizeof texts[0])) {
            given[k] = address(place(k, strlen(texts[way]) + 1, 1));
            memcpy(pointer(given[k]), texts[way], strlen(texts[way]) + 1);
        } else {
            const keylane_kernel *kernel = &kernels[way - (int)(sizeof texts / sizeof texts[0])];
            const char *text = k == 0 ? kernel->slot : kernel->id;
            given[k] = address(place(k, strlen(text) + 1, 1));
            memcpy(pointer(given[k]), text, strlen(text) + 1);
        }
        return 1;
    case DATA:
    case OUT:
    case OUT_ARRAY: return overlapping(f, given, k, way);
    case OBJECT:
    case CHANGED:
    case NEW:
    case WIPED: {
        const sample *other;
        switch (way) {
        case 0: memset(memory, 0, a->unit); return 1;
        case 1: fill_randomly(memory, a->unit); return 1;
        case 2: memset(memory, 0xff, a->unit); return 1;
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
            /* No other object is smaller than these two. */
            if (a->object == no_object || a->object == keylane_chacha20poly1305_object) return -1;
            other = find_sample(a->object, f->bits, 1, a->unit);
            memcpy(memory, other->bytes, other->size);
            return 1;
        case 8: {
            /* An object that has been wiped or finished. */
            memset(memory, 0, a->unit);
            return 1;
        }
        default: return 0;
        }
    }
    default: return 0;
    }
}

enum { WAYS = 64 };

/* All single faults of a function, and all pairs. */
static void table(const function *f, const shape *s) {
    uint64_t given[ARGUMENTS] = {0};
    int i, k, way, other;
    make_arguments(f, s, given);
    check(f, given);
    for (i = 0; i < f->count; i++) {
        for (way = 0; way < WAYS; way++) {
            int possible;
            make_arguments(f, s, given);
            possible = spoil(f, given, i, way);
            if (possible == 0) break;
            if (possible < 0) continue;
            check(f, given);
            for (k = 0; k < f->count; k++) {
                for (other = 0; k != i && other < WAYS; other++) {
                    make_arguments(f, s, given);
                    spoil(f, given, i, way);
                    possible = spoil(f, given, k, other);
                    if (possible == 0) break;
                    if (possible > 0) check(f, given);
                }
            }
        }
    }
}

static void random_shape(shape *s) {
    static const size_t counts[] = {1, 3, 16, 40, 130, 200};
    s->count = below(1 + counts[below(6)]);
    s->length = below(below(4) == 0 ? 300 : 40);
    s->width = below(4) == 0 ? (size_t)4 << below(3) : below(40);
    switch (below(3)) {
    case 0: s->lengths = EQUAL; break;
    case 1: s->lengths = MIXED; break;
    default: s->lengths = MOSTLY_SHORT;
    }
}

int main(int argc, char **argv) {
    size_t i;
    int r;
    signal(SIGSEGV, on_crash);
    signal(SIGBUS, on_crash);
    make_regions(16, 20);
    make_samples(SHORT_PIECES);
    make_samples(LONG_PIECES);
    if (keylane_kernels(kernels, 100, &kernel_count) != KEYLANE_OK) return 2;
    for (r = 0; r < REGIONS; r++) shadows[r] = (uint8_t *)malloc(regions[r].size);
    if (argc > 3 && strcmp(argv[1], "random") == 0) {
        unsigned long rounds = strtoul(argv[3], NULL, 10);
        random_state ^= strtoul(argv[2], NULL, 10) * 0x2545f4914f6cdd1d;
        for (; rounds > 0; rounds--) {
            const function *f = &FUNCTIONS[below(FUNCTION_COUNT)];
            uint64_t given[ARGUMENTS] = {0};
            size_t faults = below(4);
            shape s;
            /* These run every kernel's self-test. */
            if (strstr(f->name, "kernels") != NULL || strstr(f->name, "selftest") != NULL) f = &FUNCTIONS[0];
            random_shape(&s);
            make_arguments(f, &s, given);
            for (; faults > 0 && f->count > 0; faults--) spoil(f, given, (int)below((size_t)f->count), (int)below(30));
            check(f, given);
        }
    } else {
        static const shape few = {3, 20, 5, MIXED}, many = {40, 30, 8, MOSTLY_SHORT};
        for (i = 0; i < FUNCTION_COUNT; i++) {
            printf("call %s\n", FUNCTIONS[i].name);
            table(&FUNCTIONS[i], &few);
            if (strstr(FUNCTIONS[i].name, "kernels") == NULL) table(&FUNCTIONS[i], &many);
        }
    }
    clear();
    for (r = 0; r < REGIONS; r++) {
        for (i = 0; i < regions[r].size && regions[r].start[i] == filling(r);) i++;
        if (i < regions[r].size) {
            failures++;
            printf("something has written to byte %lu of region %d\n", (unsigned long)i, r);
        }
        free(shadows[r]);
    }
    for (i = 0; i < 32; i++)
        if (seen >> i & 1) printf("status %lu\n", (unsigned long)i);
    printf("%lu calls, %lu failures\n", calls, failures);
    return failures != 0;
}
