//! Poly1305 of a message in pieces. Two messages under one key reveal the key, so an object serves once.

use crate::error::mismatch;
use crate::ffi::Bytes;
use crate::key::exactly;
use crate::released::LONG;
use crate::stream::digits;
use keylane::poly1305::{self, OneTimeKey, Tag};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The authenticator of one message. Threads may share it.
#[pyclass(frozen, module = "keylane")]
pub struct Poly1305(Mutex<Option<poly1305::Poly1305>>);

type Guard<'a> = MutexGuard<'a, Option<poly1305::Poly1305>>;

fn used() -> PyErr {
    PyValueError::new_err("this Poly1305 has given its tag; a key is for one message")
}

impl Poly1305 {
    pub fn begin(
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        data: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Poly1305> {
        let key = OneTimeKey::from_bytes(*exactly::<32>(key)?);
        let object = Poly1305(Mutex::new(Some(poly1305::Poly1305::new(key))));
        if let Some(data) = data {
            object.update(py, data)?;
        }
        Ok(object)
    }

    fn lock(&self, py: Python<'_>) -> Guard<'_> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, py: Python<'_>) -> PyResult<Tag> {
        Ok(self.lock(py).take().ok_or_else(used)?.finish())
    }
}

#[pymethods]
impl Poly1305 {
    #[new]
    #[pyo3(signature = (key, data = None, /))]
    fn new(py: Python<'_>, key: &Bound<'_, PyAny>, data: Option<&Bound<'_, PyAny>>) -> PyResult<Poly1305> {
        Poly1305::begin(py, key, data)
    }

    #[classattr]
    fn name() -> &'static str {
        "poly1305"
    }

    #[classattr]
    fn digest_size() -> usize {
        16
    }

    #[classattr]
    fn block_size() -> usize {
        16
    }

    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let data = Bytes::new(data)?;
        let update = |mut state: Guard<'_>| state.as_mut().map(|state| state.update(&data));
        let done = if data.len() < LONG {
            update(self.lock(py))
        } else {
            py.detach(|| update(self.0.lock().unwrap_or_else(PoisonError::into_inner)))
        };
        done.ok_or_else(used)
    }

    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.finish(py)?.to_bytes()))
    }

    fn hexdigest(&self, py: Python<'_>) -> PyResult<String> {
        Ok(digits(&self.finish(py)?.to_bytes(), 16))
    }

    #[pyo3(signature = (tag, /))]
    fn verify(&self, py: Python<'_>, tag: &Bound<'_, PyAny>) -> PyResult<()> {
        let tag = Bytes::new(tag)?;
        let found = self.finish(py)?;
        let tag = <[u8; 16]>::try_from(&*tag).map_err(|_| mismatch())?;
        found.verify(&Tag::from_bytes(tag)).map_err(|_| mismatch())
    }

    fn __repr__(&self) -> &'static str {
        "<keylane.Poly1305>"
    }

    fn __copy__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("a Poly1305 is not copied; a key is for one message"))
    }

    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err("a Poly1305 holds its key and is not pickled"))
    }
}
