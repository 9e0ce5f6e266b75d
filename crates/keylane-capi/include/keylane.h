/* keylane: SipHash, Poly1305 and ChaCha20-Poly1305, with the fastest correct kernel for the CPU and the shape of the
 * input.
 *
 * Rules for every call
 *
 * - Lengths are in bytes, counts in messages or integers. A pointer may be null if its length or count is 0;
 *   otherwise null gives KEYLANE_NULL.
 * - A call returns a keylane_status: KEYLANE_OK only if it has done all of its work. On any other status it has
 *   written nothing, unless its comment says otherwise.
 * - If several statuses apply, a call returns the one with the lowest number. So null comes first, then alignment,
 *   lengths and counts, overlap, the state of an object, and the rest. There are two exceptions. The messages or
 *   buffers of a list count only if no argument itself is null, unaligned or too large. KEYLANE_UNICODE comes before KEYLANE_SLOT.
 * - If a length or a count is 0, the call does not look at its pointer, which overlaps nothing.
 * - Tags of 32 and 64 bits are integers. The reference implementation writes them as little-endian bytes. Tags of
 *   128 bits are those bytes.
 * - The caller provides the memory of objects, on the stack for instance. Objects hold no pointers, and no call
 *   allocates memory. An object must be initialised, or all zero, before any other call uses it. The caller must wipe
 *   it. A zero, finished or wiped object gives KEYLANE_STATE.
 * - No call sets errno, except the system's calls in keylane_random. No call ends the process, given the stack that
 *   it needs (see below).
 * - A signal handler, and the child of a fork, may call every function except keylane_random and, on systems other than
 *   Linux with glibc, keylane_environment, also if the signal or the fork came within a call. They must not use an object
 *   that the interrupted call changes.
 * - Any number of threads may use one prepared key. Only one thread at a time may use an object that a call changes.
 *   Nobody may write to the input of a call while it runs.
 * - Running times depend on lengths and counts, and on which packets are forged, never on keys, messages or tags.
 *
 * Stack
 *
 * A call needs at most this much stack, as measured on x86-64 Linux. Lengths and counts do not matter. Not included is
 * what the dynamic linker needs for the first call of a function in a program that binds lazily (-z lazy): a call of
 * the last row then took 3191 bytes. Included are all kernels, and the self-tests that the first use of a kernel runs.
 *
 *   24 KiB  keylane_*_views, keylane_*_many, keylane_chacha20poly1305_seal_many_with_nonces
 *   16 KiB  keylane_*_u32s, keylane_*_u64s, keylane_*_u128s, keylane_*_rows, keylane_*_offsets32,
 *           keylane_*_offsets64, keylane_poly1305_mac*, keylane_poly1305_update, keylane_poly1305_finish*,
 *           keylane_chacha20poly1305_*, keylane_kernels, keylane_force, keylane_environment, keylane_selftest
 *    8 KiB  keylane_poly1305_init*, keylane_random
 *    2 KiB  all others
 *
 * What tags guarantee
 *
 * - An attempt to forge a 64-bit tag succeeds with probability 2^-64. Among 2^32 messages under one key, two are
 *   likely to share a tag.
 * - 32-bit tags, SipHash-1-1, SipHash-1-2 and HalfSipHash are for compatibility and hash tables, never for
 *   authentication.
 * - SipHash is a PRF against those who do not know the key. Anyone who knows the key can make collisions.
 * - A Poly1305 key is for one message. Two messages under one key reveal the key.
 *
 * To link the shared library: -lkeylane, or the output of `pkg-config --libs keylane`. To link the archive:
 * -l:libkeylane.a, or -static and the output of `pkg-config --static --libs keylane`. See keylane(3).
 *
 * MIT or Apache-2.0. */

#ifndef KEYLANE_H
#define KEYLANE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEYLANE_VERSION "0.1.0"

#if defined(_MSC_VER)
#define KEYLANE_ALIGNED(n) __declspec(align(n))
#else
#define KEYLANE_ALIGNED(n) __attribute__((aligned(n)))
#endif

