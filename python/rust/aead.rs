//! ChaCha20-Poly1305 and XChaCha20-Poly1305, with the methods of pyca/cryptography, and many packets in one call: of a
//! list, or of columns.

use crate::column::{Column, adapter};
use crate::error::{self, mismatch, too_long};
use crate::ffi::{self, Bytes, NewList, Part, bytes_of};
use crate::key::exactly;
use crate::packets::{Action, Associated, BLOCK, Columns, Given, nonce_of, same_count};
use crate::released::released;
use keylane::aead::{self, Cipher, Key, TAG_BYTES, Tag};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

/// ChaCha20-Poly1305 (RFC 8439) under a key of 32 bytes, with nonces of 12 bytes.
///
/// **Never use a nonce twice under one key.** It is not pickled, and its key is shown nowhere and wiped with it.
#[pyclass(frozen, module = "keylane.aead")]
pub struct ChaCha20Poly1305(aead::ChaCha20Poly1305);

/// XChaCha20-Poly1305: nonces of 24 bytes, which may be random.
///
/// **Never use a nonce twice under one key.** It is not pickled, and its key is shown nowhere and wiped with it.
#[pyclass(frozen, module = "keylane.aead")]
pub struct XChaCha20Poly1305(aead::XChaCha20Poly1305);

macro_rules! methods {
    ($class:ident, $name:literal) => {
        #[pymethods]
        impl $class {
            #[new]
            fn new(key: &Bound<'_, PyAny>) -> PyResult<Self> {
                Ok($class(Cipher::new(&Key::from_bytes(*exactly::<32>(key)?))))
            }

            /// 32 random bytes for a key.
            #[staticmethod]
            fn generate_key(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                py.import("os")?.call_method1("urandom", (32,))
            }

            /// The ciphertext of `data`, and its tag of 16 bytes behind it.
            #[pyo3(signature = (nonce, data, associated_data = None))]
            fn encrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                encrypt(py, &self.0, nonce, data, associated_data)
            }

            /// The data of a ciphertext with its tag. Raises `InvalidTag` if it is not what `encrypt` made under this key and
            /// nonce with these associated data; no plaintext exists then.
            #[pyo3(signature = (nonce, data, associated_data = None))]
            fn decrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                decrypt(py, &self.0, nonce, data, associated_data)
            }

            /// What `encrypt` gives for each of a list or tuple of `bytes`, with a list of nonces. `associated_data` is one
            /// `bytes` for all, or a list.
            #[pyo3(signature = (nonces, data, associated_data = None))]
            fn seal_many<'py>(
                &self,
                nonces: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyList>> {
                many(&self.0, nonces, data, associated_data, Action::Seal)
            }

            /// What `decrypt` gives for each of a list or tuple of `bytes`, and `None` for each that is forged.
            #[pyo3(signature = (nonces, data, associated_data = None))]
            fn open_many<'py>(
                &self,
                nonces: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyList>> {
                many(&self.0, nonces, data, associated_data, Action::Open)
            }

            /// What `encrypt` gives for each row of an Arrow column or a Polars series of bytes or text, as a column of bytes of
            /// the same kind. A null stays a null.
            ///
            /// nonces: a column or a list of bytes. associated_data: one `bytes` for all, or a column or a list.
            #[pyo3(signature = (nonces, data, associated_data = None))]
            fn seal_column<'py>(
                &self,
                nonces: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                column(&self.0, nonces, data, associated_data, Action::Seal)
            }

            /// What `decrypt` gives for each row of an Arrow column or a Polars series of bytes, as a column of the same
            /// kind. A null stays a null, and a row that is forged becomes one.
            ///
            /// The arguments are those of `seal_column`.
            #[pyo3(signature = (nonces, data, associated_data = None))]
            fn open_column<'py>(
                &self,
                nonces: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                column(&self.0, nonces, data, associated_data, Action::Open)
            }

            fn __repr__(&self) -> &'static str {
                concat!("<keylane.aead.", $name, ">")
            }

            fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
                Err(PyTypeError::new_err(concat!("a ", $name, " holds its key and is not pickled")))
            }
        }
    };
}
methods!(ChaCha20Poly1305, "ChaCha20Poly1305");
methods!(XChaCha20Poly1305, "XChaCha20Poly1305");

fn encrypt<'py, const NONCE: usize>(
    py: Python<'py>,
    cipher: &Cipher<NONCE>,
    nonce: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let nonce = nonce_of(&Bytes::new(nonce)?)?;
    let (data, aad) = (Bytes::new(data)?, associated_data.map(Bytes::new).transpose()?);
    let (data, aad) = (&*data, aad.as_deref().unwrap_or(&[]));
    let length = data.len().checked_add(TAG_BYTES).ok_or_else(too_long)?;
    PyBytes::new_with(py, length, |out| {
        let Some((ciphertext, place)) = out.split_last_chunk_mut() else { return Ok(()) };
        let seal = || cipher.seal_with_nonce_to(&nonce, aad, data, ciphertext);
        *place = released(py, data.len(), seal).map_err(error::packet)?.to_bytes();
        Ok(())
    })
}

