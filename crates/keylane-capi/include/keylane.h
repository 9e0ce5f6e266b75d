/* keylane: SipHash and Poly1305, with the fastest correct kernel for the CPU and the shape of the input.
 *
 * Rules for every call
 *
 * - Lengths are in bytes, counts in messages or integers. No message at all is fine: a pointer may be null where
 *   its length or count is 0. Null with a length is KEYLANE_NULL.
 * - A call answers with a keylane_status, and with KEYLANE_OK only if it has done all of its work. After any other
 *   answer nothing is written, but where a comment says otherwise.
 * - Tags of 32 and 64 bits are integers, of which the reference writes the little-endian bytes. Tags of 128 bits are
 *   these bytes.
 * - Objects live where the caller has them, on the stack for instance: they hold no pointers, and nothing is
 *   allocated (but a copy of KEYLANE_KERNEL, if that is set). An object is initialised, or zero, before any other call
 *   with it, and wiped by the caller. One that is zero, finished or wiped gives KEYLANE_STATE.
 * - No call sets errno, but those of the system in keylane_random, and none ends the process. Nothing runs when the
 *   library is loaded but what its runtime needs.
 * - Any number of threads may use one prepared key. An object that a call changes is for one thread at a time. What a
 *   call reads, nobody may write meanwhile.
 * - Running times depend on lengths and counts, never on keys, messages or tags.
 *
 * What tags promise
 *
 * - A 64-bit tag is forged with chance 2^-64 a try; two of 2^32 messages under one key are likely to share one.
 * - 32-bit tags, SipHash-1-1, SipHash-1-2 and HalfSipHash are for compatibility and hash tables, never for
 *   authentication.
 * - SipHash is a PRF for those who do not know the key. Whoever knows the key can make collisions.
 * - A Poly1305 key is for one message. Two messages under one key give the key away.
 *
 * Link with -lkeylane, or what `pkg-config --libs keylane` says; with the archive by -l:libkeylane.a, or -static and
 * what `pkg-config --static --libs keylane` says. See keylane(3).
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
    KEYLANE_NULL = 1,      /* a pointer is null where something is needed */
    KEYLANE_ALIGN = 2,     /* a pointer is not aligned for its type */
    KEYLANE_LENGTH = 3,    /* a length is not one that there can be */
    KEYLANE_COUNT = 4,     /* a count is larger than memory */
    KEYLANE_OVERLAP = 5,   /* the place for the results overlaps the input */
    KEYLANE_STATE = 6,     /* the object is not initialised, or for the other width, or finished, or wiped */
    KEYLANE_ROUNDS = 7,    /* the rounds must be 1 to 255 */
    KEYLANE_BITS = 8,      /* the hash has no tags of that width */
    KEYLANE_ROWS = 9,      /* the bytes are not so many rows of that width */
    KEYLANE_OFFSETS = 10,  /* an offset is negative, below the one before it, or beyond the bytes */
    KEYLANE_MISMATCH = 11, /* the tag does not match */
    KEYLANE_SLOT = 12,     /* there is no such slot */
    KEYLANE_KERNEL = 13,   /* the slot has no such kernel */
    KEYLANE_CPU = 14,      /* the kernel does not run on this CPU */
    KEYLANE_SELFTEST = 15, /* a kernel has failed its self-test */
    KEYLANE_ENTRY = 16,    /* an entry of KEYLANE_KERNEL is not slot=kernel, or names a slot again */
    KEYLANE_UNICODE = 17,  /* a text is not UTF-8 */
    KEYLANE_RANDOM = 18    /* the system's source of random bytes failed */
} keylane_status;

/* What a status says: a constant text, for any number. */
const char *keylane_strerror(int status);

/* The version of the library, as KEYLANE_VERSION is that of the header. */
const char *keylane_version(void);

/* Fills `length` bytes with random ones, from the system: for keys. KEYLANE_RANDOM: they may be in part filled. */
keylane_status keylane_random(void *bytes, size_t length);

/* Overwrites `length` bytes with zeros, in a way the compiler may not leave out: for the caller's own keys. */
void keylane_wipe(void *bytes, size_t length);

/* A message somewhere in memory. The layout is that of POSIX' struct iovec on most systems. */
typedef struct keylane_message {
    const void *bytes;
    size_t length;
} keylane_message;

/* One tag of 128 bits in a batch. */
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

/* One message under a key, rounds in the name: for keys that serve once. x: tags of 128 bits. nocase: see below. */
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

/* A prepared key for c rounds a word and d at the end, 1 to 255 each, and tags of 64 or 128 bits. As fast as
 * rounds fixed at compile time for 1-1, 1-2, 1-3, 2-4 and 4-8, but for a branch.
 * KEYLANE_ROUNDS; KEYLANE_BITS. */