typedef enum keylane_status {
    KEYLANE_OK = 0,
    KEYLANE_NULL = 1,      /* a required pointer is null */
    KEYLANE_ALIGN = 2,     /* a pointer is not aligned for its type */
    KEYLANE_LENGTH = 3,    /* a length is impossible */
    KEYLANE_COUNT = 4,     /* a count is larger than memory */
    KEYLANE_OVERLAP = 5,   /* the results overlap the input, or each other */
    KEYLANE_STATE = 6,     /* the object is not initialised, or for the other tag width, or finished, or wiped */
    KEYLANE_ROUNDS = 7,    /* the rounds must be 1 to 255 */
    KEYLANE_BITS = 8,      /* the hash has no tags of that width */
    KEYLANE_ROWS = 9,      /* the length is not the number of rows times their width */
    KEYLANE_OFFSETS = 10,  /* an offset is negative, below its predecessor, or beyond the bytes */
    KEYLANE_MISMATCH = 11, /* the tag does not match */
    KEYLANE_SLOT = 12,     /* there is no such slot */
    KEYLANE_KERNEL = 13,   /* the slot has no such kernel */
    KEYLANE_CPU = 14,      /* this CPU cannot run the kernel */
    KEYLANE_SELFTEST = 15, /* a kernel has failed its self-test */
    KEYLANE_ENTRY = 16,    /* an entry of KEYLANE_KERNEL is not slot=kernel, or repeats a slot */
    KEYLANE_UNICODE = 17,  /* a text is not UTF-8 */
    KEYLANE_RANDOM = 18,   /* the system's random number generator failed */
    KEYLANE_VIEWS = 19     /* a view has a negative length or lies outside its buffer */
} keylane_status;

/* The meaning of a status, as a constant text. Any number is allowed. */
const char *keylane_strerror(int status);

/* The version of the library. KEYLANE_VERSION is the version of the header. */
const char *keylane_version(void);

/* Fills `length` bytes from the system's random number generator: for keys. After KEYLANE_RANDOM, part of them may
 * be filled. */
keylane_status keylane_random(void *bytes, size_t length);

/* Overwrites `length` bytes with zeros; the compiler cannot remove this. For the caller's own keys. */
void keylane_wipe(void *bytes, size_t length);

/* A message anywhere in memory. The layout is that of POSIX' struct iovec on most systems. */
typedef struct keylane_message {
    const void *bytes;
    size_t length;
} keylane_message;

/* One 128-bit tag of a batch. */
typedef struct KEYLANE_ALIGNED(16) keylane_tag128 {
    uint8_t bytes[16];
} keylane_tag128;

/* ---- SipHash-c-d: a key of 16 bytes, tags of 64 or 128 bits -------------------------------------------------- */

typedef struct keylane_siphash {
    uint64_t opaque[8];
} keylane_siphash;

typedef struct keylane_siphash_stream {
    uint64_t opaque[12];
} keylane_siphash_stream;

/* The tag of one message under a key that is used once. The name gives the rounds. x: tags of 128 bits. nocase: see
 * below. Under a key from which keylane's other languages derive subkeys, keylane_siphashx48 should hash nothing: its
 * tags are the subkeys. */
