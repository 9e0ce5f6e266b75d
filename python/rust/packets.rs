//! Packets, sealed and opened in memory of their own, where other threads may run Python: those of lists and of columns.
//!
//! The bytes of a column may change under way, since their owner may write to them. So a packet and its tag are copied
//! before they are judged, and what is decrypted is the copy that was judged.

use crate::error;
use arrow_array::{Array, ArrayRef, GenericBinaryArray, OffsetSizeTrait};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use keylane::aead::{AeadError, Cipher, Packet, TAG_BYTES, Tag};
use keylane_columns::ByteRows;
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// This many packets are copied, sealed or opened, and left before the next ones, so that they stay in the cache.
pub const BLOCK: usize = 64;

/// A packet that came from Python: its nonce, its associated data, and its data.
pub type Given<'a, const NONCE: usize> = ([u8; NONCE], &'a [u8], &'a [u8]);

/// The bytes of a nonce.
pub fn nonce_of<const NONCE: usize>(nonce: &[u8]) -> PyResult<[u8; NONCE]> {
    let wrong = |_| PyValueError::new_err(format!("a nonce here has {NONCE} bytes, not {}", nonce.len()));
    nonce.try_into().map_err(wrong)
}

/// Makes room for more packets. One long object may be in a list or a column many times.
fn reserve<T>(places: &mut Vec<T>, more: usize) -> PyResult<()> {
    places.try_reserve_exact(more).map_err(|_| PyMemoryError::new_err("no memory for a copy of the packets"))
}

fn sum(lengths: impl Iterator<Item = usize>) -> usize {
    lengths.fold(0, usize::saturating_add)
}

/// What is done to packets.
#[derive(Clone, Copy, PartialEq, Eq)]
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

/// The columns of a call for many packets.
pub struct Columns<'a> {
    pub nonces: &'a [ArrayRef],
    pub data: &'a [ArrayRef],
    pub associated: Associated<'a>,
}

/// Associated data: the same for all packets, or a column.
pub enum Associated<'a> {
    Common(&'a [u8]),
    Each(&'a [ArrayRef]),
}

impl Columns<'_> {
    /// Seals or opens all packets, chunk by chunk. Nulls stay nulls, and what is forged becomes one.
    pub fn done<const NONCE: usize>(
        &self,
        cipher: &Cipher<NONCE>,
        action: Action,
    ) -> PyResult<(DataType, Vec<ArrayRef>)> {
        let data = chunks_of(self.data, "data are", action == Action::Seal)?;
        let count = sum(data.iter().map(ByteRows::len));
        let mut packets = Packets {
            nonces: Walk::along(chunks_of(self.nonces, "nonces are", false)?, count)?,
            associated: match self.associated {
                Associated::Common(aad) => Aads::Common(aad),
                Associated::Each(aads) => {
                    Aads::Each(Walk::along(chunks_of(aads, "associated data are", true)?, count)?)
                }
            },
            row: 0,
        };
        // All chunks of a column have one type.
        let is_wide = self.data.iter().any(|chunk| is_wide(chunk.data_type()));
        let mut chunks = Vec::with_capacity(data.len());
        for chunk in &data {
            chunks.push(match is_wide {
                true => packets.chunk::<i64, NONCE>(cipher, action, chunk)?,
                false => packets.chunk::<i32, NONCE>(cipher, action, chunk)?,
            });
        }
        Ok((if is_wide { DataType::LargeBinary } else { DataType::Binary }, chunks))
    }
}

/// Whether the offsets of a result have 64 bits. Views may refer to any number of bytes.
fn is_wide(data_type: &DataType) -> bool {
    use DataType::{BinaryView, LargeBinary, LargeUtf8, Utf8View};
    matches!(data_type, LargeBinary | LargeUtf8 | BinaryView | Utf8View)
}

/// The rows of each chunk of a column of bytes, or of text if that may be.
fn chunks_of<'a>(chunks: &'a [ArrayRef], what: &str, text: bool) -> PyResult<Vec<ByteRows<'a>>> {
    let rows = |chunk: &'a ArrayRef| {
        let kind = chunk.data_type();
        let is_text = matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        ByteRows::new(&**chunk).filter(|_| text || !is_text).ok_or_else(|| {
            let wanted = if text { "bytes or text" } else { "bytes" };
            PyTypeError::new_err(format!("{what} a column of {wanted}, not of {kind}"))
        })
    };
    chunks.iter().map(rows).collect()
}

/// The exception for columns of different lengths.
pub fn same_count(count: usize, others: usize) -> PyResult<()> {
    let differ = || format!("there are {count} packets and {others} of nonces or associated data");
    if others == count { Ok(()) } else { Err(PyValueError::new_err(differ())) }
}