keylane_status keylane_siphash_init(keylane_siphash *h, unsigned int c, unsigned int d, unsigned int bits,
    const uint8_t key[16]);

/* Overwrites the key; null and an object without one are fine. */
void keylane_siphash_wipe(keylane_siphash *h);

/* The tag of one message. KEYLANE_STATE where the key was prepared for the other width, here and below. */
keylane_status keylane_siphash_hash64(const keylane_siphash *h, const void *message, size_t length, uint64_t *tag);
keylane_status keylane_siphash_hash128(const keylane_siphash *h, const void *message, size_t length, uint8_t tag[16]);

/* The same with ASCII capitals made small: each byte 'A' to 'Z' counts as 'a' to 'z', every other as itself. */
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

/* A message in pieces: `s` needs `h` no longer. `finish` gives the tag of the pieces so far, and more may follow.
 * A stream may be copied by assignment; every copy is wiped by itself. */
keylane_status keylane_siphash_stream_init(keylane_siphash_stream *s, const keylane_siphash *h);
keylane_status keylane_siphash_stream_update(keylane_siphash_stream *s, const void *piece, size_t length);
keylane_status keylane_siphash_stream_finish64(const keylane_siphash_stream *s, uint64_t *tag);
keylane_status keylane_siphash_stream_finish128(const keylane_siphash_stream *s, uint8_t tag[16]);
keylane_status keylane_siphash_stream_verify64(const keylane_siphash_stream *s, uint64_t tag);
keylane_status keylane_siphash_stream_verify128(const keylane_siphash_stream *s, const uint8_t tag[16]);
void keylane_siphash_stream_wipe(keylane_siphash_stream *s);

/* Many messages in one call, by the kernel of the slot siphash-xn. tags[i] is the tag of message i of `count`.
 * After an error no tag is written. Tags may not overlap the input: KEYLANE_OVERLAP.
 *
 * u32s, u64s   integers in this CPU's byte order, hashed as their little-endian bytes.
 * u128s        16 little-endian bytes each, one integer behind the other.
 * rows         `count` rows of `width` bytes, one behind the other, `length` bytes in all: else KEYLANE_ROWS.
 *              Width 0 is `count` empty messages.
 * offsets      message i is bytes[offsets[i]] to before bytes[offsets[i + 1]]: count + 1 offsets, as Arrow has
 *              them. The first may be above 0; none are needed for count 0. KEYLANE_OFFSETS if one is
 *              negative, below the one before it, or above `length`.
 * many         messages anywhere in memory, of any lengths.
 *
 * `nocase`: 0, or not 0 for ASCII capitals made small. */
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
keylane_status keylane_halfsiphash_hash64_many(const keylane_halfsiphash *h, const keylane_message *messages,
    int nocase, size_t count, uint64_t *tags);

/* ---- SipHash in other forms ---------------------------------------------------------------------------------- */

/* Linux' hsiphash on a 64-bit machine, the low 32 bits of SipHash-1-3, and on a 32-bit one, HalfSipHash-1-3. */
keylane_status keylane_hsiphash64(const uint8_t key[16], const void *message, size_t length, uint32_t *tag);
keylane_status keylane_hsiphash32(const uint8_t key[8], const void *message, size_t length, uint32_t *tag);

/* The DNS server cookie of RFC 9018, version 1: 16 bytes to send behind the client's 8. `timestamp` is in seconds
 * modulo 2^32. `client` is an address of 4 or 16 bytes in the order of the network: else KEYLANE_LENGTH. */
keylane_status keylane_dns_cookie(const uint8_t secret[16], const uint8_t client_cookie[8], uint32_t timestamp,
    const void *client, size_t client_length, uint8_t server_cookie[16]);

/* KEYLANE_OK if the cookie was made by keylane_dns_cookie, else KEYLANE_MISMATCH, in constant time. Whether its
 * timestamp (bytes 4 to 7, big-endian) is recent is the caller's to check (RFC 9018, section 4.3). */
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

/* A message in pieces. Aligned to 16 bytes, as malloc aligns on 64-bit systems. Never copy one that is in use: two
 * messages under one key give the key away. */
typedef struct KEYLANE_ALIGNED(16) keylane_poly1305 {
    uint64_t opaque[160];
} keylane_poly1305;

/* The tag of one message, which uses up the key. */
keylane_status keylane_poly1305_mac(const uint8_t key[32], const void *message, size_t length, uint8_t tag[16]);

/* KEYLANE_OK if `tag` is the tag of the message, KEYLANE_MISMATCH if not, in constant time. */
keylane_status keylane_poly1305_mac_verify(const uint8_t key[32], const void *message, size_t length,
    const uint8_t tag[16]);

/* Begins a message, which uses up the key; by `aes` with the key of Poly1305-AES for this nonce, by `rfc8439` with
 * that of ChaCha20-Poly1305. A nonce never comes twice under one key. */
