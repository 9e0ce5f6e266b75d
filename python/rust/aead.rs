//! ChaCha20-Poly1305 and XChaCha20-Poly1305, with the methods of pyca/cryptography, and many packets in one call.

use crate::error::{mismatch, too_long};
use crate::ffi::{Bytes, NewList, Part, bytes_of};
use crate::key::exactly;
use crate::released::released;
use keylane::aead::{self, AeadError, Cipher, Key, Packet, TAG_BYTES, Tag};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

/// So many packets are copied, sealed or opened, and made objects before the next ones, so that they stay in the cache.
const BLOCK: usize = 64;

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
                many(&self.0, nonces, data, associated_data, seal_block)
            }

            /// What `decrypt` gives for each of a list or tuple of `bytes`, and `None` for each that is forged.
            #[pyo3(signature = (nonces, data, associated_data = None))]
            fn open_many<'py>(
                &self,
                nonces: &Bound<'py, PyAny>,
                data: &Bound<'py, PyAny>,
                associated_data: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyList>> {
                many(&self.0, nonces, data, associated_data, open_block)
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

/// The exception for an error of a packet.
fn raised(error: AeadError) -> PyErr {
    match error {
        AeadError::Forged => mismatch(),
        AeadError::TooLong { .. } => too_long(),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The bytes of a nonce.
fn nonce_of<const NONCE: usize>(nonce: &[u8]) -> PyResult<[u8; NONCE]> {
    let wrong = |_| PyValueError::new_err(format!("a nonce here has {NONCE} bytes, not {}", nonce.len()));
    nonce.try_into().map_err(wrong)
}

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
        *place = released(py, data.len(), seal).map_err(raised)?.to_bytes();
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
        released(py, ciphertext.len(), open).map_err(raised)
    })
}

/// A packet of Python: a nonce, associated data, and data.
type Given<'a, const NONCE: usize> = ([u8; NONCE], &'a [u8], &'a [u8]);

/// Does one block of packets, and adds an object for each to the list.
type Block<const NONCE: usize> = fn(
    Python<'_>,
    &Cipher<NONCE>,
    &[Given<'_, NONCE>],
    &mut dyn FnMut(Option<&[u8]>) -> PyResult<()>,
) -> PyResult<()>;

fn many<'py, const NONCE: usize>(
    cipher: &Cipher<NONCE>,
    nonces: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    associated_data: Option<&Bound<'py, PyAny>>,
    block: Block<NONCE>,
) -> PyResult<Bound<'py, PyList>> {
    let py = data.py();
    let count = count_of(data, "data are")?;
    let counts = |others| {
        let differ = format!("there are {count} packets and {others} of nonces or associated data");
        if others == count { Ok(()) } else { Err(PyValueError::new_err(differ)) }
    };
    counts(count_of(nonces, "nonces are")?)?;
    let (common, each) = match associated_data {
        None => (&[][..], None),
        Some(aad) => match aad.cast::<PyBytes>() {
            Ok(aad) => (aad.as_bytes(), None),
            Err(_) => (&[][..], Some(aad)),
        },
    };
    if let Some(each) = each {
        counts(count_of(each, "associated data are bytes, or")?)?;
    }
    let mut list = NewList::of(py, count)?;
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
        block(py, cipher, &given?, &mut |bytes| {
            list.push(match bytes {
                Some(bytes) => PyBytes::new(py, bytes).into_any(),
                None => py.None().into_bound(py),
            })
        })?;
    }
    list.finish()
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

/// Copies packets one after the other, with `room` bytes behind each.
fn copied<const NONCE: usize>(given: &[Given<'_, NONCE>], room: usize) -> PyResult<Vec<u8>> {
    let mut copy = Vec::new();
    // One long object may be in a list many times.
    let length =
        given.iter().map(|(.., data)| data.len().saturating_add(room)).fold(0, usize::saturating_add);
    copy.try_reserve_exact(length)
        .map_err(|_| PyMemoryError::new_err("no memory for a copy of the packets"))?;
    for (.., data) in given {
        copy.extend_from_slice(data);
        copy.resize(copy.len() + room, 0);
    }
    Ok(copy)
}

fn seal_block<const NONCE: usize>(
    py: Python<'_>,
    cipher: &Cipher<NONCE>,
    given: &[Given<'_, NONCE>],
    push: &mut dyn FnMut(Option<&[u8]>) -> PyResult<()>,
) -> PyResult<()> {
    let mut copy = copied(given, TAG_BYTES)?;
    let (mut packets, mut places) = (Vec::with_capacity(given.len()), Vec::with_capacity(given.len()));
    let mut rest = &mut *copy;
    for &(nonce, aad, data) in given {
        let (data, behind) = rest.split_at_mut_checked(data.len()).unwrap_or_default();
        let Some((place, behind)) = behind.split_first_chunk_mut() else { break };
        packets.push(Packet { nonce, aad, data, tag: Tag::default() });
        places.push(place);
        rest = behind;
    }
    let bytes = given.iter().map(|(.., data)| data.len()).sum();
    released(py, bytes, || cipher.seal_many_with_nonces(&mut packets)).map_err(raised)?;
    for (place, packet) in places.iter_mut().zip(&packets) {
        **place = packet.tag.to_bytes();
    }
    drop((packets, places));
    let mut rest = &*copy;
    for (.., data) in given {
        let (sealed, behind) = rest.split_at_checked(data.len() + TAG_BYTES).unwrap_or_default();
        push(Some(sealed))?;
        rest = behind;
    }
    Ok(())
}

fn open_block<const NONCE: usize>(
    py: Python<'_>,
    cipher: &Cipher<NONCE>,
    given: &[Given<'_, NONCE>],
    push: &mut dyn FnMut(Option<&[u8]>) -> PyResult<()>,
) -> PyResult<()> {
    let mut copy = copied(given, 0)?;
    let mut packets = Vec::with_capacity(given.len());
    let mut rest = &mut *copy;
    for &(nonce, aad, data) in given {
        let (data, behind) = rest.split_at_mut_checked(data.len()).unwrap_or_default();
        // What is too short for a tag is forged.
        if let Some((data, tag)) = data.split_last_chunk_mut::<TAG_BYTES>() {
            packets.push(Packet { nonce, aad, data, tag: Tag::from_bytes(*tag) });
        }
        rest = behind;
    }
    let bytes = packets.iter().map(|packet| packet.data.len()).sum();
    let mut good = vec![false; packets.len()];
    match released(py, bytes, || cipher.open_many(&mut packets, &mut good)) {
        Ok(()) | Err(AeadError::Forged) => {}
        Err(error) => return Err(raised(error)),
    }
    let mut opened = packets.iter().zip(&good);
    for (.., data) in given {
        let packet = if data.len() < TAG_BYTES { None } else { opened.next() };
        push(packet.filter(|(_, good)| **good).map(|(packet, _)| &*packet.data))?;
    }
    Ok(())
}
