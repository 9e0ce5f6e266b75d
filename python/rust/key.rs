//! Keys, names of keys, and the registry that binds a name to a key once.

use crate::error;
use crate::ffi::Bytes;
use keylane::{halfsiphash, siphash};
use keylane_arrow::ColumnKey;
use pyo3::exceptions::{PyKeyError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// More bytes than any key has in any format. Reading stops there.
const LIMIT: u64 = 1024;

/// A key of 16 bytes for SipHash and for columns, with an optional name for metadata.
///
/// It shows its check value only, and is not pickled; a `KeyRef` is. When it is dropped, the memory of the key is wiped.
/// The `bytes` that it was made from belong to Python, which keeps and copies them as it likes. `from_file` and `generate`
/// leave none behind; Python keeps environment variables.
#[pyclass(frozen, module = "keylane")]
pub struct Key(ColumnKey);

#[pymethods]
impl Key {
    #[new]
    #[pyo3(signature = (key, /, *, name = ""))]
    fn new(key: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        Ok(Key(ColumnKey::new(name, from_object(key)?)))
    }

    /// Reads a key: 32 hexadecimal digits, with or without an end of line, or 16 bytes.
    #[staticmethod]
    #[pyo3(signature = (path, /, *, name = ""))]
    fn from_file(path: PathBuf, name: &str) -> PyResult<Self> {
        Ok(Key(ColumnKey::new(name, read_file(&path)?)))
    }

    /// Reads a key from an environment variable: 32 hexadecimal digits.
    #[staticmethod]
    #[pyo3(signature = (variable, /, *, name = ""))]
    fn from_env(variable: OsString, name: &str) -> PyResult<Self> {
        Ok(Key(ColumnKey::new(name, read_variable(variable)?)))
    }

    /// Makes a random key from the system's random number generator.
    #[staticmethod]
    #[pyo3(signature = (*, name = ""))]
    fn generate(name: &str) -> PyResult<Self> {
        let key = siphash::Key::generate().map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(Key(ColumnKey::new(name, key)))
    }

    /// The subkey for a context of 1 to 255 bytes of UTF-8, such as "users.email".
    ///
    /// Do not hash columns under a key from which you derive, if others choose values and see tags of
    /// siphash-2-4-128: the tag of the text "keylane subkey 1\0" + context is the subkey itself. Derive one subkey for
    /// each column, or give `context=` to the functions for columns.
    #[pyo3(signature = (context, /))]
    fn derive(&self, context: &str) -> PyResult<Self> {
        self.0.derive(context).map(Key).map_err(error::column)
    }

    /// The name, which is public.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The contexts by which this key was derived, in order.
    #[getter]
    fn contexts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.contexts())
    }

    /// The check value: 8 hexadecimal digits, which are public. Two people who see the same value hold the same key.
    fn check(&self) -> String {
        self.0.check()
    }

    fn __repr__(&self) -> String {
        format!("<keylane.Key check={}>", self.0.check())
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err("a key is not pickled; pickle a keylane.KeyRef, which holds its name"))
    }
}

impl Key {
    /// The key itself.
    #[inline]
    pub fn key(&self) -> &siphash::Key {
        self.0.key()
    }
}

/// The name of a key, and the contexts of a subkey. It holds no key, so it can be pickled.
#[pyclass(frozen, eq, hash, module = "keylane")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct KeyRef {
    name: String,
    contexts: Vec<String>,
}

#[pymethods]
impl KeyRef {
    #[new]
    #[pyo3(signature = (name, /, *contexts))]
    fn new(name: String, contexts: Vec<String>) -> PyResult<Self> {
        check_name(&name)?;
        for context in &contexts {
            check_context(context)?;
        }
        Ok(KeyRef { name, contexts })
    }

    /// The name of the subkey for a context.
    #[pyo3(signature = (context, /))]
    fn derive(&self, context: String) -> PyResult<Self> {
        check_context(&context)?;
        let mut contexts = self.contexts.clone();
        contexts.push(context);
        Ok(KeyRef { name: self.name.clone(), contexts })
    }