keylane_status keylane_siphash11(const uint8_t key[16], const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphash12(const uint8_t key[16], const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphash13(const uint8_t key[16], const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphash24(const uint8_t key[16], const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphash48(const uint8_t key[16], const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphash12_nocase(const uint8_t key[16], const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphash13_nocase(const uint8_t key[16], const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphash24_nocase(const uint8_t key[16], const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphashx13(const uint8_t key[16], const void *message, size_t length, uint8_t tag[16]);
keylane_status keylane_siphashx24(const uint8_t key[16], const void *message, size_t length, uint8_t tag[16]);
keylane_status keylane_siphashx48(const uint8_t key[16], const void *message, size_t length, uint8_t tag[16]);

/* Prepares a key for tags of 64 or 128 bits, with c rounds per word and d rounds at the end, 1 to 255 each. Rounds
 * 1-1, 1-2, 1-3, 2-4 and 4-8 are as fast as rounds fixed at compile time, except for one branch.
 * KEYLANE_ROUNDS; KEYLANE_BITS. */
keylane_status keylane_siphash_init(keylane_siphash *h, unsigned int c, unsigned int d, unsigned int bits,
    const uint8_t key[16]);

/* Overwrites the key. A null pointer, or an object without a key, is fine. */
void keylane_siphash_wipe(keylane_siphash *h);

/* The tag of one message. KEYLANE_STATE if the key was prepared for the other tag width, here and below. */
keylane_status keylane_siphash_hash64(const keylane_siphash *h, const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphash_hash128(const keylane_siphash *h, const void *message, size_t length, uint8_t tag[16]);

/* The same, with ASCII capitals folded: each byte 'A' to 'Z' counts as 'a' to 'z', every other byte as itself. */
keylane_status keylane_siphash_hash64_nocase(const keylane_siphash *h, const void *message, size_t length,
    uint64_t *tag);
keylane_status keylane_siphash_hash128_nocase(const keylane_siphash *h, const void *message, size_t length,
    uint8_t tag[16]);

/* The tag of an integer's 4, 8 or 16 little-endian bytes, on every CPU. */
keylane_status keylane_siphash_hash64_u32(const keylane_siphash *h, uint32_t integer, uint64_t *tag);
keylane_status keylane_siphash_hash64_u64(const keylane_siphash *h, uint64_t integer, uint64_t *tag);
keylane_status keylane_siphash_hash64_u128(const keylane_siphash *h, const uint8_t integer[16], uint64_t *tag);
keylane_status keylane_siphash_hash128_u32(const keylane_siphash *h, uint32_t integer, uint8_t tag[16]);
keylane_status keylane_siphash_hash128_u64(const keylane_siphash *h, uint64_t integer, uint8_t tag[16]);
keylane_status keylane_siphash_hash128_u128(const keylane_siphash *h, const uint8_t integer[16], uint8_t tag[16]);

/* KEYLANE_OK if `tag` is the tag of the message, KEYLANE_MISMATCH if not, in constant time. */
keylane_status keylane_siphash_verify64(const keylane_siphash *h, const void *message, size_t length, uint64_t tag);
keylane_status keylane_siphash_verify128(const keylane_siphash *h, const void *message, size_t length,
    const uint8_t tag[16]);

/* A message in pieces. After stream_init, `s` no longer needs `h`. `finish` gives the tag of the pieces so far, and
 * more may follow. A stream may be copied by assignment; wipe every copy. */
keylane_status keylane_siphash_stream_init(keylane_siphash_stream *s, const keylane_siphash *h);
keylane_status keylane_siphash_stream_update(keylane_siphash_stream *s, const void *piece, size_t length);
keylane_status keylane_siphash_stream_finish64(const keylane_siphash_stream *s, uint64_t *tag);
keylane_status keylane_siphash_stream_finish128(const keylane_siphash_stream *s, uint8_t tag[16]);
keylane_status keylane_siphash_stream_verify64(const keylane_siphash_stream *s, uint64_t tag);
keylane_status keylane_siphash_stream_verify128(const keylane_siphash_stream *s, const uint8_t tag[16]);
void keylane_siphash_stream_wipe(keylane_siphash_stream *s);

/* Many messages in one call, by the kernel of the slot siphash-xn. tags[i] is the tag of message i of `count`. After
 * an error no tag is written. Tags must not overlap the input: KEYLANE_OVERLAP.
 *
 * u32s, u64s   integers in this CPU's byte order, hashed as their little-endian bytes.
 * u128s        integers of 16 little-endian bytes each, one after the other.
 * rows         `count` rows of `width` bytes, one after the other. KEYLANE_ROWS if `length` is not count * width.
 *              With width 0, they are `count` empty messages.
 * offsets      message i is bytes[offsets[i]] up to, but not including, bytes[offsets[i + 1]]. There are count + 1
 *              offsets, in Arrow's layout. The first may be above 0. For count 0 no offset is needed.
 *              KEYLANE_OFFSETS if an offset is negative, below its predecessor, or above `length`.
 * views        Arrow's string views and binary views: 16 bytes each, at any address. The first 4 are the length, below
 *              2^31. Up to 12 bytes of message follow in the view, and what stands behind them does not count. For a
 *              longer message, 4 bytes of prefix follow, which are not read, then the index of its buffer and its
 *              offset there, of 4 bytes each. All numbers are little-endian. `buffers` may be null if `buffer_count`
 *              is 0. KEYLANE_VIEWS if a length is negative, there is no such buffer, or it ends too early.
 * many         messages anywhere in memory, of any lengths.
 *
 * `nocase`: if not 0, ASCII capitals are folded. */
keylane_status keylane_siphash_hash64_u32s(const keylane_siphash *h, const uint32_t *integers, size_t count,
    uint64_t *tags);
keylane_status keylane_siphash_hash64_u64s(const keylane_siphash *h, const uint64_t *integers, size_t count,
    uint64_t *tags);
keylane_status keylane_siphash_hash64_u128s(const keylane_siphash *h, const uint8_t *integers, size_t count,
    uint64_t *tags);
keylane_status keylane_siphash_hash64_rows(const keylane_siphash *h, const void *bytes, size_t length, size_t width,
    int nocase, size_t count, uint64_t *tags);
keylane_status keylane_siphash_hash64_offsets32(const keylane_siphash *h, const void *bytes, size_t length,
    const int32_t *offsets, int nocase, size_t count, uint64_t *tags);
keylane_status keylane_siphash_hash64_offsets64(const keylane_siphash *h, const void *bytes, size_t length,
    const int64_t *offsets, int nocase, size_t count, uint64_t *tags);
keylane_status keylane_siphash_hash64_views(const keylane_siphash *h, const void *views,
    const keylane_message *buffers, size_t buffer_count, int nocase, size_t count, uint64_t *tags);
keylane_status keylane_siphash_hash64_many(const keylane_siphash *h, const keylane_message *messages, int nocase,
    size_t count, uint64_t *tags);

keylane_status keylane_siphash_hash128_u32s(const keylane_siphash *h, const uint32_t *integers, size_t count,
    keylane_tag128 *tags);
keylane_status keylane_siphash_hash128_u64s(const keylane_siphash *h, const uint64_t *integers, size_t count,
    keylane_tag128 *tags);
keylane_status keylane_siphash_hash128_u128s(const keylane_siphash *h, const uint8_t *integers, size_t count,
    keylane_tag128 *tags);
keylane_status keylane_siphash_hash128_rows(const keylane_siphash *h, const void *bytes, size_t length, size_t width,
    int nocase, size_t count, keylane_tag128 *tags);
keylane_status keylane_siphash_hash128_offsets32(const keylane_siphash *h, const void *bytes, size_t length,
    const int32_t *offsets, int nocase, size_t count, keylane_tag128 *tags);
keylane_status keylane_siphash_hash128_offsets64(const keylane_siphash *h, const void *bytes, size_t length,
    const int64_t *offsets, int nocase, size_t count, keylane_tag128 *tags);
keylane_status keylane_siphash_hash128_views(const keylane_siphash *h, const void *views,
    const keylane_message *buffers, size_t buffer_count, int nocase, size_t count, keylane_tag128 *tags);
keylane_status keylane_siphash_hash128_many(const keylane_siphash *h, const keylane_message *messages, int nocase,
    size_t count, keylane_tag128 *tags);

/* ---- HalfSipHash-c-d: the same on 32-bit words; a key of 8 bytes, tags of 32 or 64 bits ---------------------- */

typedef struct keylane_halfsiphash {
    uint64_t opaque[6];
} keylane_halfsiphash;

typedef struct keylane_halfsiphash_stream {
    uint64_t opaque[10];
} keylane_halfsiphash_stream;

/* One message under a key. x: tags of 64 bits. */
keylane_status keylane_halfsiphash13(const uint8_t key[8], const void *message, size_t length, uint32_t *tag);
keylane_status keylane_halfsiphash24(const uint8_t key[8], const void *message, size_t length, uint32_t *tag);
keylane_status keylane_halfsiphashx13(const uint8_t key[8], const void *message, size_t length, uint64_t *tag);
keylane_status keylane_halfsiphashx24(const uint8_t key[8], const void *message, size_t length, uint64_t *tag);

/* A prepared key as above, for tags of 32 or 64 bits. KEYLANE_ROUNDS; KEYLANE_BITS. */
keylane_status keylane_halfsiphash_init(keylane_halfsiphash *h, unsigned int c, unsigned int d, unsigned int bits,
    const uint8_t key[8]);

void keylane_halfsiphash_wipe(keylane_halfsiphash *h);

keylane_status keylane_halfsiphash_hash32(const keylane_halfsiphash *h, const void *message, size_t length,
    uint32_t *tag);
keylane_status keylane_halfsiphash_hash64(const keylane_halfsiphash *h, const void *message, size_t length,
    uint64_t *tag);

keylane_status keylane_halfsiphash_hash32_nocase(const keylane_halfsiphash *h, const void *message, size_t length,
    uint32_t *tag);
keylane_status keylane_halfsiphash_hash64_nocase(const keylane_halfsiphash *h, const void *message, size_t length,
    uint64_t *tag);

keylane_status keylane_halfsiphash_hash32_u32(const keylane_halfsiphash *h, uint32_t integer, uint32_t *tag);
keylane_status keylane_halfsiphash_hash32_u64(const keylane_halfsiphash *h, uint64_t integer, uint32_t *tag);
keylane_status keylane_halfsiphash_hash32_u128(const keylane_halfsiphash *h, const uint8_t integer[16],
    uint32_t *tag);
keylane_status keylane_halfsiphash_hash64_u32(const keylane_halfsiphash *h, uint32_t integer, uint64_t *tag);
keylane_status keylane_halfsiphash_hash64_u64(const keylane_halfsiphash *h, uint64_t integer, uint64_t *tag);
keylane_status keylane_halfsiphash_hash64_u128(const keylane_halfsiphash *h, const uint8_t integer[16],
    uint64_t *tag);

keylane_status keylane_halfsiphash_verify32(const keylane_halfsiphash *h, const void *message, size_t length,
    uint32_t tag);
keylane_status keylane_halfsiphash_verify64(const keylane_halfsiphash *h, const void *message, size_t length,
    uint64_t tag);

keylane_status keylane_halfsiphash_stream_init(keylane_halfsiphash_stream *s, const keylane_halfsiphash *h);
keylane_status keylane_halfsiphash_stream_update(keylane_halfsiphash_stream *s, const void *piece, size_t length);
keylane_status keylane_halfsiphash_stream_finish32(const keylane_halfsiphash_stream *s, uint32_t *tag);
keylane_status keylane_halfsiphash_stream_finish64(const keylane_halfsiphash_stream *s, uint64_t *tag);
keylane_status keylane_halfsiphash_stream_verify32(const keylane_halfsiphash_stream *s, uint32_t tag);
keylane_status keylane_halfsiphash_stream_verify64(const keylane_halfsiphash_stream *s, uint64_t tag);
void keylane_halfsiphash_stream_wipe(keylane_halfsiphash_stream *s);

/* Many messages in one call, as above, by the slot halfsiphash-xn. */
keylane_status keylane_halfsiphash_hash32_u32s(const keylane_halfsiphash *h, const uint32_t *integers, size_t count,
    uint32_t *tags);
keylane_status keylane_halfsiphash_hash32_u64s(const keylane_halfsiphash *h, const uint64_t *integers, size_t count,
    uint32_t *tags);
keylane_status keylane_halfsiphash_hash32_u128s(const keylane_halfsiphash *h, const uint8_t *integers, size_t count,
    uint32_t *tags);
keylane_status keylane_halfsiphash_hash32_rows(const keylane_halfsiphash *h, const void *bytes, size_t length,
    size_t width, int nocase, size_t count, uint32_t *tags);
keylane_status keylane_halfsiphash_hash32_offsets32(const keylane_halfsiphash *h, const void *bytes, size_t length,
    const int32_t *offsets, int nocase, size_t count, uint32_t *tags);
keylane_status keylane_halfsiphash_hash32_offsets64(const keylane_halfsiphash *h, const void *bytes, size_t length,
    const int64_t *offsets, int nocase, size_t count, uint32_t *tags);
keylane_status keylane_halfsiphash_hash32_views(const keylane_halfsiphash *h, const void *views,
    const keylane_message *buffers, size_t buffer_count, int nocase, size_t count, uint32_t *tags);
keylane_status keylane_halfsiphash_hash32_many(const keylane_halfsiphash *h, const keylane_message *messages,
    int nocase, size_t count, uint32_t *tags);

keylane_status keylane_halfsiphash_hash64_u32s(const keylane_halfsiphash *h, const uint32_t *integers, size_t count,
    uint64_t *tags);
keylane_status keylane_halfsiphash_hash64_u64s(const keylane_halfsiphash *h, const uint64_t *integers, size_t count,
    uint64_t *tags);
keylane_status keylane_halfsiphash_hash64_u128s(const keylane_halfsiphash *h, const uint8_t *integers, size_t count,
    uint64_t *tags);
keylane_status keylane_halfsiphash_hash64_rows(const keylane_halfsiphash *h, const void *bytes, size_t length,
    size_t width, int nocase, size_t count, uint64_t *tags);
keylane_status keylane_halfsiphash_hash64_offsets32(const keylane_halfsiphash *h, const void *bytes, size_t length,
    const int32_t *offsets, int nocase, size_t count, uint64_t *tags);
keylane_status keylane_halfsiphash_hash64_offsets64(const keylane_halfsiphash *h, const void *bytes, size_t length,
    const int64_t *offsets, int nocase, size_t count, uint64_t *tags);
keylane_status keylane_halfsiphash_hash64_views(const keylane_halfsiphash *h, const void *views,
    const keylane_message *buffers, size_t buffer_count, int nocase, size_t count, uint64_t *tags);
keylane_status keylane_halfsiphash_hash64_many(const keylane_halfsiphash *h, const keylane_message *messages,
    int nocase, size_t count, uint64_t *tags);

/* ---- SipHash in other forms ---------------------------------------------------------------------------------- */

/* Linux' hsiphash. On a 64-bit machine: the low 32 bits of SipHash-1-3. On a 32-bit machine: HalfSipHash-1-3. */
keylane_status keylane_hsiphash64(const uint8_t key[16], const void *message, size_t length, uint32_t *tag);
keylane_status keylane_hsiphash32(const uint8_t key[8], const void *message, size_t length, uint32_t *tag);

/* The DNS server cookie of RFC 9018, version 1: 16 bytes to send after the client's 8. `timestamp` is in seconds
 * modulo 2^32. `client` is an address of 4 or 16 bytes in network order, else KEYLANE_LENGTH. */
keylane_status keylane_dns_cookie(const uint8_t secret[16], const uint8_t client_cookie[8], uint32_t timestamp,
    const void *client, size_t client_length, uint8_t server_cookie[16]);

/* KEYLANE_OK if keylane_dns_cookie made the cookie, else KEYLANE_MISMATCH, in constant time. The caller must check
 * that its timestamp (bytes 4 to 7, big-endian) is recent (RFC 9018, section 4.3). */
keylane_status keylane_dns_cookie_verify(const uint8_t secret[16], const uint8_t client_cookie[8],
    const uint8_t server_cookie[16], const void *client, size_t client_length);

/* SipHash-1-3-UJ of Bitcoin Core 32: a sequence of blocks without padding or length. A jumbo block must itself be the
 * output of a cryptographic hash. `finish` gives the tag of the blocks so far. */
typedef struct keylane_siphash13uj {
    uint64_t opaque[6];
} keylane_siphash13uj;

keylane_status keylane_siphash13uj_init(keylane_siphash13uj *h, const uint8_t key[16]);
keylane_status keylane_siphash13uj_word(keylane_siphash13uj *h, uint64_t word);
keylane_status keylane_siphash13uj_jumbo(keylane_siphash13uj *h, const uint8_t block[32]);
keylane_status keylane_siphash13uj_finish(const keylane_siphash13uj *h, uint64_t *tag);
void keylane_siphash13uj_wipe(keylane_siphash13uj *h);

/* ---- Poly1305: a key of 32 bytes for one message, tags of 128 bits ------------------------------------------- */

/* A message in pieces, of which up to 512 bytes wait in the object. Aligned to 16 bytes, as malloc aligns on 64-bit
 * systems. Never copy an object that is in use: two messages under one key reveal the key. */
typedef struct KEYLANE_ALIGNED(16) keylane_poly1305 {
    uint64_t opaque[226];
} keylane_poly1305;

/* The tag of one message, which uses up the key. */
keylane_status keylane_poly1305_mac(const uint8_t key[32], const void *message, size_t length, uint8_t tag[16]);

/* KEYLANE_OK if `tag` is the tag of the message, KEYLANE_MISMATCH if not, in constant time. */
keylane_status keylane_poly1305_mac_verify(const uint8_t key[32], const void *message, size_t length,
    const uint8_t tag[16]);

/* Begins a message, which uses up the key. init_aes uses the key of Poly1305-AES for this nonce, init_rfc8439 that of
 * ChaCha20-Poly1305. Never use a nonce twice under one key. */
keylane_status keylane_poly1305_init(keylane_poly1305 *p, const uint8_t key[32]);
keylane_status keylane_poly1305_init_aes(keylane_poly1305 *p, const uint8_t aes_key[16], const uint8_t r[16],
    const uint8_t nonce[16]);
keylane_status keylane_poly1305_init_rfc8439(keylane_poly1305 *p, const uint8_t key[32], const uint8_t nonce[12]);

keylane_status keylane_poly1305_update(keylane_poly1305 *p, const void *piece, size_t length);

/* Finish a message: the first form gives its tag, the second compares `tag` with it in constant time and gives
 * KEYLANE_MISMATCH if they differ. Both wipe the object. */
keylane_status keylane_poly1305_finish(keylane_poly1305 *p, uint8_t tag[16]);
keylane_status keylane_poly1305_finish_verify(keylane_poly1305 *p, const uint8_t tag[16]);

/* Abandons a message. A null pointer, or an object without a message, is fine. */
void keylane_poly1305_wipe(keylane_poly1305 *p);

/* Many messages in one call, by the kernel of the slot poly1305-xn. Each message has 32 bytes of `keys` and 16 of
 * `tags`, one after the other. */
keylane_status keylane_poly1305_macs(const uint8_t *keys, const keylane_message *messages, size_t count,
    uint8_t *tags);

/* good[i] is 1 if tag i is that of message i, else 0. KEYLANE_OK if all tags are good, KEYLANE_MISMATCH if one is
 * not. After any other status `good` is unchanged. Constant time. */
keylane_status keylane_poly1305_macs_verify(const uint8_t *keys, const keylane_message *messages, size_t count,
    const uint8_t *tags, uint8_t *good);

/* ---- ChaCha20-Poly1305 (RFC 8439): a key of 32 bytes, nonces of 12, tags of 16 --------------------------------- */

/* A prepared key. NEVER USE A NONCE TWICE under one key: two such packets reveal the XOR of their texts, and then anyone
 * can forge packets. That holds across a restart, a fork and a restored snapshot of a machine, too. Count packets, as
 * QUIC, TLS and WireGuard do; random nonces of 12 bytes are too short. A ciphertext does not commit to its key: do not
 * let the result of opening tell an attacker which of several guessed keys is right. */
typedef struct keylane_chacha20poly1305 {
    uint64_t opaque[5];
} keylane_chacha20poly1305;

/* A packet of a call for many. `aad` is authenticated only, `data` is encrypted or decrypted in place. `tag` is written
 * by sealing, read by opening, and may be the 16 bytes behind the data. */
typedef struct keylane_packet {
    const uint8_t *nonce; /* 12 bytes */
    const void *aad;
    size_t aad_length;
    void *data;
    size_t length; /* of the data */
    uint8_t *tag;  /* 16 bytes */
} keylane_packet;

keylane_status keylane_chacha20poly1305_init(keylane_chacha20poly1305 *c, const uint8_t key[32]);

/* For XChaCha20-Poly1305, whose nonces have 24 bytes: prepares the key of the packets whose nonces begin with these 16
 * bytes. The nonce of such a packet in the calls below is four zero bytes and then the last 8 of its 24. */
keylane_status keylane_chacha20poly1305_init_xchacha20(keylane_chacha20poly1305 *c, const uint8_t key[32],
    const uint8_t nonce[16]);

/* Overwrites the key. A null pointer, or an object without a key, is fine. */
void keylane_chacha20poly1305_wipe(keylane_chacha20poly1305 *c);

/* Encrypts `data` in place and writes its tag. Here and below: KEYLANE_LENGTH for more than 2^38 - 64 bytes of data.
 * KEYLANE_OVERLAP if the data or a written tag overlap the nonce, the AAD, the object, or each other. */
keylane_status keylane_chacha20poly1305_seal_with_nonce(const keylane_chacha20poly1305 *c, const uint8_t nonce[12],
    const void *aad, size_t aad_length, void *data, size_t length, uint8_t tag[16]);

/* Decrypts `data` in place if the tag is right. Otherwise KEYLANE_MISMATCH, which does not tell whether nonce, AAD, data
 * or tag differ, and the data stay as they are. */
keylane_status keylane_chacha20poly1305_open(const keylane_chacha20poly1305 *c, const uint8_t nonce[12],
    const void *aad, size_t aad_length, void *data, size_t length, const uint8_t tag[16]);

/* The same for many packets under one key, whose blocks share the lanes of vectors. What is written of
 * one packet must not overlap anything of another packet, which is the caller's duty. KEYLANE_OVERLAP if it overlaps the
 * rest of its own packet, the list of packets or the object, or if `good` overlaps any of these or a packet.
 *
 * open_many: good[i] is 1 if packet i was decrypted, else 0, and its data are as they were. KEYLANE_OK if all packets
 * were decrypted, KEYLANE_MISMATCH if one was not. After any other status neither the data nor `good` have changed. It
 * takes two packets of one nonce as often as they come: look for replays before the data are used. */
keylane_status keylane_chacha20poly1305_seal_many_with_nonces(const keylane_chacha20poly1305 *c,
    const keylane_packet *packets, size_t count);
keylane_status keylane_chacha20poly1305_open_many(const keylane_chacha20poly1305 *c, const keylane_packet *packets,
    size_t count, uint8_t *good);

/* ---- Kernels -------------------------------------------------------------------------------------------------- */

/* A slot is a primitive and a shape of input. At its first use, each slot chooses its best kernel among those that
 * this CPU can run and that give the known answers. Two things override the choice: keylane_force, and
 * KEYLANE_KERNEL="slot=kernel,..." in the environment. On Linux with glibc its value is copied when the library is
 * loaded, and setenv changes nothing. On other systems only keylane_environment reads it, once, for the slots that have
 * not been used yet. */

typedef enum keylane_kernel_state {
    KEYLANE_KERNEL_ACTIVE = 0, /* its slot uses it */
    KEYLANE_KERNEL_READY = 1,  /* it gave the known answers, but another kernel is active */
    KEYLANE_KERNEL_FAILED = 2, /* it gave a wrong answer and is not used */
    KEYLANE_KERNEL_ABSENT = 3  /* this CPU, or its operating system, lacks a feature it needs */
} keylane_kernel_state;

typedef struct keylane_kernel {
    char slot[24];     /* such as siphash-xn */
    char id[48];       /* such as siphash_x4_avx2 */
    char features[96]; /* CPU features it needs, separated by spaces */
    char missing[96];  /* those of them that this CPU lacks */
    size_t lanes;      /* messages, or blocks of one message, at a time */
    int state;         /* a keylane_kernel_state */
} keylane_kernel;

/* Runs every kernel's self-test, which takes some milliseconds. Writes the first `capacity` kernels to `kernels`,
 * best first in each slot, and the number of all kernels to `count`. */
keylane_status keylane_kernels(keylane_kernel *kernels, size_t capacity, size_t *count);

/* Makes a slot use this kernel from the next call on, in the whole process. After KEYLANE_SLOT, KEYLANE_KERNEL,
 * KEYLANE_CPU or KEYLANE_SELFTEST nothing has changed. */
keylane_status keylane_force(const char *slot, const char *kernel);

/* Checks that every entry of KEYLANE_KERNEL can be obeyed. Otherwise returns the first fault as a status and writes
 * it as a text to `message`, cut to `size` bytes with its final 0. */
keylane_status keylane_environment(char *message, size_t size);

/* Runs every kernel's self-test. KEYLANE_SELFTEST if a kernel that this CPU can run gives a wrong answer. */
keylane_status keylane_selftest(void);

/* ---- What the library assumes ---------------------------------------------------------------------------------- */

#define KEYLANE_ASSERT_SIZE(type, size) typedef char type##_has_its_size[sizeof(type) == (size) ? 1 : -1]
KEYLANE_ASSERT_SIZE(keylane_siphash, 64);
KEYLANE_ASSERT_SIZE(keylane_siphash_stream, 96);
KEYLANE_ASSERT_SIZE(keylane_halfsiphash, 48);
KEYLANE_ASSERT_SIZE(keylane_halfsiphash_stream, 80);
KEYLANE_ASSERT_SIZE(keylane_siphash13uj, 48);
KEYLANE_ASSERT_SIZE(keylane_poly1305, 1808);
KEYLANE_ASSERT_SIZE(keylane_chacha20poly1305, 40);
KEYLANE_ASSERT_SIZE(keylane_packet, 4 * sizeof(void *) + 2 * sizeof(size_t));
KEYLANE_ASSERT_SIZE(keylane_tag128, 16);
KEYLANE_ASSERT_SIZE(keylane_message, sizeof(void *) + sizeof(size_t));
KEYLANE_ASSERT_SIZE(keylane_status, sizeof(int));
#undef KEYLANE_ASSERT_SIZE

#ifdef __cplusplus
}
#endif

#endif
