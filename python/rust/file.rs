//! Hashes of files.

use crate::algorithm::Function;
use crate::error::without_zero_byte;
use crate::ffi::Bytes;
use crate::stream::Hash;
use pyo3::exceptions::{PyBlockingIOError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PySlice, PyString};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

/// How many bytes are read at a time.
const PIECE: usize = 256 * 1024;
/// How many pieces are read before Python looks at its signals.
const PIECES: usize = 64;

/// The hash of a file, with other threads running meanwhile: a path, or an object that is open for reading bytes, which
/// is read from where it stands.
#[pyfunction]
#[pyo3(signature = (file, name, key, /, *, nocase = false))]
pub fn file_digest(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    name: &str,
    key: &Bound<'_, PyAny>,
    nocase: bool,
) -> PyResult<Hash> {
    let hash = Hash::empty(Function::parse(name)?, key, nocase)?;
    let is_path = file.is_instance_of::<PyString>() || file.is_instance_of::<PyBytes>();
    if is_path || file.hasattr("__fspath__")? {
        let text = py.import("os")?.call_method1("fsdecode", (file,))?;
        let path: PathBuf = text.extract()?;
        without_zero_byte(&path)?;
        let failed = |error: io::Error, text: &Bound<'_, PyAny>| {
            let reason = error.to_string();
            // The system's text without the number behind it, as Python writes it.
            let reason = reason.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((error.raw_os_error(), reason, text.clone().unbind()))
        };
        let mut file = py.detach(|| File::open(&path)).map_err(|error| failed(error, &text))?;
        let mut piece = vec![0; PIECE];
        while py.detach(|| some_pieces(&hash, &mut file, &mut piece)).map_err(|error| failed(error, &text))? {
            py.check_signals()?;
        }
    } else if file.hasattr("getbuffer")? {
        from_memory(py, &hash, file)?;
    } else if file.hasattr("readinto")? {
        from_object(py, &hash, file)?;
    } else {
        return Err(PyTypeError::new_err("a path, or a file that is open for reading bytes (mode \"rb\")"));
    }
    Ok(hash)
}

/// Reads some pieces, and says whether there may be more. Signals, such as that of Ctrl-C, are looked at in between.
fn some_pieces(hash: &Hash, file: &mut File, piece: &mut [u8]) -> io::Result<bool> {
    for _ in 0..PIECES {
        match file.read(piece) {
            Ok(0) => return Ok(false),
            Ok(count) => hash.feed_detached(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => break,
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// A file in memory, such as `io.BytesIO`.
fn from_memory(py: Python<'_>, hash: &Hash, file: &Bound<'_, PyAny>) -> PyResult<()> {
    let at: usize = file.call_method0("tell")?.extract()?;
    let buffer = file.call_method0("getbuffer")?;
    let bytes = Bytes::new(&buffer)?;
    hash.feed(py, bytes.get(at..).unwrap_or_default());
    let end = bytes.len().max(at);
    drop(bytes);
    buffer.call_method0("release")?;
    file.call_method1("seek", (end,))?;
    Ok(())
}

fn from_object(py: Python<'_>, hash: &Hash, file: &Bound<'_, PyAny>) -> PyResult<()> {
    let buffer = PyByteArray::new(py, &vec![0; PIECE]);
    let view = py.import("builtins")?.call_method1("memoryview", (&buffer,))?;
    loop {
        let count: Option<usize> = file.call_method1("readinto", (&view,))?.extract()?;
        match count {
            None => return Err(PyBlockingIOError::new_err("the file has no bytes ready")),
            Some(0) => return Ok(()),
            Some(count) if count > PIECE => {
                return Err(PyValueError::new_err("readinto() returned more bytes than there is room for"));
            }
            Some(count) => {
                let part = view.get_item(PySlice::new(py, 0, count as isize, 1))?;
                hash.feed(py, &Bytes::new(&part)?);
            }
        }
    }
}
