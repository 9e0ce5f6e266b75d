//! SipHash-c-d, 64 and 128 bits; the case fold; SipHash-1-3-UJ.
//!
//! # The maths
//!
//! The state is four 64-bit words v0, v1, v2, v3. One round is
//!
//! ```text
//! v0 += v1        v2 += v3
//! v1 <<<= 13      v3 <<<= 16
//! v1 ^= v0        v3 ^= v2
//! v0 <<<= 32
//! v2 += v1        v0 += v3
//! v1 <<<= 17      v3 <<<= 21
//! v1 ^= v2        v3 ^= v0
//! v2 <<<= 32
//! ```
//!
//! 1. Start. The key is two words k0, k1. v0 = k0 ^ "somepseu",
//!    v1 = k1 ^ "dorandom", v2 = k0 ^ "lygenera", v3 = k1 ^ "tedbytes". These
//!    strings are ASCII, here and only here read big-endian. For a 128-bit tag
//!    also v1 ^= 0xee.
//! 2. Words. A message of n bytes becomes floor(n / 8) + 1 words. Zero bytes
//!    fill the last word up to its last byte, which is n mod 256. For each word
//!    m: v3 ^= m, then c rounds, then v0 ^= m.
//! 3. Finish, 64 bits: v2 ^= 0xff, d rounds, tag = v0 ^ v1 ^ v2 ^ v3.
//!    128 bits: v2 ^= 0xee, d rounds, low half v0 ^ v1 ^ v2 ^ v3; then
//!    v1 ^= 0xdd, d more rounds, high half v0 ^ v1 ^ v2 ^ v3.

/// The four words v0, v1, v2, v3.
struct State {
    v: [u64; 4],
}

impl State {
    /// Step 1 for a 64-bit tag.
    fn new(key: &[u8; 16]) -> State {
        let k0 = word(&key[0..8]);
        let k1 = word(&key[8..16]);
        State {
            v: [
                k0 ^ u64::from_be_bytes(*b"somepseu"),
                k1 ^ u64::from_be_bytes(*b"dorandom"),
                k0 ^ u64::from_be_bytes(*b"lygenera"),
                k1 ^ u64::from_be_bytes(*b"tedbytes"),
            ],
        }
    }

    /// The round, `count` times.
    fn rounds(&mut self, count: u32) {
        let [mut v0, mut v1, mut v2, mut v3] = self.v;
        for _ in 0..count {
            v0 = v0.wrapping_add(v1);
            v1 = v1.rotate_left(13);
            v1 ^= v0;
            v0 = v0.rotate_left(32);

            v2 = v2.wrapping_add(v3);
            v3 = v3.rotate_left(16);
            v3 ^= v2;

            v0 = v0.wrapping_add(v3);
            v3 = v3.rotate_left(21);
            v3 ^= v0;

            v2 = v2.wrapping_add(v1);
            v1 = v1.rotate_left(17);
            v1 ^= v2;
            v2 = v2.rotate_left(32);
        }
        self.v = [v0, v1, v2, v3];
    }

    /// Step 2 for one word.
    fn absorb(&mut self, c: u32, m: u64) {
        self.v[3] ^= m;
        self.rounds(c);
        self.v[0] ^= m;
    }

    /// Step 2 for a whole message.
    fn absorb_message(&mut self, c: u32, message: &[u8]) {
        let (words, rest) = message.as_chunks::<8>();
        for bytes in words {
            self.absorb(c, word(bytes));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        last[7] = (message.len() % 256) as u8;
        self.absorb(c, word(&last));
    }

    /// v0 ^ v1 ^ v2 ^ v3.
    fn xor_words(&self) -> u64 {
        self.v[0] ^ self.v[1] ^ self.v[2] ^ self.v[3]
    }
}

/// Eight bytes as a little-endian word.
fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
}

/// SipHash-c-d with a 64-bit tag: `c` rounds per word, `d` at the end.
///
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012,
/// section 2. Its appendix A works this example:
///
/// ```
/// let key: [u8; 16] = core::array::from_fn(|i| i as u8); // 00 01 .. 0f
/// let message: [u8; 15] = core::array::from_fn(|i| i as u8); // 00 01 .. 0e
/// assert_eq!(keylane_ref::siphash64(2, 4, &key, &message), 0xa129ca6149be45e5);
/// ```
pub fn siphash64(c: u32, d: u32, key: &[u8; 16], message: &[u8]) -> u64 {
    let mut state = State::new(key);
    state.absorb_message(c, message);
    state.v[2] ^= 0xff;
    state.rounds(d);
    state.xor_words()
}

