/* Prints how much stack each function uses at most: with many shapes, as the first call of a process, and with every
 * kernel. With the argument "first", as the first call only.
 *
 * A thread paints the part of its own stack that it does not use yet, makes the call, and finds the lowest byte that has
 * changed. Linked with -z now, so that the dynamic linker needs no stack at a first call. */

#include "calls.h"
#include <pthread.h>
#include <sys/wait.h>

enum { STACK = 1 << 18, DEPTH = 3 << 16, MARGIN_OF_FRAME = 256 };

static const uint64_t PAINT = 0xa5a5a5a5a5a5a5a5;

static const function *measured;
static uint64_t given[ARGUMENTS];
static size_t used;

/* The thread's frame, from which both the paint and the call begin. */
static volatile uint64_t *frame;

__attribute__((noinline)) static void paint(void) {
    volatile uint64_t *at = frame - MARGIN_OF_FRAME / 8, *end = frame - DEPTH / 8;
    while (at > end) *--at = PAINT;
}

__attribute__((noinline)) static void look(void) {
    volatile uint64_t *at = frame - DEPTH / 8;
    while (at < frame - MARGIN_OF_FRAME / 8 && *at == PAINT) at++;
    used = (size_t)((const char *)frame - (const char *)at);
}

static void *thread(void *unused) {
    frame = (volatile uint64_t *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7);
    paint();
    measured->call(given);
    look();
    return unused;
}

/* How much stack the call uses. */
static size_t measure(void) {
    static uint8_t *stack;
    pthread_attr_t attributes;
    pthread_t id;
    if (stack == NULL) {
        stack = (uint8_t *)mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED) exit(2);
    }
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, stack, STACK) != 0 ||
        pthread_create(&id, &attributes, thread, NULL) != 0 || pthread_join(id, NULL) != 0)
        exit(2);
    pthread_attr_destroy(&attributes);
    return used;
}

/* The most that a function has used, and how. */
static size_t peak[FUNCTION_COUNT];
static char how[FUNCTION_COUNT][100];

static void note(const function *f, const char *kernel, const shape *s, size_t bytes) {
    size_t i = (size_t)(f - FUNCTIONS);
    if (bytes <= peak[i]) return;
    peak[i] = bytes;
    snprintf(how[i], sizeof how[i], "%s, count %lu, length %lu, width %lu, lengths %d", kernel, (unsigned long)s->count,
        (unsigned long)s->length, (unsigned long)s->width, (int)s->lengths);
}

/* Calls `use` with every shape that differs for this function. */
static void every_shape(const function *f, void (*use)(const function *f, const shape *s)) {
    static const size_t counts[] = {0, 1, 2, 3, 15, 16, 40, 64, 65, 90, 100, 200, 513, 1000, 2000};
    static const size_t lengths[] = {0, 7, 40, 100, 300, 600, 5000, 100000}, widths[] = {0, 4, 8, 16, 21};
    size_t c, l, w;
    int has_count = with_role(f, COUNT) >= 0, has_width = with_role(f, WIDTH) >= 0;
    int has_lengths = with_role(f, OFFSETS) >= 0 || with_role(f, MESSAGES) >= 0 || with_role(f, VIEWS) >= 0, profile;
    int has_length = with_role(f, LENGTH) >= 0 || has_lengths;
    for (c = 0; c < (has_count ? sizeof counts / sizeof counts[0] : 1); c++)
        for (l = 0; l < (has_length && !has_width ? sizeof lengths / sizeof lengths[0] : 1); l++)
            for (w = 0; w < (has_width ? sizeof widths / sizeof widths[0] : 1); w++)
                for (profile = EQUAL; profile < (has_lengths ? LENGTHS : MIXED); profile++) {
                    shape s;
                    s.count = counts[c];
                    s.length = lengths[l];
                    s.width = widths[w];
                    s.lengths = profile == EQUAL ? EQUAL : profile == MIXED ? MIXED : MOSTLY_SHORT;
                    if (has_count && s.length * s.count > 1000000) continue;
                    use(f, &s);
                }
}

static const char *forced;

static void with_kernel(const function *f, const shape *s) {
    make_arguments(f, s, given);
    measured = f;
    note(f, forced, s, measure());
}

/* In a new process, in which no kernel has been chosen. */
static void first_of_process(const function *f, const shape *s) {
    int ends[2], status;
    size_t bytes = 0;
    pid_t child;
    if (s->count > 0 && s->count != 3 && s->count != 90 && s->count != 2000) return;
    if (s->lengths == MIXED || pipe(ends) != 0) return;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        make_arguments(f, s, given);
        measured = f;
        bytes = measure();
        _exit(write(ends[1], &bytes, sizeof bytes) != (ssize_t)sizeof bytes);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 ||
        read(ends[0], &bytes, sizeof bytes) != (ssize_t)sizeof bytes) {
        printf("%s: no measurement\n", f->name);
        exit(2);
    }
    close(ends[0]);
    close(ends[1]);
    note(f, "first call", s, bytes);
}

int main(int argc, char **argv) {
    int first_only = argc > 1 && strcmp(argv[1], "first") == 0;
    size_t i, k;
    make_regions(256, 256);
    make_samples(SHORT_PIECES);
    skip_tags = 1;
    for (i = 0; i < FUNCTION_COUNT; i++) every_shape(&FUNCTIONS[i], first_of_process);
    if (keylane_kernels(kernels, 100, &kernel_count) != KEYLANE_OK) return 2;
    skip_tags = 0;
    make_samples(LONG_PIECES);
    for (k = 0; k < (first_only ? 0 : kernel_count); k++) {
        if (kernels[k].state == KEYLANE_KERNEL_ABSENT) continue;
        /* The row that leaves every message to poly1305-x1. */
        if (strcmp(kernels[k].slot, "poly1305-x1") == 0) keylane_force("poly1305-pn", "poly1305_x1_u64");
        if (keylane_force(kernels[k].slot, kernels[k].id) != KEYLANE_OK) return 2;
        forced = kernels[k].id;
        for (i = 0; i < FUNCTION_COUNT; i++) {
            /* These run every kernel's self-test, whatever is forced. */
            const char *name = FUNCTIONS[i].name;
            if (k > 0 && (strstr(name, "kernels") != NULL || strstr(name, "selftest") != NULL)) continue;
            every_shape(&FUNCTIONS[i], with_kernel);
        }
    }
    for (i = 0; i < FUNCTION_COUNT; i++)
        printf("call %s\nstack %s %lu %s\n", FUNCTIONS[i].name, FUNCTIONS[i].name, (unsigned long)peak[i], how[i]);
    return 0;
}
