//! One message, and many.

use crate::algorithm::Function;
use crate::error::mismatch;
use crate::ffi::{Bytes, Inside, NewList, Part, bytes_of, python_integer, with_bytes};
use crate::key::{exactly, half, with_key};
use crate::released::released;
use crate::stream::Hash;
use keylane::halfsiphash::AnyHalfSipHash;
use keylane::poly1305::{OneTimeKey, Tag, mac};
use keylane::siphash::{AnySipHash, BatchError, SipHash13, SipHash24, SipHashX24};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

// The three functions here take what the fast ones of `ffi` hand on: keys and messages of every kind.

#[pyfunction]
#[pyo3(name = "_siphash13", signature = (key, data, /))]
pub fn siphash13(py: Python<'_>, key: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<u64> {
    let data = Bytes::new(data)?;
    with_key(key, |key| released(py, data.len(), || SipHash13::new(key).hash(&data)))
}

#[pyfunction]
#[pyo3(name = "_siphash24", signature = (key, data, /))]
pub fn siphash24(py: Python<'_>, key: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<u64> {
    let data = Bytes::new(data)?;
    with_key(key, |key| released(py, data.len(), || SipHash24::new(key).hash(&data)))
}

#[pyfunction]
#[pyo3(name = "_siphashx24", signature = (key, data, /))]
pub fn siphashx24<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let data = Bytes::new(data)?;
    let tag = with_key(key, |key| released(py, data.len(), || SipHashX24::new(key).hash(&data)))?;
    Ok(PyBytes::new(py, &tag.to_le_bytes()))
}

/// The Poly1305 tag of a message: 16 bytes. The key has 32 bytes and is for one message.
#[pyfunction]
#[pyo3(signature = (key, data, /))]
pub fn poly1305<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let data = Bytes::new(data)?;
    let key = OneTimeKey::from_bytes(*exactly::<32>(key)?);
    let tag = released(py, data.len(), || mac(key, &data));
    Ok(PyBytes::new(py, &tag.to_bytes()))
}

/// Raises `TagMismatch` if this is not the tag of the message. The time does not depend on which bytes differ. `name` is
/// one that `new` takes.
#[pyfunction]
#[pyo3(signature = (name, key, data, tag, /, *, nocase = false))]
pub fn verify(
    py: Python<'_>,
    name: &str,
    key: &Bound<'_, PyAny>,
    data: &Bound<'_, PyAny>,
    tag: &Bound<'_, PyAny>,
    nocase: bool,
) -> PyResult<()> {
    let tag = Bytes::new(tag)?;
    if name == "poly1305" {
        if nocase {
            return Err(PyTypeError::new_err("poly1305 has no nocase"));
        }
        let data = Bytes::new(data)?;
        let key = OneTimeKey::from_bytes(*exactly::<32>(key)?);
        let found = released(py, data.len(), || mac(key, &data));
        let tag = <[u8; 16]>::try_from(&*tag).map_err(|_| mismatch())?;
        return found.verify(&Tag::from_bytes(tag)).map_err(|_| mismatch());
    }
    Hash::begin(py, Function::parse_beside_poly1305(name)?, key, data, nocase)?.check_with(py, &tag)
}

