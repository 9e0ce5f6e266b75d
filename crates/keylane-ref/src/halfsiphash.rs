//! HalfSipHash-c-d: SipHash's smaller relative on 32-bit words.
//!
//! # The maths
//!
//! The state is four 32-bit words v0, v1, v2, v3. One round is
//!
//! ```text
//! v0 += v1        v2 += v3
//! v1 <<<= 5       v3 <<<= 8
//! v1 ^= v0        v3 ^= v2
//! v0 <<<= 16
//! v2 += v1        v0 += v3
//! v1 <<<= 13      v3 <<<= 7
//! v1 ^= v2        v3 ^= v0
//! v2 <<<= 16
//! ```
//!
//! 1. Start. The key is two words k0, k1. v0 = k0, v1 = k1,
//!    v2 = k0 ^ "lyge", v3 = k1 ^ "tedb". These strings are ASCII, here and
//!    only here read big-endian. For a 64-bit tag also v1 ^= 0xee.
//! 2. Words. A message of n bytes becomes floor(n / 4) + 1 words. Zero bytes
//!    fill the last word up to its last byte, which is n mod 256. For each word
//!    m: v3 ^= m, then c rounds, then v0 ^= m.
//! 3. Finish, 32 bits: v2 ^= 0xff, d rounds, tag = v1 ^ v3.
//!    64 bits: v2 ^= 0xee, d rounds, low half v1 ^ v3; then v1 ^= 0xdd,
//!    d more rounds, high half v1 ^ v3.

/// The four words v0, v1, v2, v3.
struct State {
    v: [u32; 4],
}

impl State {
    /// Step 1 for a 32-bit tag.
    fn new(key: &[u8; 8]) -> State {
        let k0 = word(&key[0..4]);
        let k1 = word(&key[4..8]);
        State { v: [k0, k1, k0 ^ u32::from_be_bytes(*b"lyge"), k1 ^ u32::from_be_bytes(*b"tedb")] }
    }

    /// The round, `count` times.
    fn rounds(&mut self, count: u32) {
        let [mut v0, mut v1, mut v2, mut v3] = self.v;
        for _ in 0..count {
            v0 = v0.wrapping_add(v1);
            v1 = v1.rotate_left(5);
            v1 ^= v0;
            v0 = v0.rotate_left(16);

            v2 = v2.wrapping_add(v3);
            v3 = v3.rotate_left(8);
            v3 ^= v2;

            v0 = v0.wrapping_add(v3);
            v3 = v3.rotate_left(7);
            v3 ^= v0;

            v2 = v2.wrapping_add(v1);
            v1 = v1.rotate_left(13);
            v1 ^= v2;
            v2 = v2.rotate_left(16);
        }
        self.v = [v0, v1, v2, v3];
    }

    /// Step 2 for a whole message.
    fn absorb_message(&mut self, c: u32, message: &[u8]) {
        let mut padded = message.to_vec();
        while padded.len() % 4 != 3 {
            padded.push(0);
        }
        padded.push((message.len() % 256) as u8);
        for bytes in padded.chunks(4) {
            let m = word(bytes);
            self.v[3] ^= m;
            self.rounds(c);
            self.v[0] ^= m;
        }
    }

    /// v1 ^ v3.
    fn xor_words(&self) -> u32 {
        self.v[1] ^ self.v[3]
    }
}

/// Four bytes as a little-endian word.
fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("4 bytes"))
}

/// HalfSipHash-c-d with a 32-bit tag: `c` rounds per word, `d` at the end.
///
/// For hash tables only: 32 bits authenticate nothing.
///
/// Source: the designers' reference code. Linux describes use and limits in
/// `Documentation/security/siphash.rst`. The reference's table of answers
/// begins with the empty message:
///
/// ```
/// let key: [u8; 8] = core::array::from_fn(|i| i as u8); // 00 01 .. 07
/// assert_eq!(
///     keylane_ref::halfsiphash32(2, 4, &key, b"").to_le_bytes(),
///     *b"\xa9\x35\x9f\x5b",
/// );
/// ```
pub fn halfsiphash32(c: u32, d: u32, key: &[u8; 8], message: &[u8]) -> u32 {
    let mut state = State::new(key);
    state.absorb_message(c, message);
    state.v[2] ^= 0xff;
    state.rounds(d);
    state.xor_words()
}

/// HalfSipHash-c-d with a 64-bit tag; `to_le_bytes()` is the reference's
/// output.
///
/// This is not the 32-bit tag extended: the initial state differs too.
///
/// Source: the designers' reference code. Its table of answers begins with
/// the empty message:
///
/// ```
/// let key: [u8; 8] = core::array::from_fn(|i| i as u8); // 00 01 .. 07
/// assert_eq!(
///     keylane_ref::halfsiphash64(2, 4, &key, b"").to_le_bytes(),
///     *b"\x21\x8d\x1f\x59\xb9\xb8\x3c\xc8",
/// );
/// ```
pub fn halfsiphash64(c: u32, d: u32, key: &[u8; 8], message: &[u8]) -> u64 {
    let mut state = State::new(key);
    state.v[1] ^= 0xee;
    state.absorb_message(c, message);
    state.v[2] ^= 0xee;
    state.rounds(d);
    let low = state.xor_words();
    state.v[1] ^= 0xdd;
    state.rounds(d);
    let high = state.xor_words();
    u64::from(high) << 32 | u64::from(low)
}
