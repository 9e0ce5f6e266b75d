//! Packets, sealed and opened in memory of their own, where other threads may run Python.

use crate::error;
use keylane::aead::{AeadError, Cipher, Packet, TAG_BYTES, Tag};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

/// This many packets are copied, sealed or opened, and left before the next ones, so that they stay in the cache.
pub const BLOCK: usize = 64;

/// A packet that came from Python: its nonce, its associated data, and its data.
pub type Given<'a, const NONCE: usize> = ([u8; NONCE], &'a [u8], &'a [u8]);

/// The bytes of a nonce.
pub fn nonce_of<const NONCE: usize>(nonce: &[u8]) -> PyResult<[u8; NONCE]> {
    let wrong = |_| PyValueError::new_err(format!("a nonce here has {NONCE} bytes, not {}", nonce.len()));
    nonce.try_into().map_err(wrong)
}

/// Makes room for more packets. One long object may be in a list many times.
fn reserve<T>(places: &mut Vec<T>, more: usize) -> PyResult<()> {
    places.try_reserve_exact(more).map_err(|_| PyMemoryError::new_err("no memory for a copy of the packets"))
}

fn sum(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.fold(0, usize::saturating_add)
}

/// What is done to packets.
#[derive(Clone, Copy)]
pub enum Action {
    Seal,
    Open,
}

impl Action {
    /// The length of a packet afterwards.
    pub fn length(self, before: usize) -> usize {
        match self {
            Action::Seal => before.saturating_add(TAG_BYTES),
            Action::Open => before.saturating_sub(TAG_BYTES),
        }
    }

    /// Appends the packets that are good, as they are afterwards, to `out`, and whether each is good to `good`. Forged ones
    /// leave nothing, and all packets are good when they are sealed.
    pub fn append<const NONCE: usize>(
        self,
        cipher: &Cipher<NONCE>,
        given: &[Given<'_, NONCE>],
        out: &mut Vec<u8>,
        good: &mut Vec<bool>,
    ) -> PyResult<()> {
        reserve(out, sum(given.iter().map(|(.., data)| self.length(data.len()))))?;
        match self {
            Action::Seal => {
                good.resize(good.len() + given.len(), true);
                seal(cipher, given, out)
            }
            Action::Open => open(cipher, given, out, good),
        }
    }
}

/// Appends the ciphertext of each packet, and its tag behind it.
fn seal<const NONCE: usize>(
    cipher: &Cipher<NONCE>,
    given: &[Given<'_, NONCE>],
    out: &mut Vec<u8>,
) -> PyResult<()> {
    let start = out.len();
    for (.., data) in given {
        out.extend_from_slice(data);
        out.extend_from_slice(&[0; TAG_BYTES]);
    }
    let (mut packets, mut places) = (Vec::with_capacity(given.len()), Vec::with_capacity(given.len()));
    let mut rest = out.get_mut(start..).unwrap_or_default();
    for &(nonce, aad, data) in given {
        let (data, behind) = rest.split_at_mut_checked(data.len()).unwrap_or_default();
        let Some((place, behind)) = behind.split_first_chunk_mut() else { break };
        packets.push(Packet { nonce, aad, data, tag: Tag::default() });
        places.push(place);
        rest = behind;
    }
    cipher.seal_many_with_nonces(&mut packets).map_err(error::packet)?;
    for (place, packet) in places.into_iter().zip(&packets) {
        *place = packet.tag.to_bytes();
    }
    Ok(())
}

/// Appends the data of each packet that is genuine. What is too short for a tag is forged.
fn open<const NONCE: usize>(
    cipher: &Cipher<NONCE>,
    given: &[Given<'_, NONCE>],
    out: &mut Vec<u8>,
    good: &mut Vec<bool>,
) -> PyResult<()> {
    let start = out.len();
    let parts: Vec<Option<(&[u8], Tag)>> = given
        .iter()
        .map(|(.., data)| data.split_last_chunk().map(|(data, tag)| (data, Tag::from_bytes(*tag))))
        .collect();
    for (data, _) in parts.iter().flatten() {
        out.extend_from_slice(data);
    }
    let mut packets = Vec::with_capacity(given.len());
    let mut rest = out.get_mut(start..).unwrap_or_default();
    for (&(nonce, aad, _), part) in given.iter().zip(&parts) {
        let Some((data, tag)) = part else { continue };
        let (data, behind) = rest.split_at_mut_checked(data.len()).unwrap_or_default();
        packets.push(Packet { nonce, aad, data, tag: *tag });
        rest = behind;
    }
    let mut genuine = vec![false; packets.len()];
    match cipher.open_many(&mut packets, &mut genuine) {
        Ok(()) | Err(AeadError::Forged) => {}
        Err(error) => return Err(error::packet(error)),
    }
    // What is genuine takes the place of what is forged, whose bytes are ciphertext still.
    let (mut genuine, mut from, mut to) = (genuine.into_iter(), start, start);
    for part in &parts {
        let length = part.as_ref().map_or(0, |(data, _)| data.len());
        let is_good = part.is_some() && genuine.next() == Some(true);
        if is_good {
            if to < from {
                out.copy_within(from..from + length, to);
            }
            to += length;
        }
        from += length;
        good.push(is_good);
    }
    out.truncate(to);
    Ok(())
}

/// Refuses lists of different lengths.
pub fn same_count(count: usize, others: usize) -> PyResult<()> {
    let differ = || format!("there are {count} packets and {others} of nonces or associated data");
    if others == count { Ok(()) } else { Err(PyValueError::new_err(differ())) }
}
