//! One message, and many.

use crate::algorithm::Function;
use crate::error::mismatch;
use crate::ffi::Bytes;
use crate::key::{exactly, half, with_key};
use crate::stream::Hash;
use keylane::halfsiphash::AnyHalfSipHash;
use keylane::poly1305::{OneTimeKey, Tag, mac};
use keylane::siphash::{AnySipHash, BatchError, SipHash13, SipHash24, SipHashX24};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

/// From this length on, the interpreter is released. Below, that costs more than it gives.
pub const LONG: usize = 64 * 1024;

/// So many messages or more, too.
const MANY: usize = 4096;

/// Runs `work`, and lets other threads run Python meanwhile if there are many bytes.
#[inline]
pub fn released<R: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> R + Send) -> R {
    if bytes < LONG { work() } else { py.detach(work) }
}

#[pyfunction]
#[pyo3(signature = (key, data, /))]
pub fn siphash13(py: Python<'_>, key: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<u64> {
    let data = Bytes::new(data)?;
    with_key(key, |key| released(py, data.len(), || SipHash13::new(key).hash(&data)))
}

#[pyfunction]
#[pyo3(signature = (key, data, /))]
pub fn siphash24(py: Python<'_>, key: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<u64> {
    let data = Bytes::new(data)?;
    with_key(key, |key| released(py, data.len(), || SipHash24::new(key).hash(&data)))
}

#[pyfunction]
#[pyo3(signature = (key, data, /))]
pub fn siphashx24<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let data = Bytes::new(data)?;
    let tag = with_key(key, |key| released(py, data.len(), || SipHashX24::new(key).hash(&data)))?;
    Ok(PyBytes::new(py, &tag.to_le_bytes()))
}

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

/// Checks a tag in constant time.
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
    Hash::begin(py, Function::parse(name)?, key, data, nocase)?.check_with(py, &tag)
}

/// The tags of many messages in one call.
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
    // A tuple does not change, and keeps every message alive.
    let messages = match messages.cast::<PyList>() {
        Ok(list) => list.to_tuple(),
        Err(_) => messages.cast::<PyTuple>().cloned().map_err(|_| {
            PyTypeError::new_err("messages are a list or a tuple of bytes or str; hash_column takes columns")
        })?,
    };
    let slices = slices(&messages)?;
    match (is_half, bits) {
        (false, 64) => {
            let hasher: AnySipHash<u64> = with_key(key, |key| AnySipHash::new(key, c, d))?;
            let tags = many(py, &slices, |slices, tags: &mut [u64]| match nocase {
                false => hasher.hash_many(slices, tags),
                true => hasher.hash_many_nocase(slices, tags),
            })?;
            PyList::new(py, tags)
        }
        (false, _) => {
            let hasher: AnySipHash<u128> = with_key(key, |key| AnySipHash::new(key, c, d))?;
            let tags = many(py, &slices, |slices, tags: &mut [u128]| match nocase {
                false => hasher.hash_many(slices, tags),
                true => hasher.hash_many_nocase(slices, tags),
            })?;
            PyList::new(py, tags.iter().map(|tag| PyBytes::new(py, &tag.to_le_bytes())))
        }
        (true, 32) => {
            let hasher: AnyHalfSipHash<u32> = AnyHalfSipHash::new(&half(key)?, c, d);
            let tags = many(py, &slices, |slices, tags: &mut [u32]| match nocase {
                false => hasher.hash_many(slices, tags),
                true => hasher.hash_many_nocase(slices, tags),
            })?;
            PyList::new(py, tags)
        }
        (true, _) => {
            let hasher: AnyHalfSipHash<u64> = AnyHalfSipHash::new(&half(key)?, c, d);
            let tags = many(py, &slices, |slices, tags: &mut [u64]| match nocase {
                false => hasher.hash_many(slices, tags),
                true => hasher.hash_many_nocase(slices, tags),
            })?;
            PyList::new(py, tags)
        }
    }
}

/// The bytes of each message.
fn slices<'a>(messages: &'a Bound<'_, PyTuple>) -> PyResult<Vec<&'a [u8]>> {
    let mut slices = Vec::with_capacity(messages.len());
    for (row, message) in messages.iter_borrowed().enumerate() {
        slices.push(if message.is_instance_of::<PyBytes>() {
            <&[u8]>::extract(message)?
        } else if message.is_instance_of::<PyString>() {
            let text = <&str>::extract(message);
            text.map_err(|_| PyValueError::new_err(format!("message {row}: text that is not Unicode")))?
                .as_bytes()
        } else {
            return Err(PyTypeError::new_err(format!("message {row} is neither bytes nor str")));
        });
    }
    Ok(slices)
}

fn many<T: Copy + Default + Send>(
    py: Python<'_>,
    slices: &[&[u8]],
    hash: impl FnOnce(&[&[u8]], &mut [T]) -> Result<(), BatchError> + Send,
) -> PyResult<Vec<T>> {
    let mut tags = vec![T::default(); slices.len()];
    let work = || hash(slices, &mut tags);
    let done = if slices.len() < MANY { work() } else { py.detach(work) };
    // The counts agree by construction.
    done.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(tags)
}