fn decrypt<'py, const NONCE: usize>(
    py: Python<'py>,
    cipher: &Cipher<NONCE>,
    nonce: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let nonce = nonce_of(&Bytes::new(nonce)?)?;
    let (data, aad) = (Bytes::new(data)?, associated_data.map(Bytes::new).transpose()?);
    let aad = aad.as_deref().unwrap_or(&[]);
    let (ciphertext, tag) = data.split_last_chunk().ok_or_else(mismatch)?;
    let tag = Tag::from_bytes(*tag);
    PyBytes::new_with(py, ciphertext.len(), |out| {
        let open = || cipher.open_to(&nonce, aad, ciphertext, out, &tag);
        released(py, ciphertext.len(), open).map_err(error::packet)
    })
}

fn many<'py, const NONCE: usize>(
    cipher: &Cipher<NONCE>,
    nonces: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
    action: Action,
) -> PyResult<Bound<'py, PyList>> {
    let py = data.py();
    let count = count_of(data, "data are")?;
    same_count(count, count_of(nonces, "nonces are")?)?;
    let (common, each) = common(associated_data);
    if let Some(each) = each {
        same_count(count, count_of(each, "associated data are bytes, or")?)?;
    }
    let mut list = NewList::of(py, count)?;
    let (mut done, mut good) = (Vec::new(), Vec::with_capacity(BLOCK));
    for start in (0..count).step_by(BLOCK) {
        // Nobody changes parts of our own, which keep the bytes alive.
        let end = count.min(start + BLOCK);
        let (nonces, data) = (Part::of(nonces, start, end)?, Part::of(data, start, end)?);
        let aads = each.map(|each| Part::of(each, start, end)).transpose()?;
        let given: PyResult<Vec<Given<'_, NONCE>>> = (0..end - start)
            .map(|place| {
                let aad = match &aads {
                    Some(aads) => bytes_at(aads, place, start, "associated data")?,
                    None => common,
                };
                let nonce = nonce_of(bytes_at(&nonces, place, start, "nonce")?)?;
                Ok((nonce, aad, bytes_at(&data, place, start, "data")?))
            })
            .collect();
        let given = given?;
        done.clear();
        good.clear();
        let bytes = given.iter().map(|(.., data)| data.len()).sum();
        released(py, bytes, || action.append(cipher, &given, &mut done, &mut good))?;
        let mut rest = &*done;
        for ((.., data), &good) in given.iter().zip(&good) {
            if !good {
                list.push(py.None().into_bound(py))?;
                continue;
            }
            let (packet, behind) = rest.split_at_checked(action.length(data.len())).unwrap_or_default();
            list.push(PyBytes::new(py, packet).into_any())?;
            rest = behind;
        }
    }
    list.finish()
}

/// The associated data that all packets have, or those of each.
fn common<'a, 'py>(aad: Option<&'a Bound<'py, PyAny>>) -> (&'a [u8], Option<&'a Bound<'py, PyAny>>) {
    match aad.map(|aad| aad.cast::<PyBytes>()) {
        None => (&[], None),
        Some(Ok(aad)) => (aad.as_bytes(), None),
        Some(Err(_)) => (&[], aad),
    }
}

/// Seals or opens the packets of columns. No packet becomes an object.
fn column<'py, const NONCE: usize>(
    cipher: &Cipher<NONCE>,
    nonces: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
    action: Action,
) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let (common, each) = common(associated_data);
    let columns = adapter(py, "packets")?.call1((nonces, data, each))?;
    let (nonces, packets, each): (Bound<'_, Column>, Bound<'_, Column>, Option<Bound<'_, Column>>) =
        columns.extract()?;
    let associated = match &each {
        Some(each) => Associated::Each(each.get().chunks()),
        None => Associated::Common(common),
    };
    let columns = Columns { nonces: nonces.get().chunks(), data: packets.get().chunks(), associated };
    let (data_type, chunks) = py.detach(|| ffi::raised(|| columns.done(cipher, action)))?;
    adapter(py, "packets_output")?.call1((packets.get().like(data_type, chunks), data))
}

/// How many objects a list or a tuple has.
fn count_of(objects: &Bound<'_, PyAny>, what: &str) -> PyResult<usize> {
    if !objects.is_instance_of::<PyList>() && !objects.is_instance_of::<PyTuple>() {
        return Err(PyTypeError::new_err(format!("{what} a list or a tuple of bytes")));
    }
    Part::whole(objects)
}

/// The bytes of an item. `start` is the number of the first one.
fn bytes_at<'a>(part: &'a Part<'_>, place: usize, start: usize, what: &str) -> PyResult<&'a [u8]> {
    let wrong = || PyTypeError::new_err(format!("packet {}: {what} that is not bytes", start + place));
    part.item(place).and_then(bytes_of).ok_or_else(wrong)
}
