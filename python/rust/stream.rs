//! Objects like those of hashlib: SipHash and HalfSipHash of a message in pieces.

use crate::algorithm::Function;
use crate::error::mismatch;
use crate::ffi::Bytes;
use crate::key::{half, with_key};
use crate::poly1305::Poly1305;
use crate::released::LONG;
use keylane::halfsiphash::{self, AnyHalfSipHash};
use keylane::siphash::{self, AnySipHash};
use keylane_columns::hex;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many bytes are folded at a time.
const FOLD: usize = 4096;

#[derive(Clone)]
enum State {
    Sip64(siphash::AnyStream<u64>),
    Sip128(siphash::AnyStream<u128>),
    Half32(halfsiphash::AnyStream<u32>),
    Half64(halfsiphash::AnyStream<u64>),
}

impl State {
    fn update(&mut self, piece: &[u8]) {
        match self {
            State::Sip64(stream) => stream.update(piece),
            State::Sip128(stream) => stream.update(piece),
            State::Half32(stream) => stream.update(piece),
            State::Half64(stream) => stream.update(piece),
        }
    }

    /// Updates with ASCII capitals made small.
    fn update_folded(&mut self, data: &[u8]) {
        let mut folded = [0; FOLD];
        for piece in data.chunks(FOLD) {
            if let Some(folded) = folded.get_mut(..piece.len()) {
                folded.copy_from_slice(piece);
                folded.make_ascii_lowercase();
                self.update(folded);
            }
        }
    }

    /// The tag as an integer, whose lowest bytes come first.
    fn finish(&self) -> u128 {
        match self {
            State::Sip64(stream) => u128::from(stream.finish()),
            State::Sip128(stream) => stream.finish(),
            State::Half32(stream) => u128::from(stream.finish()),
            State::Half64(stream) => u128::from(stream.finish()),
        }
    }

    /// Whether this is the tag. The time does not depend on which bytes differ.
    fn verify(&self, tag: &[u8]) -> Option<()> {
        match self {
            State::Sip64(stream) => stream.verify(u64::from_le_bytes(tag.try_into().ok()?)).ok(),
            State::Sip128(stream) => stream.verify(u128::from_le_bytes(tag.try_into().ok()?)).ok(),
            State::Half32(stream) => stream.verify(u32::from_le_bytes(tag.try_into().ok()?)).ok(),
            State::Half64(stream) => stream.verify(u64::from_le_bytes(tag.try_into().ok()?)).ok(),
        }
    }
}

/// A hash of a message that arrives in pieces. Threads may share it.
#[pyclass(frozen, module = "keylane")]
pub struct Hash {
    function: Function,
    nocase: bool,
    state: Mutex<State>,
}

impl Hash {
    /// Begins a message with `data`.
    pub fn begin(
        py: Python<'_>,
        function: Function,
        key: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        nocase: bool,
    ) -> PyResult<Hash> {
        let hash = Hash::empty(function, key, nocase)?;
        hash.feed(py, &Bytes::new(data)?);
        Ok(hash)
    }

    pub fn empty(function: Function, key: &Bound<'_, PyAny>, nocase: bool) -> PyResult<Hash> {
        let Function { c, d, .. } = function;
        let state = match (function.half, function.bits) {
            (false, 64) => State::Sip64(with_key(key, |key| AnySipHash::new(key, c, d).stream())?),
            (false, _) => State::Sip128(with_key(key, |key| AnySipHash::new(key, c, d).stream())?),
            (true, 32) => State::Half32(AnyHalfSipHash::new(&half(key)?, c, d).stream()),
            (true, _) => State::Half64(AnyHalfSipHash::new(&half(key)?, c, d).stream()),
        };
        Ok(Hash { function, nocase, state: Mutex::new(state) })
    }

