//! Poly1305 on big integers, exactly as in RFC 8439, section 2.5.
//!
//! # The maths
//!
//! Let p = 2^130 - 5. The key is 32 bytes r | s, two 128-bit numbers. r is
//! *clamped*: r &= 0x0ffffffc0ffffffc0ffffffc0fffffff.
//!
//! The message is cut into blocks of 16 bytes; the last block may be shorter.
//! A block of n bytes, read as a number b, counts as b + 2^(8 n): as if a
//! byte 01 followed it. Then, starting from h = 0,
//!
//! ```text
//! for each block:  h = (h + block) * r  mod p
//! tag = (h + s)  mod 2^128
//! ```
//!
//! A message of 0 bytes has no block; its tag is s.

use num_bigint::BigUint;

/// Poly1305: the tag of `message` under the one-time `key`, r | s.
///
/// Source: RFC 8439, section 2.5. Its section 2.5.2 works this example:
///
/// ```
/// let key = b"\x85\xd6\xbe\x78\x57\x55\x6d\x33\x7f\x44\x52\xfe\x42\xd5\x06\xa8\
///             \x01\x03\x80\x8a\xfb\x0d\xb2\xfd\x4a\xbf\xf6\xaf\x41\x49\xf5\x1b";
/// assert_eq!(
///     keylane_ref::poly1305(key, b"Cryptographic Forum Research Group"),
///     *b"\xa8\x06\x1d\xc1\x30\x51\x36\xc6\xc2\x2b\x8b\xaf\x0c\x01\x27\xa9",
/// );
/// ```
pub fn poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    poly1305_from(&[0; 24], key, message)
}

/// Poly1305 whose accumulator is `h` (little-endian) before the first block.
///
/// No protocol uses this. It lets a test reach carries that no message is
/// known to cause. `h` may be any number, even p or above.
///
/// Source: RFC 8439, section 2.5, except for the initial value. This answer
/// is from the tests of Go's crypto library: h = 7 * 2^128, s = 2^128 - 1, no
/// message. It is 4, since h mod p = 3 * 2^128 + 5:
///
/// ```
/// let mut h = [0; 24];
/// h[16] = 7;
/// let mut tag = [0; 16];
/// tag[0] = 4;
/// assert_eq!(keylane_ref::poly1305_from(&h, &[0xff; 32], b""), tag);
/// ```
pub fn poly1305_from(h: &[u8; 24], key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let one = BigUint::from(1u32);
    let p = (&one << 130) - 5u32;
    let clamp = BigUint::from(0x0ffffffc0ffffffc0ffffffc0fffffff_u128);
    let r = BigUint::from_bytes_le(&key[0..16]) & clamp;
    let s = BigUint::from_bytes_le(&key[16..32]);

    let mut h = BigUint::from_bytes_le(h);
    for bytes in message.chunks(16) {
        let block = BigUint::from_bytes_le(bytes) + (&one << (8 * bytes.len()));
        h = (h + block) * &r % &p;
    }
    h %= &p;

    let tag: BigUint = (h + s) % (&one << 128);
    let mut bytes = tag.to_bytes_le();
    bytes.resize(16, 0);
    bytes.try_into().expect("less than 2^128, so 16 bytes")
}
