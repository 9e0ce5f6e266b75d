//! What the self-tests hash and authenticate. Constants, because a first call must not need much stack.

/// The rounds that are tested: those with constants, and one without.
pub const ROUNDS: [[u8; 2]; 6] = [[1, 1], [1, 2], [1, 3], [2, 4], [4, 8], [3, 5]];

/// How many messages, and how many integers, a batch has: two full groups of the widest kernel, and a rest.
pub const MESSAGES: usize = 130;

/// Message i has `i % LENGTHS` bytes, which covers every tail and several tiles of words.
pub const LENGTHS: usize = 41;

/// Where the first message begins. The messages are stored back to back. The bytes before and after them let a kernel
/// read beyond both ends.
pub const FIRST: usize = 64;

/// The messages, with the bytes before and after them.
pub static BYTES: [u8; FIRST + 2481 + 8] = input();

/// Where message `i` begins, and message `i - 1` ends.
pub const fn stop(i: usize) -> usize {
    let (rounds, rest) = (i / LENGTHS, i % LENGTHS);
    FIRST + rounds * (LENGTHS * (LENGTHS - 1) / 2) + rest * rest.saturating_sub(1) / 2
}

/// Where the messages begin, and the last one ends.
pub static OFFSETS: [i64; MESSAGES + 1] = {
    let mut offsets = [0; MESSAGES + 1];
    let mut i = 0;
    while i <= MESSAGES {
        offsets[i] = stop(i) as i64;
        i += 1;
    }
    offsets
};

/// The message that takes the place of itself and the next one, which is then empty. So it is no short message.
pub const LONG_MESSAGE: usize = 38;

/// The same offsets, with the long message.
pub static OFFSETS_OF_LONG: [i64; MESSAGES + 1] = {
    let mut offsets = OFFSETS;
    offsets[LONG_MESSAGE + 1] = offsets[LONG_MESSAGE + 2];
    offsets
};

/// How many messages the batches of integers have.
pub const INTEGER_COUNTS: [usize; 7] = [3, 4, 8, 13, 16, 29, 64];

/// How many messages the small batches have: less than a group of 8, of 32 and of 64.
pub const SMALL: [usize; 3] = [7, 29, 61];

/// Short slice i begins `i * SHORT_STEP` bytes after `FIRST` and has `i % SHORT_LENGTHS` bytes.
pub const SHORT_STEP: usize = 17;
/// The number of different lengths.
pub const SHORT_LENGTHS: usize = 32;

/// Messages in separate slices, all of them short.
pub static SHORT_SLICES: [&[u8]; MESSAGES] = {
    let mut slices: [&[u8]; MESSAGES] = [&[]; MESSAGES];
    let mut i = 0;
    while i < MESSAGES {
        slices[i] = BYTES.split_at(FIRST + i * SHORT_STEP).1.split_at(i % SHORT_LENGTHS).0;
        i += 1;
    }
    slices
};

/// The messages in separate slices.
pub static SLICES: [&[u8]; MESSAGES] = {
    let mut slices: [&[u8]; MESSAGES] = [&[]; MESSAGES];
    let mut i = 0;
    while i < MESSAGES {
        slices[i] = BYTES.split_at(stop(i + 1)).0.split_at(stop(i)).1;
        i += 1;
    }
    slices
};

/// The integers of 16 and of 8 bytes.
pub static INTEGERS: ([u128; MESSAGES], [u64; MESSAGES]) = {
    let (mut u128s, mut u64s) = ([0; MESSAGES], [0; MESSAGES]);
    let mut i = 0;
    while i < MESSAGES {
        (u128s[i], u64s[i]) = (integer(i), integer(i) as u64);
        i += 1;
    }
    (u128s, u64s)
};

/// The width in bytes of each fixed-width message. The first one begins at the input's first byte.
pub const WIDTH: usize = 19;

/// How many jobs of a batch run under the first of `ROUNDS` only: they differ from the others only in their layout.
pub const ONCE: usize = 3;

/// How many Poly1305 messages there are of each text, for kernels that take one message at a time. Message i has the
/// text's first i bytes, under key `i % MACS`.
pub const SHORT_MACS: usize = 65;

