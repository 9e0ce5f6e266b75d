//! The module `keylane._keylane`: SipHash, Poly1305, ChaCha20-Poly1305 and KCE-1 for Python, and a plugin for Polars in the
//! same file.
//!
//! * `key` has keys, names of keys, and the registry that binds them.
//! * `message` has the functions of one message and of many, and `algorithm` the names that they take.
//! * `stream` and `poly1305` have the objects that take messages in pieces; `file` feeds them from files.
//! * `aead` has ChaCha20-Poly1305, for one packet and for many; `packets` seals and opens those of lists and columns.
//! * `column` has columns: in, hashed, and out. `objects` reads columns of Python objects.
//! * `accessor` has the namespaces of series and expressions, so that no frame of Python holds a key.
//! * `kwargs` reads the arguments that Polars keeps.
//! * `ffi` with its `fast`, and `plugin`, are the only files with `unsafe`: the memory of others, functions that Python
//!   calls, and functions for Polars.
//! * `released` says when other threads may run Python.

mod accessor;
mod aead;
mod algorithm;
mod column;
mod error;
mod ffi;
mod file;
mod key;
mod kwargs;
mod message;
mod objects;
mod packets;
mod plugin;
mod poly1305;
mod released;
mod stream;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _keylane {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::ffi::one_interpreter(module.py())?;
        // What a library says as it panics may show values. Its panics become exceptions.
        std::panic::set_hook(Box::new(|_| {}));
        crate::ffi::fast::add_fast_functions(module)
    }

    #[pymodule_export]
    use crate::accessor::{ExprAccessor, SeriesAccessor, rows_expression};
    #[pymodule_export]
    use crate::aead::{ChaCha20Poly1305, XChaCha20Poly1305};
    #[pymodule_export]
    use crate::column::{Column, Hasher, hash_column, hash_rows, metadata, pseudonymize, sample};
    #[pymodule_export]
    use crate::error::TagMismatch;
    #[pymodule_export]
    use crate::ffi::Memory;
    #[pymodule_export]
    use crate::file::file_digest;
    #[pymodule_export]
    use crate::key::{Key, KeyRef, load, sql_name};
    #[pymodule_export]
    use crate::message::{hash_many, poly1305, siphash13, siphash24, siphashx24, verify};
    #[pymodule_export]
    use crate::poly1305::Poly1305;
    #[pymodule_export]
    use crate::stream::{Hash, new};
}
