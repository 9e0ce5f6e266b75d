/* What both programs that compare need: a check, and random numbers that are the same in every run. */
#ifndef KEYLANE_RANDOM_H
#define KEYLANE_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition), exit(1)))

static uint64_t state = 1;

/* Random numbers (splitmix64). */
static uint64_t number(void) {
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static size_t below(size_t limit) { return number() % limit; }

#endif