/// How many Poly1305 messages a batch has: one group of eight and one more.
pub const MACS_OF_MANY: usize = 9;

/// The batches `[first, step]` of each text: message i has `first + step * i` bytes from byte i on, under key `i %
/// MACS`. The second and the last cover every tail, in messages that are long enough for lanes.
pub const BATCHES: [[usize; 2]; 5] = [[0, 21], [450, 49], [576, 0], [61, 0], [459, 65]];

/// How many Poly1305 keys there are. Key i is the 32 bytes of the input that begin at byte i.
pub const MACS: usize = 7;

/// The lengths of the messages for kernels that take many blocks at a time. They cover one group of blocks, two groups,
/// and as many as each method takes at a time and more. The lengths from 256 on cover every tail.
pub const LENGTHS_PN: [usize; 19] =
    [15, 125, 250, 771, 1500, 2048, 4500, LONGEST_MAC, 401, 434, 485, 518, 551, 584, 619, 654, 266, 381, 271];

/// The length of the longest of them.
pub const LONGEST_MAC: usize = 9001;

/// The texts of the Poly1305 messages: all bits set, for the most carries, and blocks that all differ, so that a wrong
/// order gives another tag. They are statics because they are too large for the stack of a first call.
pub static TEXTS: [[u8; LONGEST_MAC]; 2] = [[0xff; LONGEST_MAC], different_blocks()];

/// How many packets a batch of `poly1305-parts` has: two groups of eight and one more.
pub const PACKETS_OF_MANY: usize = 17;

/// The batches `[aad, first, step]` of each text: packet i has `aad * i % 67` bytes of AAD and `first + step * i` bytes of
/// text, both from byte i on, under key `i % MACS`. The last has messages of more than the other groups.
pub const PACKETS: [[usize; 3]; 6] =
    [[0, 0, 13], [13, 64, 0], [5, 100, 29], [16, 600, 61], [66, 190, 3], [1, 1500, 97]];

/// How many runs `chacha20-pn` does. Run i has `i * STREAM_STEP` bytes. So there is every tail, and every number of blocks
/// up to two calls of the widest kernel and more.
pub const STREAMS: usize = 70;
/// How many bytes more than the previous run each has.
pub const STREAM_STEP: usize = 31;

/// How many runs `chacha20-xn` does in a call. Run i has `i * SMALL_STREAM_STEP` bytes, and lies behind the previous one.
/// So runs begin in many lanes.
pub const SMALL_STREAMS: usize = 16;
/// How many bytes more than the previous run each has.
pub const SMALL_STREAM_STEP: usize = 23;

/// How many bytes all runs of `chacha20-xn` have: more than the longest of `chacha20-pn`. The text is the beginning of
/// `TEXTS[1]`.
pub const STREAM_BYTES: usize = SMALL_STREAM_STEP * (SMALL_STREAMS * (SMALL_STREAMS - 1) / 2);

/// How many bytes of a packet of `chacha20poly1305-pn` are encrypted before.
pub const SEALED_BEFORE: usize = 448;
/// How many of them are absorbed before.
pub const ABSORBED_BEFORE: usize = 16;
/// How many bytes are encrypted in the end: four calls of eight blocks more.
pub const SEALED_BYTES: usize = SEALED_BEFORE + 4 * 512;

/// The nonce of run `i`.
pub const fn stream_nonce(i: usize) -> [u32; 3] {
    [i as u32, 0x0102_0304, 0x0506_0708]
}

/// Bytes that do not repeat.
pub const fn different_blocks<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = (mix(2, (i / 8) as u64) >> (8 * (i % 8))) as u8;
        i += 1;
    }
    bytes
}

/// The input: all kinds of bytes, with letters of both cases among them.
pub const fn input<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = (i as u8).wrapping_mul(0x3d).wrapping_add(0x41);
        i += 1;
    }
    bytes
}

/// Integer `i` of a batch.
pub const fn integer(i: usize) -> u128 {
    mix(0, i as u64) as u128 | (mix(1, i as u64) as u128) << 64
}

/// Adds a number to a checksum that depends on the order.
pub const fn mix(sum: u64, x: u64) -> u64 {
    (sum.rotate_left(7) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