    /// The key that this name means in this process.
    fn key(&self) -> PyResult<Key> {
        self.find().map(Key)
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn contexts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.contexts)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let parts = std::iter::once(&self.name).chain(&self.contexts);
        let parts: PyResult<Vec<String>> =
            parts.map(|part| Ok(PyString::new(py, part).repr()?.to_string())).collect();
        Ok(format!("keylane.KeyRef({})", parts?.join(", ")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let this = slf.get();
        let parts = std::iter::once(&this.name).chain(&this.contexts);
        let parts: Vec<&String> = parts.collect();
        Ok((slf.get_type().into_any(), PyTuple::new(slf.py(), parts)?))
    }
}

impl KeyRef {
    fn find(&self) -> PyResult<ColumnKey> {
        let key = named(&self.name).map_err(Unknown::into_python)?;
        self.contexts.iter().try_fold(key, |key, context| key.derive(context)).map_err(error::column)
    }
}

/// Binds a name to a key in this process: to `key`, or to the key in a file or in an environment variable. Without any of
/// them the name must be known already, or be that of a file in the folder `$KEYLANE_KEY_DIR`.
///
/// A name, once bound, cannot be bound to another key.
#[pyfunction]
#[pyo3(signature = (name, /, key = None, *, file = None, env = None))]
pub fn load(
    name: String,
    key: Option<&Bound<'_, PyAny>>,
    file: Option<PathBuf>,
    env: Option<OsString>,
) -> PyResult<KeyRef> {
    check_name(&name)?;
    let found = match (key, file, env) {
        (Some(key), None, None) => match key.cast::<Key>() {
            Ok(key) => key.get().0.key().clone(),
            Err(_) => from_object(key)?,
        },
        (None, Some(file), None) => read_file(&file)?,
        (None, None, Some(variable)) => read_variable(variable)?,
        (None, None, None) => {
            named(&name).map_err(Unknown::into_python)?;
            return Ok(KeyRef { name, contexts: Vec::new() });
        }
        _ => return Err(PyTypeError::new_err("give one of key, file and env")),
    };
    bind(ColumnKey::new(name.as_str(), found)).map_err(PyValueError::new_err)?;
    Ok(KeyRef { name, contexts: Vec::new() })
}

static KEYS: Mutex<Option<HashMap<String, ColumnKey>>> = Mutex::new(None);

/// Nothing panics while it holds the lock.
fn registry() -> MutexGuard<'static, Option<HashMap<String, ColumnKey>>> {
    KEYS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Binds the name of a key, unless it is bound to another one.
fn bind(key: ColumnKey) -> Result<(), String> {
    let mut registry = registry();
    let keys = registry.get_or_insert_with(HashMap::new);
    match keys.get(key.name()) {
        Some(bound) if !same(bound.key(), key.key()) => {
            Err(format!("the name {:?} is bound to another key", key.name()))
        }
        Some(_) => Ok(()),
        None => {
            keys.insert(key.name().into(), key);
            Ok(())
        }
    }
}

/// Whether two keys are the same one. The time does not depend on where they differ.
fn same(one: &siphash::Key, other: &siphash::Key) -> bool {
    let tag = siphash::SipHashX24::new(other).hash(b"");
    siphash::SipHashX24::new(one).verify(b"", tag).is_ok()
}

/// Why a name has no key.
pub struct Unknown(String, bool);

impl Unknown {
    pub fn message(self) -> String {
        self.0
    }