keylane_status keylane_poly1305_init(keylane_poly1305 *p, const uint8_t key[32]);
keylane_status keylane_poly1305_init_aes(keylane_poly1305 *p, const uint8_t aes_key[16], const uint8_t r[16],
    const uint8_t nonce[16]);
keylane_status keylane_poly1305_init_rfc8439(keylane_poly1305 *p, const uint8_t key[32], const uint8_t nonce[12]);

keylane_status keylane_poly1305_update(keylane_poly1305 *p, const void *piece, size_t length);

/* The tag of all pieces, or whether `tag` is it: KEYLANE_MISMATCH if not, in constant time. Wipes the object. */
keylane_status keylane_poly1305_finish(keylane_poly1305 *p, uint8_t tag[16]);
keylane_status keylane_poly1305_finish_verify(keylane_poly1305 *p, const uint8_t tag[16]);

/* Gives a message up; null and an object without one are fine. */
void keylane_poly1305_wipe(keylane_poly1305 *p);

/* Many messages in one call, by the kernel of the slot poly1305-xn: 32 bytes of `keys` and 16 of `tags` for each, one
 * behind the other. */
keylane_status keylane_poly1305_macs(const uint8_t *keys, const keylane_message *messages, size_t count,
    uint8_t *tags);

/* good[i] is 1 if tag i is that of message i, else 0. KEYLANE_OK if all are good, KEYLANE_MISMATCH if one is not; after
 * any other answer `good` is as it was. Constant time. */
keylane_status keylane_poly1305_macs_verify(const uint8_t *keys, const keylane_message *messages, size_t count,
    const uint8_t *tags, uint8_t *good);

/* ---- Kernels -------------------------------------------------------------------------------------------------- */

/* The best kernel of each slot (a primitive and a shape of input) is chosen at its first use, among those that this
 * CPU can run and that give known answers. KEYLANE_KERNEL="slot=kernel,..." in the environment, read once at the
 * first choice, or keylane_force choose another one. */

typedef enum keylane_kernel_state {
    KEYLANE_KERNEL_ACTIVE = 0, /* its slot uses it */
    KEYLANE_KERNEL_READY = 1,  /* it gave the known answers; another one is active */
    KEYLANE_KERNEL_FAILED = 2, /* it gave a wrong answer and is not used */
    KEYLANE_KERNEL_ABSENT = 3  /* this CPU, or its operating system, lacks what it needs */
} keylane_kernel_state;

typedef struct keylane_kernel {
    char slot[24];     /* as siphash-xn */
    char id[48];       /* as siphash_x4_avx2 */
    char features[96]; /* of the CPU that it needs, with spaces between */
    char missing[96];  /* those of them that are not here */
    size_t lanes;      /* messages, or blocks of one message, at a time */
    int state;         /* a keylane_kernel_state */
} keylane_kernel;

/* Runs every kernel's self-test, which takes some milliseconds, writes the first `capacity` kernels, best first in
 * each slot, and to `count` how many there are. */
keylane_status keylane_kernels(keylane_kernel *kernels, size_t capacity, size_t *count);

/* Makes a kernel the one that its slot uses, in the whole process, from the next call on. KEYLANE_SLOT,
 * KEYLANE_KERNEL, KEYLANE_CPU, KEYLANE_SELFTEST: then nothing changes. */
keylane_status keylane_force(const char *slot, const char *kernel);

/* Whether every entry of KEYLANE_KERNEL can be followed. Otherwise the first fault as a status, and as a text in
 * `message`, which is cut to `size` bytes with the 0 at its end. */
keylane_status keylane_environment(char *message, size_t size);

/* Runs every kernel's self-test: KEYLANE_SELFTEST if one that can run here gives a wrong answer. */
keylane_status keylane_selftest(void);

/* ---- What the library takes for granted ----------------------------------------------------------------------- */

#define KEYLANE_ASSERT_SIZE(type, size) typedef char type##_has_its_size[sizeof(type) == (size) ? 1 : -1]
KEYLANE_ASSERT_SIZE(keylane_siphash, 64);
KEYLANE_ASSERT_SIZE(keylane_siphash_stream, 96);
KEYLANE_ASSERT_SIZE(keylane_halfsiphash, 48);
KEYLANE_ASSERT_SIZE(keylane_halfsiphash_stream, 80);
KEYLANE_ASSERT_SIZE(keylane_siphash13uj, 48);
KEYLANE_ASSERT_SIZE(keylane_poly1305, 1280);
KEYLANE_ASSERT_SIZE(keylane_tag128, 16);
KEYLANE_ASSERT_SIZE(keylane_message, sizeof(void *) + sizeof(size_t));
KEYLANE_ASSERT_SIZE(keylane_status, sizeof(int));
#undef KEYLANE_ASSERT_SIZE

#ifdef __cplusplus
}
#endif

#endif
