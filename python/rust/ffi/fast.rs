//! The functions of one message, without any step between Python and the kernel.

use super::bytes_of;
use crate::key::Key;
use crate::released::LONG;
use keylane::siphash::{self, SipHash13, SipHash24, SipHashX24};
use pyo3::ffi::{
    METH_FASTCALL, Py_ssize_t, PyBytes_FromStringAndSize, PyCFunction_NewEx, PyCFunctionFast,
    PyLong_FromUnsignedLongLong, PyMethodDef, PyMethodDefPointer, PyObject,
};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::slice;
/// Functions of a key and a message that Python calls without any step between: `METH_FASTCALL`. They serve the usual
/// arguments by themselves, and hand all others to the function of the same name with a `_` before it.
macro_rules! fast {
    ($name:ident, $slow:literal, $tag:expr) => {
        unsafe extern "C" fn $name(
            module: *mut PyObject,
            arguments: *mut *mut PyObject,
            count: Py_ssize_t,
        ) -> *mut PyObject {
            // SAFETY: Python calls this, so the thread is attached, and has `count` arguments for it.
            let (py, arguments) = unsafe { called(arguments, count) };
            let tag: fn(&siphash::Key, &[u8]) -> *mut PyObject = $tag;
            if let &[key, data] = arguments {
                // SAFETY: Python keeps the arguments of a call alive.
                let (key, data) = unsafe { (borrowed(py, key), borrowed(py, data)) };
                if let Some(data) = bytes_of(data).filter(|data| data.len() < LONG) {
                    if let Some(Ok(raw)) = bytes_of(key).map(<&[u8; 16]>::try_from) {
                        return tag(&siphash::Key::from_bytes(*raw), data);
                    }
                    if let Ok(key) = key.cast_exact::<Key>() {
                        return tag(key.get().key(), data);
                    }
                }
            }
            // SAFETY: Python hands over the module that the function belongs to.
            unsafe { others(py, module, $slow, arguments) }
        }
    };
}
fast!(fast13, c"_siphash13", |key, data| integer(SipHash13::new(key).hash(data)));
fast!(fast24, c"_siphash24", |key, data| integer(SipHash24::new(key).hash(data)));
fast!(fast_x24, c"_siphashx24", |key, data| {
    let tag = SipHashX24::new(key).hash(data).to_le_bytes();
    // SAFETY: there are 16 bytes.
    unsafe { PyBytes_FromStringAndSize(tag.as_ptr().cast(), 16) }
});

fn integer(tag: u64) -> *mut PyObject {
    // SAFETY: only functions that Python calls call this.
    unsafe { PyLong_FromUnsignedLongLong(tag) }
}

/// # Safety
/// Python calls a function with `count` arguments.
#[inline(always)]
unsafe fn called<'a>(arguments: *mut *mut PyObject, count: Py_ssize_t) -> (Python<'a>, &'a [*mut PyObject]) {
    // SAFETY: Python runs on this thread.
    let py = unsafe { Python::assume_attached() };
    if count == 0 {
        return (py, &[]);
    }
    // SAFETY: the caller says so.
    (py, unsafe { slice::from_raw_parts(arguments, count.cast_unsigned()) })
}

/// # Safety
/// `object` is alive as long as the call that it is an argument of.
#[inline(always)]
unsafe fn borrowed<'a>(py: Python<'a>, object: *mut PyObject) -> Borrowed<'a, 'a, PyAny> {
    // SAFETY: the caller says so.
    unsafe { Borrowed::from_ptr(py, object) }
}

/// Calls the function that takes all arguments.
///
/// # Safety
/// `module` is this module, and `arguments` are alive.
#[cold]
unsafe fn others(
    py: Python<'_>,
    module: *mut PyObject,
    slow: &CStr,
    arguments: &[*mut PyObject],
) -> *mut PyObject {
    // SAFETY: the caller hands over an object that is alive.
    let module = unsafe { borrowed(py, module) };
    let call = || {
        // SAFETY: the arguments are alive.
        let arguments = arguments.iter().map(|&object| unsafe { borrowed(py, object) });
        let arguments = PyTuple::new(py, arguments.collect::<Vec<_>>())?;
        module.getattr(slow.to_str().unwrap_or_default())?.call1(arguments)
    };
    match call() {
        Ok(found) => found.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}

/// What Python keeps of a function.
struct Definition(UnsafeCell<PyMethodDef>);

// SAFETY: nobody writes to it.
unsafe impl Sync for Definition {}

const fn definition(name: &'static CStr, function: PyCFunctionFast, doc: &'static CStr) -> Definition {
    Definition(UnsafeCell::new(PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: PyMethodDefPointer { PyCFunctionFast: function },
        ml_flags: METH_FASTCALL,
        ml_doc: doc.as_ptr(),
    }))
}

static FAST: [Definition; 3] = [
    definition(
        c"siphash13",
        fast13,
        c"siphash13(key, data, /)\n--\n\nThe tag of a message under SipHash-1-3: an integer of 64 bits.",
    ),
    definition(
        c"siphash24",
        fast24,
        c"siphash24(key, data, /)\n--\n\nThe tag of a message under SipHash-2-4: an integer of 64 bits.",
    ),
    definition(
        c"siphashx24",
        fast_x24,
        c"siphashx24(key, data, /)\n--\n\nThe tag of a message under SipHash-2-4: 16 bytes.",
    ),
];

/// Adds the functions of one message to the module.
pub fn add_fast_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let name = module.name()?;
    for definition in &FAST {
        // SAFETY: the definition is static, and Python takes references to the module and its name.
        let function = unsafe { PyCFunction_NewEx(definition.0.get(), module.as_ptr(), name.as_ptr()) };
        // SAFETY: Python returns a new reference, or null and an error.
        let function = unsafe { Bound::from_owned_ptr_or_err(py, function) }?;
        module.add(function.getattr("__name__")?.cast::<PyString>()?, &function)?;
    }
    Ok(())
}