/// The tags of a list or tuple of `bytes` and `str` (as UTF-8) in one call: a list of integers, or of bytes if they have
/// 128 bits.
#[pyfunction]
#[pyo3(signature = (messages, key, /, alg = "siphash-2-4-64", *, nocase = false))]
pub fn hash_many<'py>(
    messages: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    alg: &str,
    nocase: bool,
) -> PyResult<Bound<'py, PyList>> {
    let py = messages.py();
    let Function { half: is_half, c, d, bits } = Function::parse(alg)?;
    if !messages.is_instance_of::<PyList>() && !messages.is_instance_of::<PyTuple>() {
        return Err(PyTypeError::new_err(
            "messages are a list or a tuple of bytes or str; hash_column takes columns",
        ));
    }
    let wide = |tag: u128| Ok(PyBytes::new(py, &tag.to_le_bytes()).into_any());
    match (is_half, bits) {
        (false, 64) => {
            let hasher: AnySipHash<u64> = with_key(key, |key| AnySipHash::new(key, c, d))?;
            let hash = |slices: &[&[u8]], tags: &mut [u64]| match nocase {
                false => hasher.hash_many(slices, tags),
                true => hasher.hash_many_nocase(slices, tags),
            };
            many(messages, hash, |tag| python_integer(py, tag))
        }
        (false, _) => {
            let hasher: AnySipHash<u128> = with_key(key, |key| AnySipHash::new(key, c, d))?;
            let hash = |slices: &[&[u8]], tags: &mut [u128]| match nocase {
                false => hasher.hash_many(slices, tags),
                true => hasher.hash_many_nocase(slices, tags),
            };
            many(messages, hash, wide)
        }
        (true, 32) => {
            let hasher: AnyHalfSipHash<u32> = AnyHalfSipHash::new(&half(key)?, c, d);
            let hash = |slices: &[&[u8]], tags: &mut [u32]| match nocase {
                false => hasher.hash_many(slices, tags),
                true => hasher.hash_many_nocase(slices, tags),
            };
            many(messages, hash, |tag| python_integer(py, tag.into()))
        }
        (true, _) => {
            let hasher: AnyHalfSipHash<u64> = AnyHalfSipHash::new(&half(key)?, c, d);
            let hash = |slices: &[&[u8]], tags: &mut [u64]| match nocase {
                false => hasher.hash_many(slices, tags),
                true => hasher.hash_many_nocase(slices, tags),
            };
            many(messages, hash, |tag| python_integer(py, tag))
        }
    }
}

/// So many messages are looked at, hashed and left before the next ones, so that they stay in the cache.
const BLOCK: usize = 512;

/// The tags of all messages, as objects.
fn many<'py, T: Copy + Default>(
    messages: &Bound<'py, PyAny>,
    hash: impl Fn(&[&[u8]], &mut [T]) -> Result<(), BatchError>,
    object: impl Fn(T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = messages.py();
    let count = Part::whole(messages)?;
    let inside = Inside::seen(py);
    let mut found = [T::default(); BLOCK];
    let mut list = NewList::of(py, count)?;
    for start in (0..count).step_by(BLOCK) {
        let end = count.min(start + BLOCK);
        let tags = found.get_mut(..end - start).unwrap_or_default();
        let hash = |slices: &[&[u8]], tags: &mut [T]| {
            // The counts agree by construction.
            hash(slices, tags).map_err(|error| PyValueError::new_err(error.to_string()))
        };
        let quick = inside.and_then(|inside| {
            with_bytes::<BLOCK, _>(messages, inside, start..end, |slices| hash(slices, tags))
        });
        let hashed = match quick {
            Some(done) => done.map(|()| end - start)?,
            None => {
                // Text may need memory for its UTF-8. A part of its own, which nobody changes, keeps it alive.
                let part = Part::of(messages, start, end)?;
                let mut slices: [&[u8]; BLOCK] = [&[]; BLOCK];
                let slices = slices.get_mut(..part.len()).unwrap_or_default();
                for (place, slice) in slices.iter_mut().enumerate() {
                    let Some(message) = part.item(place) else { break };
                    *slice = match bytes_of(message) {
                        Some(bytes) => bytes,
                        None => text(message, start + place)?,
                    };
                }
                hash(slices, tags.get_mut(..slices.len()).unwrap_or_default())?;
                slices.len()
            }
        };
        for &tag in tags.iter().take(hashed) {
            list.push(object(tag)?)?;
        }
    }
    list.finish()
}

/// The bytes of a message that is text.
fn text<'a>(message: Borrowed<'a, '_, PyAny>, row: usize) -> PyResult<&'a [u8]> {
    if !message.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!("message {row} is neither bytes nor str")));
    }
    let text = <&str>::extract(message);
    Ok(text
        .map_err(|_| PyValueError::new_err(format!("message {row}: text that is not Unicode")))?
        .as_bytes())
}
