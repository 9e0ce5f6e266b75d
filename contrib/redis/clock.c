/* What the study of Redis' SipHash [Redis-study] measured: 10^6 hashes of fresh random records of 20 bytes, with
 * clock() around each, and with one clock() around all. Prints nanoseconds a hash: "each N", "all N". The difference
 * is the clock. `cargo xtask prior redis` compiles it with siphash.c; so does
 *
 *   cc -std=c11 -O3 -Icrates/keylane-capi/include contrib/redis/clock.c contrib/redis/siphash.c -o clock
 *
 * MIT or Apache-2.0. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

uint64_t siphash(const uint8_t *in, const size_t inlen, const uint8_t *k);

enum { HASHES = 1000000, BYTES = 20 };

static uint8_t records[HASHES][BYTES];

static double nanoseconds(clock_t ticks) {
    return (double)ticks / CLOCKS_PER_SEC * 1e9 / HASHES;
}

int main(void) {
    const uint8_t key[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint64_t random = 1, sums[2] = {0, 0};
    clock_t each = 0, all;
    int i, j;
    for (i = 0; i < HASHES; i++) {
        for (j = 0; j < BYTES; j++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            records[i][j] = (uint8_t)(random >> 56);
        }
    }
    for (i = 0; i < HASHES; i++) {
        const clock_t start = clock();
        sums[0] += siphash(records[i], BYTES, key);
        each += clock() - start;
    }
    all = clock();
    for (i = 0; i < HASHES; i++) {
        sums[1] += siphash(records[i], BYTES, key);
    }
    all = clock() - all;
    if (sums[0] != sums[1]) {
        fputs("clock: the hashes differ\n", stderr);
        return EXIT_FAILURE;
    }
    printf("each %.1f\nall %.1f\n", nanoseconds(each), nanoseconds(all));
    return 0;
}