    fn into_python(self) -> PyErr {
        if self.1 { PyKeyError::new_err(self.0) } else { PyValueError::new_err(self.0) }
    }
}

/// The key of this name: the one that was loaded, or else that of the file of this name in `$KEYLANE_KEY_DIR`.
pub fn named(name: &str) -> Result<ColumnKey, Unknown> {
    name_fault(name).map_or(Ok(()), |fault| Err(Unknown(fault, false)))?;
    if let Some(key) = registry().as_ref().and_then(|keys| keys.get(name)) {
        return Ok(key.clone());
    }
    let unknown = |what: &str| Unknown(format!("no key is loaded under the name {name:?}{what}"), true);
    let Some(folder) = std::env::var_os("KEYLANE_KEY_DIR") else { return Err(unknown("")) };
    let is_file = !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    if !is_file {
        return Err(unknown(", and $KEYLANE_KEY_DIR is not searched for such a name"));
    }
    let bytes = read_bounded(&Path::new(&folder).join(name));
    let bytes = bytes.map_err(|_| unknown(", and $KEYLANE_KEY_DIR has no such file"))?;
    let key = decode(&bytes).map_err(|reason| unknown(&format!(", and its file is no key: {reason}")))?;
    let key = ColumnKey::new(name, key);
    // Another thread may have bound the name meanwhile.
    bind(key.clone()).map_err(|message| Unknown(message, false))?;
    Ok(key)
}

/// Why a name is refused. One that may be a key is not repeated.
fn name_fault(name: &str) -> Option<String> {
    let hex = name.len() >= 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let base64 = name.len() == 24 && name.ends_with("==");
    if hex || base64 {
        return Some("this looks like a key, not like the name of one; it is not shown".into());
    }
    (!(1..=255).contains(&name.len())).then(|| "a name of a key has 1 to 255 bytes".into())
}

fn check_name(name: &str) -> PyResult<()> {
    name_fault(name).map_or(Ok(()), |fault| Err(PyValueError::new_err(fault)))
}

fn check_context(context: &str) -> PyResult<()> {
    if (1..=255).contains(&context.len()) {
        return Ok(());
    }
    Err(error::column(keylane_arrow::ColumnError::Context { bytes: context.len() }))
}

/// The key for a column: a `Key`, a `KeyRef`, a name, or 16 bytes.
pub fn for_columns(key: &Bound<'_, PyAny>, context: Option<&str>) -> PyResult<ColumnKey> {
    let found = if let Ok(key) = key.cast::<Key>() {
        key.get().0.clone()
    } else if let Ok(name) = key.cast::<PyString>() {
        named(name.to_str()?).map_err(Unknown::into_python)?
    } else if let Ok(name) = key.cast::<KeyRef>() {
        name.get().find()?
    } else {
        ColumnKey::new("", from_object(key)?)
    };
    match context {
        Some(context) => found.derive(context).map_err(error::column),
        None => Ok(found),
    }
}

/// Calls `work` with the key for messages: 16 bytes, a `Key` or a `KeyRef`.
#[inline]
pub fn with_key<R>(key: &Bound<'_, PyAny>, work: impl FnOnce(&siphash::Key) -> R) -> PyResult<R> {
    if key.is_instance_of::<PyBytes>() {
        Ok(work(&from_object(key)?))
    } else if let Ok(key) = key.cast::<Key>() {
        Ok(work(key.get().0.key()))
    } else if let Ok(name) = key.cast::<KeyRef>() {
        Ok(work(name.get().find()?.key()))
    } else {
        Ok(work(&from_object(key)?))
    }
}

/// A key from an object with 16 bytes.
#[inline]
fn from_object(key: &Bound<'_, PyAny>) -> PyResult<siphash::Key> {
    Ok(siphash::Key::from_bytes(*exactly::<16>(key)?))
}

/// A key of HalfSipHash: 8 bytes.
pub fn half(key: &Bound<'_, PyAny>) -> PyResult<halfsiphash::Key> {
    Ok(halfsiphash::Key::from_bytes(*exactly::<8>(key)?))
}

/// The `N` bytes of an object.
#[inline]
pub fn exactly<const N: usize>(key: &Bound<'_, PyAny>) -> PyResult<Zeroizing<[u8; N]>> {
    // Neither the object nor its type's name is shown.
    let bytes = Bytes::new(key)
        .map_err(|_| PyTypeError::new_err(format!("a key is {N} bytes in an object such as bytes")))?;
    let array = <[u8; N]>::try_from(&*bytes);
    let wrong = |_| PyValueError::new_err(format!("a key here has {N} bytes, not {}", bytes.len()));
    array.map(Zeroizing::new).map_err(wrong)
}

fn read_bounded(path: &Path) -> std::io::Result<Zeroizing<Vec<u8>>> {
    // Enough room from the start, so that no copy stays behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(LIMIT as usize));
    File::open(path)?.take(LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_file(path: &Path) -> PyResult<siphash::Key> {
    // The path is not shown: it may be a key by mistake.
    let bytes = read_bounded(path).map_err(|error| {
        PyOSError::new_err((error.raw_os_error(), format!("the file of a key: {}", error.kind())))
    })?;
    decode(&bytes).map_err(|reason| PyValueError::new_err(format!("the file is no key: {reason}")))
}

fn read_variable(variable: OsString) -> PyResult<siphash::Key> {
    let value = std::env::var_os(variable)
        .ok_or_else(|| PyKeyError::new_err("there is no such environment variable"))?;
    let value = Zeroizing::new(value.into_encoded_bytes());
    let key = if value.len() == 16 { Err("expected 32 hexadecimal digits".into()) } else { decode(&value) };
    key.map_err(|reason: String| PyValueError::new_err(format!("the variable is no key: {reason}")))
}

/// A key from 32 hexadecimal digits, with or without an end of line, or from 16 bytes.
fn decode(found: &[u8]) -> Result<siphash::Key, String> {
    let line = found.strip_suffix(b"\n").unwrap_or(found);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let hex = !line.is_empty() && line.iter().all(u8::is_ascii_hexdigit);
    if let Ok(bytes) = <[u8; 16]>::try_from(found)
        && !hex
    {
        return Ok(siphash::Key::from_bytes(*Zeroizing::new(bytes)));
    }
    let wrong = || format!("expected 32 hexadecimal digits or 16 other bytes, found {} bytes", found.len());
    if !hex || line.len() != 32 {
        return Err(wrong());
    }
    let mut bytes = Zeroizing::new([0; 16]);
    for (byte, pair) in bytes.iter_mut().zip(line.chunks_exact(2)) {
        let &[high, low] = pair else { return Err(wrong()) };
        *byte = digit(high) << 4 | digit(low);
    }
    Ok(siphash::Key::from_bytes(*bytes))
}

/// The value of a hexadecimal digit. No table is read, and nothing branches on it.
fn digit(digit: u8) -> u8 {
    (digit & 15) + 9 * (digit >> 6)
}
