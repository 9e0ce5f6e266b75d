/* Redis' siphash and siphash_nocase of many keys in one call, for prefetched lookups. With AVX-512 it hashes
 * eight keys at a time, elsewhere one by one. README.md explains where such a call belongs in Redis.
 *
 * A lane holds the state of one key. Keys of up to 63 bytes are loaded under masks, so no byte outside the
 * key is read. A transpose then makes vectors that hold one word of each key. A lane keeps its state if its
 * key has no such word: in each round, the last operation on each word of the state is under a mask. Longer
 * keys are hashed one by one.
 *
 * MIT or Apache-2.0. */

#include <stddef.h>
#include <stdint.h>

typedef uint64_t one(const uint8_t *in, const size_t inlen, const uint8_t *k);
one siphash, siphash_nocase;

void siphash_many(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k, uint64_t *out);
void siphash_many_nocase(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k, uint64_t *out);

#if defined(__x86_64__) && SIZE_MAX == UINT64_MAX && defined(__GNUC__)
#include <immintrin.h>

#define LANES 8
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define INLINE AVX512 static inline __attribute__((always_inline))

/* With fewer keys than this, the idle lanes cost more than the others save. */
#define LEAST_KEYS 5

typedef struct state {
    __m512i v0, v1, v2, v3;
} state;

INLINE __m512i word(uint64_t x) {
    return _mm512_set1_epi64((long long)x);
}

/* A round for the lanes of `m`. The other lanes keep their state; their v3 is the argument `v3`. */
INLINE void masked_round(state *s, __mmask8 m, __m512i v3) {
    __m512i v0 = _mm512_add_epi64(s->v0, s->v1), v1 = s->v1, v2 = _mm512_add_epi64(s->v2, s->v3);
    v1 = _mm512_xor_si512(_mm512_rol_epi64(v1, 13), v0);
    s->v3 = _mm512_xor_si512(_mm512_rol_epi64(s->v3, 16), v2);
    v0 = _mm512_rol_epi64(v0, 32);
    v2 = _mm512_add_epi64(v2, v1);
    s->v0 = _mm512_mask_add_epi64(s->v0, m, v0, s->v3);
    s->v1 = _mm512_mask_xor_epi64(s->v1, m, _mm512_rol_epi64(v1, 17), v2);
    s->v3 = _mm512_mask_xor_epi64(v3, m, _mm512_rol_epi64(s->v3, 21), s->v0);
    s->v2 = _mm512_mask_rol_epi64(s->v2, m, v2, 32);
}

/* Adds 0x20 to each byte from 'A' to 'Z'. */
INLINE __m512i fold(__m512i x) {
    const __mmask64 letters =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8('A')), _mm512_set1_epi8('Z' - 'A' + 1));
    return _mm512_mask_add_epi8(x, letters, x, _mm512_set1_epi8(0x20));
}

/* Absorbs word `i` of each key that has one, whole or partial. The top byte of a key's last word is the
 * length. */
INLINE void absorb(state *s, __m512i x, unsigned int i, __m512i length, int nocase) {
    const __m512i words = _mm512_srli_epi64(length, 3);
    const __mmask8 m = _mm512_cmpge_epu64_mask(words, word(i));
    const __m512i v3 = s->v3;
    if (nocase) x = fold(x);
    x = _mm512_mask_or_epi64(x, _mm512_cmpeq_epu64_mask(words, word(i)), x, _mm512_slli_epi64(length, 56));
    s->v3 = _mm512_xor_si512(v3, x);
    masked_round(s, m, v3);
    s->v0 = _mm512_mask_xor_epi64(s->v0, m, s->v0, x);
}

/* Transposes 32 bytes of each key: quads[j] holds words 0 to 3 of key j, words[i] holds word i of every key. */
INLINE void transpose(const __m256i quads[LANES], __m512i words[4]) {
    /* First join keys j and j + 4, then pair words of two keys, then put the keys in order. */
    const __m512i a = _mm512_inserti64x4(_mm512_castsi256_si512(quads[0]), quads[4], 1);
    const __m512i b = _mm512_inserti64x4(_mm512_castsi256_si512(quads[1]), quads[5], 1);
    const __m512i c = _mm512_inserti64x4(_mm512_castsi256_si512(quads[2]), quads[6], 1);
    const __m512i d = _mm512_inserti64x4(_mm512_castsi256_si512(quads[3]), quads[7], 1);
    const __m512i ab0 = _mm512_unpacklo_epi64(a, b), ab1 = _mm512_unpackhi_epi64(a, b);
    const __m512i cd0 = _mm512_unpacklo_epi64(c, d), cd1 = _mm512_unpackhi_epi64(c, d);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    words[0] = _mm512_permutex2var_epi64(ab0, low, cd0);
    words[1] = _mm512_permutex2var_epi64(ab1, low, cd1);
    words[2] = _mm512_permutex2var_epi64(ab0, high, cd0);
    words[3] = _mm512_permutex2var_epi64(ab1, high, cd1);
}