/// A walk along the rows of a column, whose chunks may be others than those of the data.
struct Walk<'a> {
    chunks: Vec<ByteRows<'a>>,
    chunk: usize,
    row: usize,
}

impl<'a> Walk<'a> {
    fn along(chunks: Vec<ByteRows<'a>>, count: usize) -> PyResult<Walk<'a>> {
        same_count(count, sum(chunks.iter().map(ByteRows::len)))?;
        Ok(Walk { chunks, chunk: 0, row: 0 })
    }

    /// Takes a step. The value of a null is `None`.
    #[inline]
    fn next(&mut self) -> PyResult<Option<&'a [u8]>> {
        loop {
            let chunk = self.chunks.get(self.chunk).ok_or_else(error::contradiction)?;
            let row = self.row;
            if row < chunk.len() {
                self.row += 1;
                return value(chunk, row);
            }
            (self.chunk, self.row) = (self.chunk + 1, 0);
        }
    }
}

/// The bytes of a row, and `None` for a null.
#[inline]
fn value<'a>(rows: &ByteRows<'a>, row: usize) -> PyResult<Option<&'a [u8]>> {
    if rows.is_null(row) {
        return Ok(None);
    }
    rows.get(row).map(Some).ok_or_else(error::contradiction)
}

enum Aads<'a> {
    Common(&'a [u8]),
    Each(Walk<'a>),
}

/// What belongs to the data, row by row.
struct Packets<'a> {
    nonces: Walk<'a>,
    associated: Aads<'a>,
    row: usize,
}

impl<'a> Packets<'a> {
    /// The next packet. `None` if its data are null: the rest of the row does not count then.
    #[inline]
    fn next<const NONCE: usize>(&mut self, data: Option<&'a [u8]>) -> PyResult<Option<Given<'a, NONCE>>> {
        let row = self.row;
        self.row += 1;
        let null =
            |what: &str| PyValueError::new_err(format!("row {row}: {what} null, and the data are not"));
        let nonce = self.nonces.next()?;
        let aad = match &mut self.associated {
            Aads::Common(aad) => Some(*aad),
            Aads::Each(aads) => aads.next()?,
        };
        let Some(data) = data else { return Ok(None) };
        let nonce = nonce_of(nonce.ok_or_else(|| null("the nonce is"))?)?;
        Ok(Some((nonce, aad.ok_or_else(|| null("the associated data are"))?, data)))
    }

    /// Seals or opens one chunk, whose result has offsets of type `O`.
    fn chunk<O: OffsetSizeTrait, const NONCE: usize>(
        &mut self,
        cipher: &Cipher<NONCE>,
        action: Action,
        data: &ByteRows<'a>,
    ) -> PyResult<ArrayRef> {
        let rows = data.len();
        let length = |row: usize| match data.is_null(row) {
            false => data.get(row).map_or(0, |data| action.length(data.len())),
            true => 0,
        };
        let most = sum((0..rows).map(length));
        offset::<O>(most)?;
        let (mut out, mut offsets) = (Vec::new(), Vec::new());
        reserve(&mut out, most)?;
        reserve(&mut offsets, rows.saturating_add(1))?;
        let mut valid = BooleanBufferBuilder::new(rows);
        let (mut given, mut present, mut good) =
            (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        let mut end = 0;
        offsets.push(offset(end)?);
        for start in (0..rows).step_by(BLOCK) {
            given.clear();
            present.clear();
            good.clear();
            for row in start..rows.min(start + BLOCK) {
                let packet = self.next::<NONCE>(value(data, row)?)?;
                present.push(packet.is_some());
                given.extend(packet);
            }
            action.append(cipher, &given, &mut out, &mut good)?;
            let mut done = given.iter().zip(&good);
            for &is_present in &present {
                let packet = if is_present { done.next() } else { None };
                let genuine = packet.filter(|(_, good)| **good);
                end += genuine.map_or(0, |((.., data), _)| action.length(data.len()));
                valid.append(genuine.is_some());
                offsets.push(offset(end)?);
            }
        }
        let nulls = Some(NullBuffer::new(valid.finish())).filter(|nulls| nulls.null_count() > 0);
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let array = GenericBinaryArray::<O>::try_new(offsets, Buffer::from_vec(out), nulls);
        Ok(Arc::new(array.map_err(|_| error::contradiction())?))
    }
}

/// An offset in a result.
fn offset<O: OffsetSizeTrait>(bytes: usize) -> PyResult<O> {
    let many =
        "an array of binary has at most 2^31 - 1 bytes; give the data in smaller chunks, or as large_binary";
    O::from_usize(bytes).ok_or_else(|| PyValueError::new_err(many))
}