/// SipHash-c-d with a 128-bit tag; `to_le_bytes()` is the reference's output.
///
/// This is not the 64-bit tag extended: the initial state differs too.
///
/// Source: the designers' reference code (the paper has 64 bits only). Its
/// table of answers begins with the empty message:
///
/// ```
/// let key: [u8; 16] = core::array::from_fn(|i| i as u8); // 00 01 .. 0f
/// assert_eq!(
///     keylane_ref::siphash128(2, 4, &key, b"").to_le_bytes(),
///     *b"\xa3\x81\x7f\x04\xba\x25\xa8\xe6\x6d\xf6\x72\x14\xc7\x55\x02\x93",
/// );
/// ```
pub fn siphash128(c: u32, d: u32, key: &[u8; 16], message: &[u8]) -> u128 {
    let mut state = State::new(key);
    state.v[1] ^= 0xee;
    state.absorb_message(c, message);
    state.v[2] ^= 0xee;
    state.rounds(d);
    let low = state.xor_words();
    state.v[1] ^= 0xdd;
    state.rounds(d);
    let high = state.xor_words();
    u128::from(high) << 64 | u128::from(low)
}

/// The ASCII case fold: bytes `A`..=`Z` plus 0x20, all other bytes unchanged.
///
/// No locale and no Unicode: bytes from 0x80 on stay as they are. Redis'
/// `siphash_nocase(m)` is `siphash64(1, 2, key, &fold(m))`.
///
/// Source: Redis, `src/siphash.c`, whose own test requires this:
///
/// ```
/// use keylane_ref::{fold, siphash64};
/// assert_eq!(fold(b"HELLO world"), b"hello world");
/// let hash = |message: &[u8]| siphash64(1, 2, b"1234567812345678", message);
/// assert_eq!(hash(&fold(b"HELLO world")), hash(b"hello world"));
/// assert_ne!(hash(b"HELLO world"), hash(b"hello world"));
/// ```
pub fn fold(message: &[u8]) -> Vec<u8> {
    let mut folded = Vec::new();
    for &byte in message {
        match byte {
            b'A'..=b'Z' => folded.push(byte + 0x20),
            _ => folded.push(byte),
        }
    }
    folded
}

/// One block of input to [`siphash13_uj`].
///
/// Source: SipHash-1-3-UJ of Bitcoin Core 32.
pub enum UjBlock {
    /// Eight bytes as a little-endian word, absorbed as SipHash absorbs words.
    Word(u64),
    /// 32 bytes at once. They must be the output of a cryptographic hash:
    /// one round is too little to mix bytes that an attacker may choose.
    Jumbo([u8; 32]),
}

/// SipHash-1-3-UJ: a sequence of blocks, without padding and length byte.
///
/// The initial state is that of SipHash with a 64-bit tag. A word block m is
/// v3 ^= m, one round, v0 ^= m. A jumbo block is four little-endian words d0,
/// d1, d2, d3. One round absorbs all of them, so a jumbo block is not four
/// word blocks:
///
/// ```text
/// before the round   v3 ^= d0   v0 ^= d1   v1 ^= d2   v2 ^= d3
/// after it           v0 ^= d0   v1 ^= d1   v2 ^= d2   v3 ^= d3
/// ```
///
/// Finish: v2 ^= "unpadded" (ASCII, little-endian), three rounds,
/// tag = v0 ^ v1 ^ v2 ^ v3.
///
/// Source: SipHash-1-3-UJ of Bitcoin Core 32, whose test data
/// (`src/test/data/siphash.json`) has this answer:
///
/// ```
/// use keylane_ref::{UjBlock, siphash13_uj};
/// let key: [u8; 16] = core::array::from_fn(|i| i as u8); // 00 01 .. 0f
/// let jumbo: [u8; 32] = core::array::from_fn(|i| i as u8); // 00 01 .. 1f
/// assert_eq!(siphash13_uj(&key, &[UjBlock::Jumbo(jumbo)]), 0xc67d87b08ca4b5c6);
/// ```
pub fn siphash13_uj(key: &[u8; 16], blocks: &[UjBlock]) -> u64 {
    let mut state = State::new(key);
    for block in blocks {
        match block {
            UjBlock::Word(m) => state.absorb(1, *m),
            UjBlock::Jumbo(bytes) => {
                let d0 = word(&bytes[0..8]);
                let d1 = word(&bytes[8..16]);
                let d2 = word(&bytes[16..24]);
                let d3 = word(&bytes[24..32]);
                state.v[3] ^= d0;
                state.v[0] ^= d1;
                state.v[1] ^= d2;
                state.v[2] ^= d3;
                state.rounds(1);
                state.v[0] ^= d0;
                state.v[1] ^= d1;
                state.v[2] ^= d2;
                state.v[3] ^= d3;
            }
        }
    }
    state.v[2] ^= u64::from_le_bytes(*b"unpadded");
    state.rounds(3);
    state.xor_words()
}
