//! What kernels are compared with, written from the publications: [SipHash] for SipHash and HalfSipHash, [RFC 8439] for
//! ChaCha20, and its draft for HChaCha20. It runs on numbers, where published answers check it, and on terms.
//!
//! [SipHash]: https://www.aumasson.jp/siphash/siphash.pdf
//! [RFC 8439]: https://www.rfc-editor.org/rfc/rfc8439

use super::word::Symbol;
use keylane::job::siphash::Word as _;

/// A word: a number or a term.
pub trait Scalar: Copy {
    /// Its width.
    const BITS: u32;
    /// A number of at most that width.
    fn number(x: u64) -> Self;
    /// Sum modulo 2^BITS.
    fn add(self, other: Self) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Rotation to the left.
    fn rotl(self, bits: u32) -> Self;
    /// A word from at most as many bytes, least significant first, each after the case fold if `fold`.
    fn of_bytes(bytes: &[u8], fold: bool) -> Self;
}

macro_rules! scalar {
    ($int:ty, $bits:literal) => {
        impl Scalar for $int {
            const BITS: u32 = $bits;

            fn number(x: u64) -> Self {
                x.try_into().expect("a number of this width")
            }

            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            fn rotl(self, bits: u32) -> Self {
                self.rotate_left(bits)
            }

            fn of_bytes(bytes: &[u8], fold: bool) -> Self {
                let byte = |&byte: &u8| if fold { byte.to_ascii_lowercase() } else { byte };
                bytes.iter().map(byte).rev().fold(0, |word, byte| word << 8 | Self::from(byte))
            }
        }

        impl Scalar for Symbol<$bits> {
            const BITS: u32 = $bits;

            fn number(x: u64) -> Self {
                Symbol::number(x)
            }

            fn add(self, other: Self) -> Self {
                self.plus(other)
            }

            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            fn rotl(self, bits: u32) -> Self {
                self.rotate(bits)
            }

            fn of_bytes(bytes: &[u8], fold: bool) -> Self {
                let labels = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
                let word = Symbol::of_labels(labels);
                if fold { word.fold() } else { word }
            }
        }
    };
}
scalar!(u64, 64);
scalar!(u32, 32);

/// What differs between SipHash and HalfSipHash.
struct Family {
    /// What is xored with k0, k1, k0, k1.
    initial: [u64; 4],
    /// The rotations of v1, v3, v3 and v1.
    rotations: [u32; 4],
}

fn family(bits: u32) -> Family {
    if bits == 64 {
        Family {
            initial: [0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261, 0x7465646279746573],
            rotations: [13, 16, 21, 17],
        }
    } else {
        Family { initial: [0, 0, 0x6c796765, 0x74656462], rotations: [5, 8, 7, 13] }
    }
}

/// The round of the paper's listing, `count` times.
pub fn rounds<S: Scalar>([mut v0, mut v1, mut v2, mut v3]: [S; 4], count: u32) -> [S; 4] {
    let [a, b, c, d] = family(S::BITS).rotations;
    for _ in 0..count {
        v0 = v0.add(v1);
        v1 = v1.rotl(a);
        v1 = v1.xor(v0);
        v0 = v0.rotl(S::BITS / 2);
        v2 = v2.add(v3);
        v3 = v3.rotl(b);
        v3 = v3.xor(v2);
        v0 = v0.add(v3);
        v3 = v3.rotl(c);
        v3 = v3.xor(v0);
        v2 = v2.add(v1);
        v1 = v1.rotl(d);
        v1 = v1.xor(v2);
        v2 = v2.rotl(S::BITS / 2);
    }
    [v0, v1, v2, v3]
}

/// `v3 ^= m`, c rounds, `v0 ^= m`.
pub fn absorb<S: Scalar>(mut v: [S; 4], c: u32, m: S) -> [S; 4] {
    v[3] = v[3].xor(m);
    v = rounds(v, c);
    v[0] = v[0].xor(m);
    v
}

/// SipHash-c-d of a message; HalfSipHash if the words have 32 bits. A single tag is the first word; a double tag has both.
pub fn siphash<S: Scalar>(
    [k0, k1]: [S; 2],
    [c, d]: [u32; 2],
    double: bool,
    fold: bool,
    message: &[u8],
) -> [S; 2] {
    let size = S::BITS as usize / 8;
    let [i0, i1, i2, i3] = family(S::BITS).initial.map(S::number);
    let mut v = [k0.xor(i0), k1.xor(i1), k0.xor(i2), k1.xor(i3)];
    if double {
        v[1] = v[1].xor(S::number(0xee));
    }
    let (words, rest) = message.split_at(message.len() / size * size);
    for word in words.chunks(size) {
        v = absorb(v, c, S::of_bytes(word, fold));
    }
    let length = S::number((message.len() as u64 % 256) << (S::BITS - 8));
    v = absorb(v, c, S::of_bytes(rest, fold).xor(length));
    v[2] = v[2].xor(S::number(if double { 0xee } else { 0xff }));
    v = rounds(v, d);
    let first = output(v);
    if !double {
        return [first, S::number(0)];
    }
    v[1] = v[1].xor(S::number(0xdd));
    [first, output(rounds(v, d))]
}

fn output<S: Scalar>([v0, v1, v2, v3]: [S; 4]) -> S {
    if S::BITS == 64 { v0.xor(v1).xor(v2).xor(v3) } else { v1.xor(v3) }
}

/// The quarter round on words a, b, c and d (RFC 8439, section 2.1).
fn quarter_round<S: Scalar>(v: &mut [S; 16], [a, b, c, d]: [usize; 4]) {
    for (bits, [x, y, z]) in [(16, [a, b, d]), (12, [c, d, b]), (8, [a, b, d]), (7, [c, d, b])] {
        v[x] = v[x].add(v[y]);
        v[z] = v[z].xor(v[x]).rotl(bits);
    }
}

/// The input of a block (section 2.3): constants, key, and four words that are the counter and the nonce.
fn input<S: Scalar>(key: [S; 8], last: [S; 4]) -> [S; 16] {
    let constants = *b"expand 32-byte k";
    std::array::from_fn(|i| match i {
        0..4 => S::number(u32::of_bytes(&constants[4 * i..4 * i + 4], false).into()),
        4..12 => key[i - 4],
        _ => last[i - 12],
    })
}

/// The twenty rounds.
fn twenty_rounds<S: Scalar>(mut v: [S; 16]) -> [S; 16] {
    for _ in 0..10 {
        for column in 0..4 {
            quarter_round(&mut v, [column, column + 4, column + 8, column + 12]);
        }
        for i in 0..4 {
            quarter_round(&mut v, [i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4]);
        }
    }
    v
}

/// A block of key stream (section 2.3), as words.
pub fn chacha20<S: Scalar>(key: [S; 8], counter: S, [n0, n1, n2]: [S; 3]) -> [S; 16] {
    let start = input(key, [counter, n0, n1, n2]);
    let end = twenty_rounds(start);
    std::array::from_fn(|i| end[i].add(start[i]))
}

/// The key of XChaCha20 messages whose nonces begin with these words (draft-irtf-cfrg-xchacha-03, section 2.2).
pub fn hchacha20<S: Scalar>(key: [S; 8], nonce: [S; 4]) -> [S; 8] {
    let [v0, v1, v2, v3, .., v12, v13, v14, v15] = twenty_rounds(input(key, nonce));
    [v0, v1, v2, v3, v12, v13, v14, v15]
}