    pub fn feed(&self, py: Python<'_>, data: &[u8]) {
        let update = |mut state: MutexGuard<'_, State>| match self.nocase {
            false => state.update(data),
            true => state.update_folded(data),
        };
        if data.len() < LONG {
            update(self.lock(py));
        } else {
            py.detach(|| update(self.feed_lock()));
        }
    }

    /// Adds bytes where no Python runs.
    pub fn feed_detached(&self, data: &[u8]) {
        let mut state = self.feed_lock();
        match self.nocase {
            false => state.update(data),
            true => state.update_folded(data),
        }
    }

    fn feed_lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits without holding up other threads.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    pub fn check_with(&self, py: Python<'_>, tag: &[u8]) -> PyResult<()> {
        self.lock(py).verify(tag).ok_or_else(mismatch)
    }
}

#[pymethods]
impl Hash {
    #[getter]
    fn name(&self) -> String {
        self.function.name()
    }

    #[getter]
    fn digest_size(&self) -> usize {
        usize::from(self.function.bits / 8)
    }

    #[getter]
    fn block_size(&self) -> usize {
        if self.function.half { 4 } else { 8 }
    }

    /// Adds bytes to the message.
    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        self.feed(py, &Bytes::new(data)?);
        Ok(())
    }

    /// The tag of the message so far, as bytes.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = self.intdigest(py).to_le_bytes();
        PyBytes::new(py, bytes.get(..self.digest_size()).unwrap_or_default())
    }

    /// The tag of the message so far, as hexadecimal digits.
    fn hexdigest(&self, py: Python<'_>) -> String {
        digits(&self.intdigest(py).to_le_bytes(), self.digest_size())
    }

    /// The tag as an unsigned integer: the bytes of `digest()`, the lowest first.
    fn intdigest(&self, py: Python<'_>) -> u128 {
        self.lock(py).finish()
    }

    /// The same message so far, which goes on by itself.
    fn copy(&self, py: Python<'_>) -> Hash {
        Hash { function: self.function, nocase: self.nocase, state: Mutex::new(self.lock(py).clone()) }
    }

    fn __copy__(&self, py: Python<'_>) -> Hash {
        self.copy(py)
    }

    /// Raises `TagMismatch` if this is not the tag of the message so far.
    #[pyo3(signature = (tag, /))]
    fn verify(&self, py: Python<'_>, tag: &Bound<'_, PyAny>) -> PyResult<()> {
        self.check_with(py, &Bytes::new(tag)?)
    }

    fn __repr__(&self) -> String {
        format!("<keylane.Hash {}>", self.function.name())
    }

    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err("a hash holds its key and is not pickled"))
    }
}

/// The first `count` bytes of a tag as hexadecimal digits.
pub fn digits(tag: &[u8; 16], count: usize) -> String {
    hex(tag).iter().take(count).flatten().map(|&digit| char::from(digit)).collect()
}

/// Begins a message: an object like those of hashlib. `name` is siphash-C-D-64, siphash-C-D-128, halfsiphash-C-D-32,
/// halfsiphash-C-D-64 or poly1305. With `nocase`, ASCII capitals count as small letters. `string` is another name of
/// `data`.
#[pyfunction]
#[pyo3(signature = (name, key, data = None, *, nocase = false, string = None))]
pub fn new<'py>(
    py: Python<'py>,
    name: &str,
    key: &Bound<'py, PyAny>,
    data: Option<&Bound<'py, PyAny>>,
    nocase: bool,
    string: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if data.is_some() && string.is_some() {
        return Err(PyTypeError::new_err("give one of data and string"));
    }
    let data = data.or(string);
    if name == "poly1305" {
        if nocase {
            return Err(PyTypeError::new_err("poly1305 has no nocase"));
        }
        let object = Poly1305::begin(py, key, data)?;
        return Ok(Bound::new(py, object)?.into_any());
    }
    let hash = Hash::empty(Function::parse_beside_poly1305(name)?, key, nocase)?;
    if let Some(data) = data {
        hash.feed(py, &Bytes::new(data)?);
    }
    Ok(Bound::new(py, hash)?.into_any())
}
