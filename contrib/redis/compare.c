/* Compares Redis' siphash.c with keylane's, in cycles per key: single calls by length, and calls for many
 * keys. try.sh compiles and links it.
 *
 * Cycles are the CPU time of this thread times its frequency. A chain of dependent additions, at one cycle
 * each, measures the frequency just before and just after the sample. If the two differ by more than 3 %, the
 * sample is dropped. All contenders of a line give one sample per round, forwards in one round and backwards
 * in the next. Figures are medians over the rounds. A ratio is taken within a round.
 *
 * Independent calls overlap in the CPU: this is throughput. Dependent calls do not: the previous tag, masked
 * to 0, is added to the next key's address and length. This is latency. If lengths are a range they are
 * uniform, in an order that no predictor learns. */

#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef uint64_t one(const uint8_t *in, const size_t inlen, const uint8_t *k);
typedef void many(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k, uint64_t *out);

one redis_siphash, redis_siphash_nocase, siphash, siphash_nocase;
many siphash_many, siphash_many_nocase;

enum { ROUNDS = 31, KEYS = 40000, HOT = 4096, LONGEST = 64, PLACES = 4096, STEPS = 256000 };

static uint8_t seed[16], bytes[PLACES + LONGEST];
static const uint8_t *in[KEYS];
static size_t inlen[KEYS];
static uint64_t out[KEYS];

/* A contender: single calls, independent or dependent, or calls for `n` keys. Cycles per key; below 0 if
 * dropped. */
typedef struct contender {
    one *one;
    many *many;
    size_t n;
    int dependent;
    double cycles[ROUNDS];
} contender;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define ADD x += x; __asm__ volatile("" : "+r"(x));
#define ADD_8 ADD ADD ADD ADD ADD ADD ADD ADD

/* Cycles per nanosecond. */
static double frequency(void) {
    const double start = now();
    unsigned long x = 1;
    int i;
    for (i = 0; i < STEPS / 64; i++) {
        ADD_8 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8
    }
    return STEPS / (now() - start);
}

static void work(const contender *c, size_t keys) {
    size_t i, moved = 0, nothing = 0;
    __asm__ volatile("" : "+r"(nothing));
    if (c->many) {
        for (i = 0; i + c->n <= keys; i += c->n) c->many(in + i, inlen + i, c->n, seed, out + i);
    } else if (c->dependent) {
        for (i = 0; i < keys; i++) moved = c->one(in[i] + moved, inlen[i] + moved, seed) & nothing;
        out[0] = moved;
    } else {
        for (i = 0; i < keys; i++) out[i] = c->one(in[i], inlen[i], seed);
    }
}

/* SplitMix64. */
static uint64_t next(void) {
    static uint64_t state = 1;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void keys(size_t least, size_t most) {
    size_t i;
    for (i = 0; i < KEYS; i++) {
        inlen[i] = least + next() % (most - least + 1);
        in[i] = bytes + next() % PLACES;
    }
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a contender's cycles, or of the ratios to another contender's. 0 if no sample was kept. */
static double median(const contender *c, const contender *to) {
    double kept[ROUNDS];
    size_t n = 0, i;
    for (i = 0; i < ROUNDS; i++)
        if (c->cycles[i] > 0 && (!to || to->cycles[i] > 0)) kept[n++] = c->cycles[i] / (to ? to->cycles[i] : 1);
    qsort(kept, n, sizeof *kept, by_value);
    return n ? (kept[(n - 1) / 2] + kept[n / 2]) / 2 : 0;
}

/* Times all contenders, over `count` keys. */
static void contest(contender *c, size_t n, size_t count) {
    size_t round, turn;
    for (round = 0; round < ROUNDS; round++) {
        for (turn = 0; turn < n; turn++) {
            contender *const x = &c[round % 2 ? n - 1 - turn : turn];
            double before, after, start, time;
            work(x, count / 8);
            before = frequency();
            start = now();
            work(x, count);
            time = now() - start;
            after = frequency();
            x->cycles[round] = time * (before + after) / 2 / (double)count;
            if (before / after < 0.97 || before / after > 1.03) x->cycles[round] = -1;
        }
    }
}

/* Prints a line: both functions, Redis' and keylane's, and the ratios of their times. Below 1, keylane is
 * faster. */
static void line(size_t least, size_t most, int dependent) {
    contender c[4] = {
        {redis_siphash, NULL, 0, dependent, {0}},
        {siphash, NULL, 0, dependent, {0}},
        {redis_siphash_nocase, NULL, 0, dependent, {0}},
        {siphash_nocase, NULL, 0, dependent, {0}},
    };
    keys(least, most);
    contest(c, 4, least == most ? HOT : KEYS);
    if (least == most) printf("%6zu", least);
    else printf("%2zu..%2zu", least, most);
    printf("%9.1f%9.1f%9.3f%12.1f%9.1f%9.3f\n", median(&c[0], NULL), median(&c[1], NULL), median(&c[1], &c[0]),
        median(&c[2], NULL), median(&c[3], NULL), median(&c[3], &c[2]));
}

/* Prints a line: n keys by Redis' function one by one, by keylane's one by one, and by keylane's in one call. */
static void batch(size_t least, size_t most, size_t n) {
    contender c[5] = {
        {redis_siphash, NULL, 0, 0, {0}},
        {siphash, NULL, 0, 0, {0}},
        {NULL, siphash_many, n, 0, {0}},
        {redis_siphash_nocase, NULL, 0, 0, {0}},
        {NULL, siphash_many_nocase, n, 0, {0}},
    };
    contest(c, 5, KEYS / n * n);
    printf("%2zu..%2zu%5zu%9.1f%9.1f%9.1f%9.3f%12.1f%9.1f%9.3f\n", least, most, n, median(&c[0], NULL),
        median(&c[1], NULL), median(&c[2], NULL), median(&c[2], &c[0]), median(&c[3], NULL), median(&c[4], NULL),
        median(&c[4], &c[3]));
}

int main(void) {
    static const size_t ranges[][2] = {{0, 7}, {1, 16}, {8, 24}, {20, 40}, {0, 64}}, counts[] = {2, 4, 8, 16, 32, 64};
    const size_t kinds = sizeof ranges / sizeof *ranges;
    size_t i, j;
    int dependent;
    for (i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)next();
    for (i = 0; i < sizeof seed; i++) seed[i] = (uint8_t)next();
    for (dependent = 0; dependent < 2; dependent++) {
        printf("%s calls, cycles a key\n", dependent ? "\ndependent" : "independent");
        printf("length    redis  keylane    ratio      nocase  keylane    ratio\n");
        for (i = 0; i <= LONGEST; i++) line(i, i, dependent);
        for (i = 0; i < kinds; i++) line(ranges[i][0], ranges[i][1], dependent);
    }
    printf("\nmany keys, cycles a key: one by one, and in one call\n");
    printf("length keys    redis  keylane     many    ratio      nocase     many    ratio\n");
    for (i = 0; i < kinds; i++) {
        keys(ranges[i][0], ranges[i][1]);
        for (j = 0; j < sizeof counts / sizeof *counts; j++) batch(ranges[i][0], ranges[i][1], counts[j]);
    }
    return 0;
}
