//! ChaCha20 and the AEADs built on it, exactly as in RFC 8439.
//!
//! # The maths
//!
//! The state is 16 words of 32 bits. At first these are four constants, the
//! key (8 words), the block's number, and the nonce (3 words). A quarter
//! round changes four of them:
//!
//! ```text
//! a += b    d ^= a    d <<<= 16
//! c += d    b ^= c    b <<<= 12
//! a += b    d ^= a    d <<<= 8
//! c += d    b ^= c    b <<<= 7
//! ```
//!
//! A double round is a quarter round on each column of the state, read as
//! rows of four words, and then on each diagonal. The block is the state
//! after ten double rounds plus the state before them.

use crate::poly1305;

/// The words of some bytes.
fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
    let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    words.try_into().expect("4 N bytes")
}

/// The bytes of some words.
fn bytes<const N: usize>(words: &[u32]) -> [u8; N] {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.try_into().expect("N / 4 words")
}

/// The state at first, with the last four words given.
fn first_state(key: &[u8; 32], last: [u32; 4]) -> [u32; 16] {
    let mut state = [0; 16];
    state[..4].copy_from_slice(&words::<4>(b"expand 32-byte k"));
    state[4..12].copy_from_slice(&words::<8>(key));
    state[12..].copy_from_slice(&last);
    state
}

fn quarter_round(state: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    for (a, b, d, bits) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        state[a] = state[a].wrapping_add(state[b]);
        state[d] = (state[d] ^ state[a]).rotate_left(bits);
    }
}

fn ten_double_rounds(mut state: [u32; 16]) -> [u32; 16] {
    for _ in 0..10 {
        quarter_round(&mut state, 0, 4, 8, 12);
        quarter_round(&mut state, 1, 5, 9, 13);
        quarter_round(&mut state, 2, 6, 10, 14);
        quarter_round(&mut state, 3, 7, 11, 15);
        quarter_round(&mut state, 0, 5, 10, 15);
        quarter_round(&mut state, 1, 6, 11, 12);
        quarter_round(&mut state, 2, 7, 8, 13);
        quarter_round(&mut state, 3, 4, 9, 14);
    }
    state
}

/// A block of ChaCha20's key stream.
///
/// Source: RFC 8439, section 2.3. Its section 2.3.2 works this example:
///
/// ```
/// let key: [u8; 32] = std::array::from_fn(|i| i as u8);
/// let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
/// assert_eq!(keylane_ref::chacha20_block(&key, 1, &nonce)[..4], [0x10, 0xf1, 0xe7, 0xe4]);
/// ```
pub fn chacha20_block(key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> [u8; 64] {
    let [n0, n1, n2] = words(nonce);
    let first = first_state(key, [counter, n0, n1, n2]);
    let last = ten_double_rounds(first);
    let sums: Vec<u32> = first.iter().zip(last).map(|(a, b)| a.wrapping_add(b)).collect();
    bytes(&sums)
}

/// ChaCha20: `text` XOR the key stream from block `counter` on. It encrypts
/// and decrypts.
///
/// Source: RFC 8439, section 2.4.
pub fn chacha20(key: &[u8; 32], counter: u32, nonce: &[u8; 12], text: &[u8]) -> Vec<u8> {
    let block = |i: usize| chacha20_block(key, counter.wrapping_add(i as u32), nonce);
    let stream = (0..text.len().div_ceil(64)).flat_map(block);
    text.iter().zip(stream).map(|(a, b)| a ^ b).collect()
}

/// HChaCha20: the key of XChaCha20 for nonces that begin with these bytes.
/// It is the first and the last row of the state after the rounds.
///
/// Source: draft-irtf-cfrg-xchacha-03, section 2.2. Its section 2.2.1 works
/// this example:
///
/// ```
/// let key: [u8; 32] = std::array::from_fn(|i| i as u8);
/// let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0, 0x31, 0x41, 0x59, 0x27];
/// let subkey = keylane_ref::hchacha20(&key, &nonce);
/// assert_eq!(subkey[..8], [0x82, 0x41, 0x3b, 0x42, 0x27, 0xb2, 0x7b, 0xfe]);
/// ```
pub fn hchacha20(key: &[u8; 32], nonce: &[u8; 16]) -> [u8; 32] {
    let state = ten_double_rounds(first_state(key, words(nonce)));
    bytes(&[&state[..4], &state[12..]].concat())
}

/// The tag of AAD and ciphertext: Poly1305 under the first 32 bytes of block
/// 0, of both, each padded with zeros to a multiple of 16 bytes, and of their
/// lengths.
///
/// Source: RFC 8439, sections 2.6 and 2.8.
pub fn chacha20_poly1305_tag(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], ciphertext: &[u8]) -> [u8; 16] {
    let one_time = chacha20_block(key, 0, nonce);
    let mut message = Vec::new();
    for part in [aad, ciphertext] {
        message.extend(part);
        message.resize(message.len().next_multiple_of(16), 0);
    }
    message.extend((aad.len() as u64).to_le_bytes());
    message.extend((ciphertext.len() as u64).to_le_bytes());
    poly1305(one_time[..32].try_into().expect("32 bytes"), &message)
}

/// ChaCha20-Poly1305: ciphertext and tag.
///
/// Source: RFC 8439, section 2.8. Its section 2.8.2 works this example:
///
/// ```
/// let key: [u8; 32] = std::array::from_fn(|i| 0x80 + i as u8);
/// let nonce = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47];
/// let aad = b"\x50\x51\x52\x53\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7";
/// let text = b"Ladies and Gentlemen of the class of '99: If I could offer you \
///              only one tip for the future, sunscreen would be it.";
/// let (ciphertext, tag) = keylane_ref::chacha20_poly1305(&key, &nonce, aad, text);
/// assert_eq!(ciphertext[..4], [0xd3, 0x1a, 0x8d, 0x34]);
/// assert_eq!(tag[..4], [0x1a, 0xe1, 0x0b, 0x59]);
/// ```
pub fn chacha20_poly1305(
    key: &[u8; 32],
    nonce: &[u8; 12],
    aad: &[u8],
    plaintext: &[u8],
) -> (Vec<u8>, [u8; 16]) {
    let ciphertext = chacha20(key, 1, nonce, plaintext);
    let tag = chacha20_poly1305_tag(key, nonce, aad, &ciphertext);
    (ciphertext, tag)
}

/// The key and the nonce of ChaCha20-Poly1305 that XChaCha20-Poly1305 uses:
/// the subkey of the first 16 bytes of the nonce, and zeros with its last 8.
///
/// Source: draft-irtf-cfrg-xchacha-03, section 2.3.
pub fn xchacha20_inner(key: &[u8; 32], nonce: &[u8; 24]) -> ([u8; 32], [u8; 12]) {
    let (start, end) = nonce.split_at(16);
    let mut inner = [0; 12];
    inner[4..].copy_from_slice(end);
    (hchacha20(key, start.try_into().expect("16 bytes")), inner)
}