/* Loads 32 bytes of each key from `start` on, or fewer or none if the key is shorter. Without a key, a lane
 * uses the address of the first key but loads nothing. */
INLINE void read(const uint8_t *const *in, __m512i length, unsigned int start, size_t n, __m512i words[4]) {
    uint64_t lengths[LANES];
    __m256i quads[LANES];
    size_t j;
    _mm512_storeu_si512(lengths, length);
    for (j = 0; j < LANES; j++) {
        const uint64_t mask = ((UINT64_C(1) << lengths[j]) - 1) >> start;
        const uint8_t *const key = in[j < n ? j : 0];
        quads[j] = _mm256_maskz_loadu_epi8((__mmask32)mask, mask ? key + start : key);
    }
    transpose(quads, words);
}

/* Hashes up to eight keys. `hash` takes those that are too long, or all if most of them are. */
INLINE void eight(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k, uint64_t *out,
    int nocase, one *hash) {
    const __mmask8 all = (__mmask8)((1u << n) - 1);
    __m512i length = _mm512_maskz_loadu_epi64(all, inlen);
    const __mmask8 longer = _mm512_test_epi64_mask(length, word(~UINT64_C(63)));
    const __m512i key = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)k));
    const __m512i k0 = _mm512_unpacklo_epi64(key, key), k1 = _mm512_unpackhi_epi64(key, key);
    state s;
    __m512i words[4];
    unsigned int i;
    if (__builtin_popcount(longer) > LANES / 2) {
        for (i = 0; i < n; i++) out[i] = hash(in[i], inlen[i], k);
        return;
    }
    length = _mm512_mask_mov_epi64(length, longer, _mm512_setzero_si512());
    s.v0 = _mm512_xor_si512(k0, word(UINT64_C(0x736f6d6570736575)));
    s.v1 = _mm512_xor_si512(k1, word(UINT64_C(0x646f72616e646f6d)));
    s.v2 = _mm512_xor_si512(k0, word(UINT64_C(0x6c7967656e657261)));
    s.v3 = _mm512_xor_si512(k1, word(UINT64_C(0x7465646279746573)));
    for (i = 0; i < 8; i += 4) {
        const unsigned int start = 8 * i;
        if (start > 0 && !_mm512_cmpge_epu64_mask(length, word(start))) break;
        read(in, length, start, n, words);
        absorb(&s, words[0], i, length, nocase);
        absorb(&s, words[1], i + 1, length, nocase);
        absorb(&s, words[2], i + 2, length, nocase);
        absorb(&s, words[3], i + 3, length, nocase);
    }
    s.v2 = _mm512_xor_si512(s.v2, word(0xff));
    masked_round(&s, 0xff, s.v3);
    masked_round(&s, 0xff, s.v3);
    _mm512_mask_storeu_epi64(out, all, _mm512_xor_si512(_mm512_xor_si512(s.v0, s.v1), _mm512_xor_si512(s.v2, s.v3)));
    if (longer)
        for (i = 0; i < n; i++)
            if (longer >> i & 1) out[i] = hash(in[i], inlen[i], k);
}

/* Hashes keys from the first on, until fewer than LEAST_KEYS are left. Returns how many. */
INLINE size_t many(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k, uint64_t *out,
    int nocase, one *hash) {
    size_t i, group;
    for (i = 0; n - i >= LEAST_KEYS; i += group) {
        group = n - i < LANES ? n - i : LANES;
        eight(in + i, inlen + i, group, k, out + i, nocase, hash);
    }
    return i;
}

AVX512 static size_t exact(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k,
    uint64_t *out) {
    return many(in, inlen, n, k, out, 0, siphash);
}

AVX512 static size_t folded(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k,
    uint64_t *out) {
    return many(in, inlen, n, k, out, 1, siphash_nocase);
}

static int lanes(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vl");
}
#endif

/* out[i] = siphash(in[i], inlen[i], k) for i < n. */
void siphash_many(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k, uint64_t *out) {
    size_t i = 0;
#ifdef LANES
    if (lanes()) i = exact(in, inlen, n, k, out);
#endif
    for (; i < n; i++) out[i] = siphash(in[i], inlen[i], k);
}

/* out[i] = siphash_nocase(in[i], inlen[i], k) for i < n. */
void siphash_many_nocase(const uint8_t *const *in, const size_t *inlen, size_t n, const uint8_t *k, uint64_t *out) {
    size_t i = 0;
#ifdef LANES
    if (lanes()) i = folded(in, inlen, n, k, out);
#endif
    for (; i < n; i++) out[i] = siphash_nocase(in[i], inlen[i], k);
}
