//! One packet.

use super::authenticator::{Authenticator, tag};
use crate::dispatch::table::{CHACHA20_PN, CHACHA20POLY1305_PN};
use crate::error::AeadError;
use crate::job::chacha20::{Key, Run, Seal, Stream, Text};
use crate::job::poly1305;
use crate::job::wipe::{Zero, wipe_table};
use crate::poly1305::Tag;

/// How many bytes are encrypted before they are authenticated, while they are in L1. A multiple of the
/// blocks that any kernel does at a time.
const PIECE: usize = 16 * 1024;

/// Encrypts a source into a destination of the same length, or the destination in place, and returns the tag.
pub fn seal(key: &Key, nonce: [u32; 3], aad: &[u8], source: Option<&[u8]>, destination: &mut [u8]) -> Tag {
    let len = destination.len();
    let stitched = CHACHA20POLY1305_PN.if_profitable(len);
    // The first of several calls is whole. It has also made the one-time key.
    let mut encrypted = match &stitched {
        Some(row) => (64 * row.lanes() - 64).min(len),
        None if len > PIECE => PIECE - 64,
        None => len,
    };
    let mut one_time = poly1305::Key::ZERO;
    let first = Text::at(source, 0, destination.get_mut(..encrypted).unwrap_or(&mut []));
    CHACHA20_PN
        .run(Stream { key, run: Run { nonce, counter: 0, one_time: Some(&mut one_time), text: first } });
    let mut tag = Authenticator::EMPTY;
    tag.begin(&one_time, aad);
    one_time.wipe();
    let mut absorbed = 0;
    if let Some(row) = stitched {
        let state = tag.state();
        let (encrypted, absorbed) = (&mut encrypted, &mut absorbed);
        row.run(Seal { key, nonce, source, destination, encrypted, absorbed, state });
    }
    tag.update(destination.get(absorbed..encrypted).unwrap_or(&[]));
    let (_, rest) = destination.split_at_mut_checked(encrypted).unwrap_or_default();
    for piece in rest.chunks_mut(PIECE) {
        let counter = (1 + encrypted / 64) as u32;
        let text = Text::at(source, encrypted, piece);
        CHACHA20_PN.run(Stream { key, run: Run { nonce, counter, one_time: None, text } });
        tag.update(piece);
        encrypted += piece.len();
    }
    tag.finish(aad.len(), len)
}

/// Takes every genuine packet.
#[inline(always)]
pub fn genuine(is_genuine: bool) -> Result<(), AeadError> {
    if is_genuine { Ok(()) } else { Err(AeadError::Forged) }
}

/// Decrypts a source into a destination of the same length, or the destination in place, if the tag is right.
///
/// The call that makes the one-time key costs the same for some blocks more. So it makes the first bytes of key stream
/// too, and they wait until the tag is known. `judge` gets whether it is right, and decides.
#[inline(always)]
pub fn open(
    key: &Key,
    nonce: [u32; 3],
    aad: &[u8],
    source: Option<&[u8]>,
    destination: &mut [u8],
    tag: &Tag,
    judge: impl FnOnce(bool) -> Result<(), AeadError>,
) -> Result<(), AeadError> {
    // With the one-time key: 4, 8 and 16 blocks.
    match destination.len() {
        0..=192 => open_with::<192>(key, nonce, aad, source, destination, tag, judge),
        193..=448 => open_with::<448>(key, nonce, aad, source, destination, tag, judge),
        _ => open_with::<960>(key, nonce, aad, source, destination, tag, judge),
    }
}

/// The same with up to N bytes of key stream waiting.
#[inline(never)]
fn open_with<const N: usize>(
    key: &Key,
    nonce: [u32; 3],
    aad: &[u8],
    source: Option<&[u8]>,
    destination: &mut [u8],
    given: &Tag,
    judge: impl FnOnce(bool) -> Result<(), AeadError>,
) -> Result<(), AeadError> {
    let mut waiting = [0; N];
    let mut one_time = poly1305::Key::ZERO;
    let first = destination.len().min(N);
    let stream = waiting.get_mut(..first).unwrap_or(&mut []);
    let place = Some(&mut one_time);
    CHACHA20_PN
        .run(Stream { key, run: Run { nonce, counter: 0, one_time: place, text: Text::in_place(stream) } });
    let is_genuine = tag(&one_time, aad, source.unwrap_or(destination)).is(given);
    one_time.wipe();
    let verdict = judge(is_genuine);
    if verdict.is_ok() {
        let (start, rest) = destination.split_at_mut_checked(first).unwrap_or_default();
        Text::at(source, 0, start).xor(&waiting);
        if !rest.is_empty() {
            let (counter, text) = ((1 + first / 64) as u32, Text::at(source, first, rest));
            CHACHA20_PN.run(Stream { key, run: Run { nonce, counter, one_time: None, text } });
        }
    }
    wipe_table(&mut waiting);
    verdict
}
