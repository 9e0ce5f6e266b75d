//! Keys, names of keys, and the registry that binds a name to a key once.

use crate::column::Column;
use crate::error::{self, without_zero_byte};
use crate::ffi::Bytes;
use keylane::{halfsiphash, siphash};
use keylane_columns::{ColumnKey, KeyError, KeyFileError, KeyRegistry, NamedKey, same_key};
use pyo3::exceptions::{PyKeyError, PyOSError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::ffi::{CString, OsString};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

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
        check_optional_name(name)?;
        Ok(Key(ColumnKey::new(name, from_object(key)?)))
    }

    /// Reads a key: 32 hexadecimal digits, with or without an end of line, or 16 bytes.
    #[staticmethod]
    #[pyo3(signature = (path, /, *, name = ""))]
    fn from_file(py: Python<'_>, path: PathBuf, name: &str) -> PyResult<Self> {
        check_optional_name(name)?;
        Ok(Key(ColumnKey::new(name, read_file(py, &path)?)))
    }

    /// Reads a key from an environment variable: 32 hexadecimal digits.
    #[staticmethod]
    #[pyo3(signature = (variable, /, *, name = ""))]
    fn from_env(variable: OsString, name: &str) -> PyResult<Self> {
        check_optional_name(name)?;
        Ok(Key(ColumnKey::new(name, read_variable(variable)?)))
    }

    /// Makes a random key from the system's random number generator.
    #[staticmethod]
    #[pyo3(signature = (*, name = ""))]
    fn generate(name: &str) -> PyResult<Self> {
        check_optional_name(name)?;
        let key = siphash::Key::generate().map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(Key(ColumnKey::new(name, key)))
    }

    /// The subkey for a context of 1 to 255 bytes of UTF-8, such as "users.email". Those that begin with `KCE-` are
    /// reserved.
    ///
    /// A key from which you derive should hash nothing else: derive one subkey for each column, or give `context=` to the
    /// functions for columns. Never hash messages that others choose by siphash-4-8-128 under it: the tag of
    /// "keylane subkey 1\0" + context is the subkey. The functions for columns have no 4-8.
    #[pyo3(signature = (context, /))]
    fn derive(&self, context: &str) -> PyResult<Self> {
        derive(&self.0, context).map(Key)
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

    /// Whether both are the same key. The time does not depend on where they differ. Names and contexts do not count.
    fn __eq__(&self, other: &Self) -> bool {
        same_key(self.key(), other.key())
    }

    /// That of the check value, which is public.
    fn __hash__(&self) -> u64 {
        u64::from_str_radix(&self.0.check(), 16).unwrap_or_default()
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
    fn key(&self, py: Python<'_>) -> PyResult<Key> {
        self.find(py).map(Key)
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
    fn find(&self, py: Python<'_>) -> PyResult<ColumnKey> {
        let key = named_in_python(py, &self.name)?;
        self.contexts.iter().try_fold(key, |key, context| derive(&key, context))
    }

    pub fn parts(&self) -> (&str, &[String]) {
        (&self.name, &self.contexts)
    }
}

/// Binds a name to a key in this process: to `key`, or to the key in a file or in an environment variable. Without any of
/// them the name must be known already, or be that of a file in the folder `$KEYLANE_KEY_DIR`.
///
/// A name, once bound, cannot be bound to another key.
#[pyfunction]
#[pyo3(signature = (name, /, key = None, *, file = None, env = None))]
pub fn load(
    py: Python<'_>,
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
        (None, Some(file), None) => read_file(py, &file)?,
        (None, None, Some(variable)) => read_variable(variable)?,
        (None, None, None) => {
            named_in_python(py, &name)?;
            return Ok(KeyRef { name, contexts: Vec::new() });
        }
        _ => return Err(PyTypeError::new_err("give one of key, file and env")),
    };
    KEYS.bind(ColumnKey::new(name.as_str(), found)).map_err(error::key)?;
    Ok(KeyRef { name, contexts: Vec::new() })
}

static KEYS: KeyRegistry = KeyRegistry::new();

/// The key of this name: the one that was loaded, or else that of the file of this name in `$KEYLANE_KEY_DIR`.
pub fn named(name: &str) -> Result<ColumnKey, KeyError> {
    keylane_columns::check_name(name)?;
    KEYS.find(name).map(|found| found.key)
}

/// The same, while other threads run Python if a file is read. It warns of the rights of that file.
fn named_in_python(py: Python<'_>, name: &str) -> PyResult<ColumnKey> {
    check_name(name)?;
    if let Some(key) = KEYS.bound(name) {
        return Ok(key);
    }
    let found = py.detach(|| KEYS.find(name)).map_err(error::key)?;
    warn(py, found.others)?;
    Ok(found.key)
}

fn check_name(name: &str) -> PyResult<()> {
    keylane_columns::check_name(name).map_err(error::key)
}

fn check_optional_name(name: &str) -> PyResult<()> {
    if name.is_empty() { Ok(()) } else { check_name(name) }
}

fn check_context(context: &str) -> PyResult<()> {
    siphash::check_context(context).map_err(|fault| error::key(fault.into()))
}

/// The subkey for a context.
fn derive(key: &ColumnKey, context: &str) -> PyResult<ColumnKey> {
    key.derive(context).map_err(|fault| error::key(fault.into()))
}

/// The name in SQL, `NAME` or `NAME/CONTEXT`: that of a column of text whose rows are all the same. `None` if there are
/// no rows.
#[pyfunction]
#[pyo3(signature = (names, /))]
pub fn sql_name(names: &Column) -> PyResult<Option<KeyRef>> {
    let Some(text) = names.one_text()? else { return Ok(None) };
    let (name, context) = keylane_columns::split_name(&text).map_err(error::key)?;
    Ok(Some(KeyRef { name: name.into(), contexts: context.map(String::from).into_iter().collect() }))
}

/// The name of a key for an expression, which never carries a key.
pub fn for_expressions(key: &Bound<'_, PyAny>, context: Option<String>) -> PyResult<KeyRef> {
    let found = if let Ok(name) = key.cast::<PyString>() {
        KeyRef::new(name.to_str()?.to_owned(), Vec::new())?
    } else if let Ok(name) = key.cast::<KeyRef>() {
        name.get().clone()
    } else {
        return Err(PyTypeError::new_err(
            "an expression carries the name of a key: load the key by keylane.keys.load",
        ));
    };
    context.map_or(Ok(found.clone()), |context| found.derive(context))
}

/// The key for a column: a `Key`, a `KeyRef`, a name, or 16 bytes.
pub fn for_columns(key: &Bound<'_, PyAny>, context: Option<&str>) -> PyResult<ColumnKey> {
    let found = if let Ok(key) = key.cast::<Key>() {
        key.get().0.clone()
    } else if let Ok(name) = key.cast::<PyString>() {
        named_in_python(key.py(), name.to_str()?)?
    } else if let Ok(name) = key.cast::<KeyRef>() {
        name.get().find(key.py())?
    } else {
        ColumnKey::new("", from_object(key)?)
    };
    match context {
        Some(context) => derive(&found, context),
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
        Ok(work(name.get().find(key.py())?.key()))
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

/// Warns of a file that other users may read or write, as the command does. The path is not shown.
fn warn(py: Python<'_>, rights: Option<u32>) -> PyResult<()> {
    let Some(mode) = rights else { return Ok(()) };
    let text = format!("other users may read or change the key: the mode of its file is {mode:o}, not 600");
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(text)?, 1)
}

fn read_file(py: Python<'_>, path: &Path) -> PyResult<siphash::Key> {
    without_zero_byte(path)?;
    // The path is not shown: it may be a key by mistake.
    let found = py.detach(|| NamedKey::read("", path)).map_err(|error| match error {
        KeyFileError::Io(ref reason) => PyOSError::new_err((reason.raw_os_error(), error.to_string())),
        KeyFileError::Content { .. } => PyValueError::new_err(format!("the file is no key: {error}")),
        _ => PyValueError::new_err(error.to_string()),
    })?;
    warn(py, found.others)?;
    Ok(found.key.key().clone())
}

fn read_variable(variable: OsString) -> PyResult<siphash::Key> {
    let value = std::env::var_os(variable)
        .ok_or_else(|| PyKeyError::new_err("there is no such environment variable"))?;
    let value = Zeroizing::new(value.into_encoded_bytes());
    let wrong = |reason: String| PyValueError::new_err(format!("the variable is no key: {reason}"));
    if value.len() == 16 {
        return Err(wrong("expected 32 hexadecimal digits".into()));
    }
    keylane_columns::parse_key(&value).map_err(|error| wrong(error.to_string()))
}
