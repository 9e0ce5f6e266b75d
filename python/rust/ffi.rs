//! The memory of others: Python's buffer protocol, and Arrow's C data interface in capsules.
//!
//! Writers that change a buffer while it is hashed, in another thread, make tags of no message in particular. The
//! documentation says so. Kernels neither branch on message bytes nor use them as addresses. Offsets and views come
//! from Arrow's arrays, which nobody may change.

#![allow(unsafe_code)]

pub mod fast;

use crate::error::contradiction;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, NullArray, make_array, new_empty_array};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyImportError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::ffi::{
    Py_SIZE, Py_buffer, PyBUF_FORMAT, PyBUF_ND, PyBuffer_FillInfo, PyBuffer_Release, PyBytes_AsStringAndSize,
    PyBytes_Check, PyInterpreterState_Get, PyInterpreterState_GetID, PyList_GetItem, PyList_New,
    PyList_SetItem, PyLong_FromUnsignedLongLong, PyObject, PyObject_CheckBuffer, PyObject_GetBuffer,
    PyTuple_GetItem,
};
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyBytes, PyCapsule, PyList, PySlice, PyString, PyTuple};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::offset_of;
use std::ops::{Deref, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

/// Refuses a second interpreter in one process: the types of this module belong to the first.
pub fn one_interpreter(py: Python<'_>) -> PyResult<()> {
    static FIRST: AtomicI64 = AtomicI64::new(-1);
    // SAFETY: a thread that is attached to Python has an interpreter.
    let current = unsafe { PyInterpreterState_Get() };
    // SAFETY: it is one that exists.
    let current = unsafe { PyInterpreterState_GetID(current) };
    if current < 0 {
        return Err(PyErr::fetch(py));
    }
    match FIRST.compare_exchange(-1, current, Ordering::SeqCst, Ordering::SeqCst) {
        Err(first) if first != current => {
            Err(PyImportError::new_err("keylane runs in one interpreter of a process"))
        }
        _ => Ok(()),
    }
}

/// The bytes of an object: those of `bytes` itself, or of any object with the buffer protocol.
pub enum Bytes<'a> {
    Object(&'a [u8]),
    Buffer(View),
}

impl<'a> Bytes<'a> {
    #[inline]
    pub fn new(object: &'a Bound<'_, PyAny>) -> PyResult<Bytes<'a>> {
        match object.cast::<PyBytes>() {
            Ok(bytes) => Ok(Bytes::Object(bytes.as_bytes())),
            Err(_) => Bytes::buffer(object),
        }
    }

    fn buffer(object: &Bound<'_, PyAny>) -> PyResult<Bytes<'a>> {
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("a message is bytes; encode a str, for example as UTF-8"));
        }
        Ok(Bytes::Buffer(View::new(object)?))
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Object(bytes) => bytes,
            Bytes::Buffer(view) if view.0.len <= 0 || view.0.buf.is_null() => &[],
            Bytes::Buffer(view) => {
                let start = view.0.buf.cast::<u8>();
                // SAFETY: a contiguous buffer has `len` bytes from here on, and it stays until it is released, which
                // is when `self` is dropped.
                unsafe { slice::from_raw_parts(start, view.0.len.cast_unsigned()) }
            }
        }
    }
}

/// A contiguous buffer that Python lends, of any number of dimensions.
pub struct View(Box<Py_buffer>);

// SAFETY: the description of a buffer does not change. What threads do with its bytes is theirs to agree on.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<View> {
        // SAFETY: the object is alive.
        if unsafe { PyObject_CheckBuffer(object.as_ptr()) } == 0 {
            return Err(PyTypeError::new_err(
                "a message is an object with the buffer protocol, such as bytes",
            ));
        }
        let mut view = Box::new(Py_buffer::new());
        // Who asks for no strides gets contiguous bytes, or an error.
        // SAFETY: the object is alive, and `view` is a place for a description, which stays where it is.
        let result = unsafe { PyObject_GetBuffer(object.as_ptr(), &mut *view, PyBUF_ND | PyBUF_FORMAT) };
        if result != 0 {
            drop(PyErr::take(object.py()));
            return Err(PyBufferError::new_err("the bytes of a message are contiguous"));
        }
        let view = View(view);
        if !view.0.format.is_null() {
            // SAFETY: a format that is not null ends with a zero byte, and stays as long as the buffer.
            let format = unsafe { CStr::from_ptr(view.0.format) };
            if has_pointers(format.to_bytes()) {
                return Err(PyTypeError::new_err("a message is bytes; this buffer holds addresses"));
            }
        }
        Ok(view)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: the buffer was lent to this description, and is given back once, by a thread that runs Python.
        Python::attach(|_| unsafe { PyBuffer_Release(&mut *self.0) });
    }
}

/// Whether a format of the buffer protocol has objects or other pointers in it. Names in it stand between colons.
fn has_pointers(format: &[u8]) -> bool {
    let mut codes = format.split(|&byte| byte == b':').step_by(2).flatten().copied().peekable();
    while let Some(code) = codes.next() {
        let is_complex = code == b'Z' && matches!(codes.peek(), Some(b'f' | b'd' | b'g'));
        if matches!(code, b'O' | b'P' | b'&' | b'X' | b'z' | b'Z') && !is_complex {
            return true;
        }
    }
    false
}

/// The bytes of a `bytes` object, without a check of anything else.
#[inline(always)]
pub fn bytes_of<'a>(object: Borrowed<'a, '_, PyAny>) -> Option<&'a [u8]> {
    // SAFETY: the object is alive while it is borrowed.
    if unsafe { PyBytes_Check(object.as_ptr()) } == 0 {
        return None;
    }
    let (mut start, mut length) = (std::ptr::null_mut(), 0);
    // SAFETY: it is a `bytes`, and both places are there to be written to.
    let result = unsafe { PyBytes_AsStringAndSize(object.as_ptr(), &mut start, &mut length) };
    if result != 0 || start.is_null() {
        return None;
    }
    // SAFETY: a `bytes` has this many bytes, and they neither change nor move.
    Some(unsafe { slice::from_raw_parts(start.cast(), length.cast_unsigned()) })
}

/// How far the bytes of a `bytes` object lie behind its start. They are inside of the object, at the same distance in all.
#[derive(Clone, Copy)]
pub struct Inside(usize);

impl Inside {
    /// Looks at objects, once in a process. `None` if they are not as expected.
    pub fn seen(py: Python<'_>) -> Option<Inside> {
        static SEEN: OnceLock<Option<usize>> = OnceLock::new();
        let distance = |length: usize| {
            let object = PyBytes::new(py, &vec![1; length]);
            object.as_bytes().as_ptr().addr().checked_sub(object.as_ptr().addr())
        };
        let look = || {
            let found = distance(0)?;
            let same = [1, 7, 8, 100, 5000].into_iter().all(|length| distance(length) == Some(found));
            // The size of the type says the same: its own fields, and the zero byte at the end.
            let size = py.get_type::<PyBytes>().getattr("__basicsize__").ok()?.extract::<usize>().ok()?;
            (same && size == found + 1).then_some(found)
        };
        SEEN.get_or_init(look).map(Inside)
    }

    /// The bytes of a `bytes` object, unless it is one of a subclass.
    #[inline(always)]
    pub fn bytes_of<'a>(self, object: Borrowed<'a, '_, PyAny>) -> Option<&'a [u8]> {
        if !object.is_exact_instance_of::<PyBytes>() {
            return None;
        }
        // SAFETY: a `bytes` is an object with a size.
        let length = unsafe { Py_SIZE(object.as_ptr()) };
        // SAFETY: all `bytes` objects that `seen` looked at have their bytes so far behind their start, and the size of
        // the type leaves no other place for them.
        let start = unsafe { object.as_ptr().cast::<u8>().add(self.0) };
        // SAFETY: a `bytes` has this many bytes, and they neither change nor move.
        Some(unsafe { slice::from_raw_parts(start, length.cast_unsigned()) })
    }
}

/// Calls `work` with the bytes of the objects from `start` to `end` of a list or tuple, at most N. `None` if they are not all
/// `bytes`.
pub fn with_bytes<const N: usize, R>(
    messages: &Bound<'_, PyAny>,
    inside: Inside,
    range: Range<usize>,
    work: impl FnOnce(&[&[u8]]) -> R,
) -> Option<R> {
    let item = if messages.is_instance_of::<PyList>() { PyList_GetItem } else { PyTuple_GetItem };
    // Nobody changes a list meanwhile: this thread runs no Python until `work` is done, and where threads run Python at the
    // same time, it holds the lock of the list.
    with_critical_section(messages, || {
        let mut slices: [&[u8]; N] = [&[]; N];
        let slices = slices.get_mut(..range.len())?;
        for (place, slice) in range.zip(slices.iter_mut()) {
            // SAFETY: it is a list or a tuple, which is alive; a place that it does not have gives null and an error.
            let object = unsafe { item(messages.as_ptr(), place.cast_signed()) };
            if object.is_null() {
                drop(PyErr::take(messages.py()));
                return None;
            }
            // SAFETY: the list keeps the object alive as long as nobody changes it.
            *slice = inside.bytes_of(unsafe { Borrowed::from_ptr(messages.py(), object) })?;
        }
        Some(work(slices))
    })
}

/// A new list, which is filled from its start on.
pub struct NewList<'py> {
    list: Bound<'py, PyList>,
    filled: usize,
}

impl<'py> NewList<'py> {
    /// A list with room for `count` objects.
    pub fn of(py: Python<'py>, count: usize) -> PyResult<NewList<'py>> {
        // SAFETY: `py` says that Python runs on this thread.
        let list = unsafe { PyList_New(count.cast_signed()) };
        // SAFETY: Python returns a new reference, or null and an error.
        let list = unsafe { Bound::from_owned_ptr_or_err(py, list) }?;
        Ok(NewList { list: list.cast_into()?, filled: 0 })
    }

    /// Fills the next place.
    #[inline(always)]
    pub fn push(&mut self, object: Bound<'py, PyAny>) -> PyResult<()> {
        let place = self.filled.cast_signed();
        // SAFETY: the list is alive, and takes over the reference. A place that it does not have is an error.
        let result = unsafe { PyList_SetItem(self.list.as_ptr(), place, object.into_ptr()) };
        if result != 0 {
            return Err(PyErr::fetch(self.list.py()));
        }
        self.filled += 1;
        Ok(())
    }

    /// The list, without places that were not filled.
    pub fn finish(self) -> PyResult<Bound<'py, PyList>> {
        if self.filled < self.list.len() {
            self.list.del_slice(self.filled, self.list.len())?;
        }
        Ok(self.list)
    }
}

/// A NumPy array of objects, which is filled from its start on.
pub struct Places<'py> {
    start: *mut *mut PyObject,
    count: usize,
    filled: usize,
    py: Python<'py>,
    /// Keeps the memory where it is.
    _buffer: PyUntypedBuffer,
}

impl<'py> Places<'py> {
    /// The places of an array, of which there are `count`.
    pub fn of(array: &Bound<'py, PyAny>, count: usize) -> PyResult<Places<'py>> {
        let buffer = PyUntypedBuffer::get(array)?;
        let start = buffer.buf_ptr().cast::<*mut PyObject>();
        let is_of_objects = buffer.format().to_bytes() == b"O" && buffer.item_size() == size_of_val(&start);
        let is_whole = buffer.is_c_contiguous() && !buffer.readonly() && start.is_aligned();
        if !is_of_objects || !is_whole || buffer.item_count() != count {
            return Err(PyTypeError::new_err("an array of objects is needed, with a place for each row"));
        }
        Ok(Places { start, count, filled: 0, py: array.py(), _buffer: buffer })
    }

    /// Fills the next place.
    #[inline(always)]
    pub fn push(&mut self, object: Bound<'py, PyAny>) -> PyResult<()> {
        if self.filled >= self.count {
            return Err(PyValueError::new_err("there are more rows than places"));
        }
        // SAFETY: the array has more places than `filled`, and keeps them while its buffer is lent.
        let place = unsafe { self.start.add(self.filled) };
        self.filled += 1;
        // SAFETY: a place holds a reference, which is handed over in exchange for a new one.
        let before = unsafe { place.replace(object.into_ptr()) };
        // SAFETY: that reference was the array's. In a new array it may be null.
        drop(unsafe { Bound::from_owned_ptr_or_opt(self.py, before) });
        Ok(())
    }
}

/// An integer of Python.
#[inline(always)]
pub fn python_integer(py: Python<'_>, tag: u64) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: `py` says that Python runs on this thread.
    let number = unsafe { PyLong_FromUnsignedLongLong(tag) };
    // SAFETY: Python returns a new reference, or null and an error.
    unsafe { Bound::from_owned_ptr_or_err(py, number) }
}

/// A part of a list, a tuple or a NumPy array, as a list that nobody else has.
pub struct Part<'py>(Bound<'py, PyList>);

impl<'py> Part<'py> {
    /// How many objects there are. A subclass may say anything about its length, so a list or tuple itself says it.
    pub fn whole(objects: &Bound<'py, PyAny>) -> PyResult<usize> {
        if let Ok(list) = objects.cast::<PyList>() {
            return Ok(list.len());
        }
        match objects.cast::<PyTuple>() {
            Err(_) if objects.hasattr("tolist")? => objects.len(),
            tuple => Ok(tuple?.len()),
        }
    }

    pub fn of(objects: &Bound<'py, PyAny>, start: usize, end: usize) -> PyResult<Part<'py>> {
        if let Ok(list) = objects.cast::<PyList>() {
            return Ok(Part(list.get_slice(start, end)));
        }
        if let Ok(tuple) = objects.cast::<PyTuple>() {
            return Ok(Part(tuple.get_slice(start, end).to_list()));
        }
        let slice = PySlice::new(objects.py(), start.cast_signed(), end.cast_signed(), 1);
        Ok(Part(objects.get_item(slice)?.call_method0("tolist")?.cast_into()?))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The item of a place below the length.
    #[inline(always)]
    pub fn item<'a>(&'a self, place: usize) -> Option<Borrowed<'a, 'py, PyAny>> {
        // SAFETY: the list is alive; a place that it does not have gives null and an error.
        let item = unsafe { PyList_GetItem(self.0.as_ptr(), place.cast_signed()) };
        if item.is_null() {
            drop(PyErr::take(self.0.py()));
            return None;
        }
        // SAFETY: the list keeps the item alive, and nobody but `self` has it to change it.
        Some(unsafe { Borrowed::from_ptr(self.0.py(), item) })
    }
}

/// The elements of a buffer of one dimension, one after the other, in the byte order of this CPU.
pub struct Elements {
    pub bytes: Buffer,
    pub count: usize,
    /// The format of an element, without its byte order.
    pub format: String,
    pub width: usize,
}

impl Elements {
    /// The same in memory that nobody else has.
    pub fn owned(mut self) -> PyResult<Elements> {
        let mut own = room(self.bytes.len(), 1)?;
        own.extend_from_slice(self.bytes.as_slice());
        self.bytes = own.into();
        Ok(self)
    }
}

/// Reads a buffer. It is copied only if that is needed.
pub fn elements(object: &Bound<'_, PyAny>) -> PyResult<Elements> {
    let buffer = PyUntypedBuffer::get(object)?;
    let &[count] = buffer.shape() else {
        return Err(PyTypeError::new_err(format!("a column has one dimension, not {}", buffer.dimensions())));
    };
    let format = buffer.format().to_str().unwrap_or_default();
    let (swapped, format) = match format.as_bytes().first() {
        Some(b'<') => (cfg!(target_endian = "big"), format.get(1..)),
        Some(b'>' | b'!') => (cfg!(target_endian = "little"), format.get(1..)),
        Some(b'@' | b'=') => (false, format.get(1..)),
        _ => (false, Some(format)),
    };
    let (format, width) = (format.unwrap_or_default().to_owned(), buffer.item_size());
    if buffer.suboffsets().is_some_and(|offsets| offsets.iter().any(|&offset| offset >= 0)) {
        return Err(PyBufferError::new_err("a column of pointers is not hashed"));
    }
    // Bytes have no order.
    let swapped = swapped && !format.ends_with(['x', 's']);
    let start = buffer.buf_ptr().cast::<u8>();
    let aligned = start.align_offset(16.min(width.next_power_of_two().max(1))) == 0;
    let Some(start) = NonNull::new(start).filter(|_| count > 0 && width > 0) else {
        return Ok(Elements { bytes: MutableBuffer::new(0).into(), count, format, width });
    };
    if buffer.is_c_contiguous() && aligned && !swapped {
        let length = buffer.len_bytes();
        let owner = Arc::new(AssertUnwindSafe(buffer));
        // SAFETY: a contiguous buffer has `length` bytes from `start` on, and stays as long as its owner.
        let bytes = unsafe { Buffer::from_custom_allocation(start, length, owner) };
        return Ok(Elements { bytes, count, format, width });
    }
    let &[stride] = buffer.strides() else { return Err(PyBufferError::new_err("a buffer without strides")) };
    let mut bytes = room(count, width)?;
    for row in 0..count {
        // SAFETY: by the buffer protocol the element of each row lies `row * stride` bytes from the first.
        let element = unsafe { start.as_ptr().offset(stride * row as isize) };
        // SAFETY: an element has `width` bytes; the buffer is not released before this function returns.
        let element = unsafe { slice::from_raw_parts(element, width) };
        bytes.extend_from_slice(element);
        if swapped && let Some(copied) = bytes.as_slice_mut().last_chunk_mut_of(width) {
            copied.reverse();
        }
    }
    Ok(Elements { bytes: bytes.into(), count, format, width })
}

/// An empty buffer with room for `count` elements, if there is enough memory.
fn room(count: usize, width: usize) -> PyResult<MutableBuffer> {
    count
        .checked_mul(width)
        .and_then(|size| MutableBuffer::try_with_capacity(size).ok())
        .ok_or_else(|| PyMemoryError::new_err("there is not enough memory to copy the column"))
}

trait LastBytes {
    fn last_chunk_mut_of(&mut self, width: usize) -> Option<&mut [u8]>;
}

impl LastBytes for [u8] {
    fn last_chunk_mut_of(&mut self, width: usize) -> Option<&mut [u8]> {
        let start = self.len().checked_sub(width)?;
        self.get_mut(start..)
    }
}

/// Memory that Python owns: the results for NumPy. It has the buffer protocol.
#[pyclass(frozen, module = "keylane")]
pub struct Memory {
    start: NonNull<u8>,
    length: usize,
    /// Keeps the memory.
    _owner: MutableBuffer,
}

// SAFETY: the memory belongs to this object alone, and does not move. What threads do with the buffers that it hands
// out is theirs to agree on, as with every writable buffer.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    pub fn new(mut bytes: MutableBuffer) -> Memory {
        let (length, start) = (bytes.len(), bytes.as_mut_ptr());
        Memory { start: NonNull::new(start).unwrap_or(NonNull::dangling()), length, _owner: bytes }
    }
}

#[pymethods]
impl Memory {
    fn __len__(&self) -> usize {
        self.length
    }

    /// # Safety
    /// Python calls this with a place for a description of the buffer.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
        let this = slf.get();
        let (start, length) = (this.start.as_ptr().cast::<c_void>(), this.length.cast_signed());
        // SAFETY: the memory has `length` bytes and lives as long as this object, to which `view` gets a reference.
        let result = unsafe { PyBuffer_FillInfo(view, slf.as_ptr(), start, length, 0, flags) };
        if result == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// The arrays of an object with `__arrow_c_stream__` or `__arrow_c_array__`, and their field.
pub fn import(object: &Bound<'_, PyAny>) -> PyResult<(FieldRef, Vec<ArrayRef>)> {
    let py = object.py();
    let malformed = |error: ArrowError| PyValueError::new_err(error.to_string());
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let stream = pointer::<FFI_ArrowArrayStream>(&capsule, c"arrow_array_stream")?;
        // SAFETY: by the PyCapsule interface a capsule of this name holds a stream, which begins like this.
        unfinished(unsafe { stream.cast::<StreamHead>().as_ref() }.release)?;
        // SAFETY: by the PyCapsule interface a capsule of this name holds a stream, which is moved out here.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        // The producer may wait for threads that need Python.
        return py.detach(|| guarded(|| read(&mut stream))).map_err(malformed);
    }
    let capsules = object.call_method0("__arrow_c_array__")?;
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = capsules.extract()?;
    let schema = pointer::<FFI_ArrowSchema>(&schema, c"arrow_schema")?;
    let array = pointer::<FFI_ArrowArray>(&array, c"arrow_array")?;
    // SAFETY: by the PyCapsule interface a capsule of this name holds a schema, which begins like this.
    unfinished(unsafe { schema.cast::<SchemaHead>().as_ref() }.release)?;
    // SAFETY: by the PyCapsule interface a capsule of this name holds an array, which begins like this.
    unfinished(unsafe { array.cast::<ArrayHead>().as_ref() }.release)?;
    // SAFETY: by the PyCapsule interface a capsule of this name holds a schema, which is moved out here.
    let schema = unsafe { FFI_ArrowSchema::from_raw(schema.as_ptr()) };
    // SAFETY: by the PyCapsule interface a capsule of this name holds an array, which is moved out here.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
    let import = || {
        let field = Arc::new(Field::try_from(&schema)?);
        let array = received(array, field.data_type())?;
        Ok((field, vec![array]))
    };
    guarded(import).map_err(malformed)
}

/// How a stream begins in memory, up to the function that frees it.
#[repr(C)]
struct StreamHead {
    callbacks: [*const c_void; 3],
    release: *const c_void,
}

/// How a schema begins in memory.
#[repr(C)]
struct SchemaHead {
    texts: [*const c_void; 3],
    numbers: [i64; 2],
    parts: [*const c_void; 2],
    release: *const c_void,
}

/// How an array begins in memory.
#[repr(C)]
struct ArrayHead {
    numbers: [i64; 5],
    parts: [*const c_void; 3],
    release: *const c_void,
}

// `private_data` follows and ends each.
const _: () = {
    const POINTER: usize = size_of::<*const c_void>();
    assert!(size_of::<FFI_ArrowArrayStream>() == offset_of!(StreamHead, release) + 2 * POINTER);
    assert!(size_of::<FFI_ArrowSchema>() == offset_of!(SchemaHead, release) + 2 * POINTER);
    assert!(size_of::<FFI_ArrowArray>() == offset_of!(ArrayHead, release) + 2 * POINTER);
};

/// Refuses what was moved out before. Only `release` says so: other fields may still hold addresses of freed memory.
fn unfinished(release: *const c_void) -> PyResult<()> {
    if release.is_null() {
        return Err(PyValueError::new_err("the Arrow capsule was used already, and a capsule serves once"));
    }
    Ok(())
}

/// The field and the arrays of a stream.
fn read(stream: &mut FFI_ArrowArrayStream) -> Result<(FieldRef, Vec<ArrayRef>), ArrowError> {
    let released = || ArrowError::CDataInterface("the stream is released already".into());
    let (get_schema, get_next) = stream.get_schema().zip(stream.get_next()).ok_or_else(released)?;
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the function belongs to this stream, which is not released, and `schema` holds none.
    if unsafe { get_schema(stream, &mut schema) } != 0 {
        return Err(producer_error(stream));
    }
    let field = Arc::new(Field::try_from(&schema)?);
    let mut chunks = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the function belongs to this stream, which is not released, and `array` holds none.
        if unsafe { get_next(stream, &mut array) } != 0 {
            return Err(producer_error(stream));
        }
        if array.is_released() {
            let chunks = at_least_one(chunks, field.data_type());
            return Ok((field, chunks));
        }
        chunks.push(received(array, field.data_type())?);
    }
}

/// What the producer of a stream says about its last error.
fn producer_error(stream: &mut FFI_ArrowArrayStream) -> ArrowError {
    let text = stream.get_last_error().map_or(std::ptr::null(), |get_last_error| {
        // SAFETY: the function belongs to this stream, which is not released.
        unsafe { get_last_error(stream) }
    });
    if text.is_null() {
        return ArrowError::CDataInterface("the producer of the stream failed".into());
    }
    // SAFETY: the text is valid until the next call on the stream.
    let text = unsafe { CStr::from_ptr(text) };
    ArrowError::CDataInterface(text.to_string_lossy().into_owned())
}

/// An array of another library. Its type is that of the schema that came with it.
pub fn received(array: FFI_ArrowArray, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    if *data_type == DataType::Null {
        // Polars adds a buffer, which Arrow's crate refuses.
        return Ok(Arc::new(NullArray::new(array.len())));
    }
    // SAFETY: whoever hands over an array by the C data interface promises that it agrees with its schema.
    let data = unsafe { from_ffi_and_data_type(array, data_type.clone()) }?;
    Ok(make_array(data))
}

/// The chunks of a column. One without chunks has an empty one, since its type may be refused.
pub fn at_least_one(mut chunks: Vec<ArrayRef>, data_type: &DataType) -> Vec<ArrayRef> {
    if chunks.is_empty() {
        chunks.push(new_empty_array(data_type));
    }
    chunks
}

/// Arrow's crate panics on some arrays that contradict themselves. `None` if this did.
pub fn unless_panic<R>(work: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// An error in the place of a panic.
pub fn guarded<R>(work: impl FnOnce() -> Result<R, ArrowError>) -> Result<R, ArrowError> {
    let broken = || Err(ArrowError::CDataInterface("the array contradicts itself".into()));
    unless_panic(work).unwrap_or_else(broken)
}

/// An exception of Python in the place of a panic.
pub fn raised<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    unless_panic(work).unwrap_or_else(|| Err(contradiction()))
}

/// What a capsule of this name holds.
fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &'static CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast())
}

/// The schema of a field. A name in C ends at its first zero byte, so zero bytes are left out.
fn exported(field: &Field) -> Result<FFI_ArrowSchema, ArrowError> {
    if !field.name().contains('\0') {
        return FFI_ArrowSchema::try_from(field);
    }
    FFI_ArrowSchema::try_from(&field.clone().with_name(field.name().replace('\0', "")))
}

/// A schema in a capsule.
pub fn schema_capsule<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = exported(field).map_err(|error| PyValueError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// An array and its schema in capsules.
pub fn array_capsules<'py>(
    py: Python<'py>,
    field: &Field,
    array: &dyn Array,
) -> PyResult<Bound<'py, PyTuple>> {
    let schema = schema_capsule(py, field)?;
    let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), c"arrow_array")?;
    PyTuple::new(py, [schema, array])
}

/// A stream of arrays in a capsule.
pub fn stream_capsule<'py>(
    py: Python<'py>,
    field: Field,
    chunks: Vec<ArrayRef>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let source = Box::new(Source { field, chunks: chunks.into_iter() });
    let callbacks = (Some(get_schema as GetSchema), Some(get_next as GetNext));
    // SAFETY: the callbacks take the `Source` in `private_data` for what it is, and `release` frees it once.
    let stream = unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            callbacks.0,
            callbacks.1,
            Some(get_last_error),
            Some(release),
            Box::into_raw(source).cast(),
        )
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// What a stream hands out.
struct Source {
    field: Field,
    chunks: std::vec::IntoIter<ArrayRef>,
}

type GetSchema = unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut FFI_ArrowSchema) -> c_int;
type GetNext = unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut FFI_ArrowArray) -> c_int;

/// "Invalid argument", as the C stream interface wants errors.
const EINVAL: c_int = 22;

/// The source of a stream that is not yet released.
///
/// # Safety
/// `stream` is a stream of `stream_capsule`, and nobody else uses it meanwhile.
unsafe fn source<'a>(stream: *mut FFI_ArrowArrayStream) -> Option<&'a mut Source> {
    // SAFETY: the caller hands over a stream of ours.
    let stream = unsafe { stream.as_ref() }?;
    // SAFETY: `private_data` is null or the `Source` that `stream_capsule` put there.
    unsafe { stream.private_data().cast::<Source>().as_mut() }
}

unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: consumers call this with the stream that it belongs to, from one thread at a time.
    let Some(source) = (unsafe { source(stream) }) else { return EINVAL };
    let Ok(schema) = exported(&source.field) else { return EINVAL };
    // SAFETY: consumers pass a place for a schema, which holds none.
    unsafe { out.write(schema) };
    0
}

unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: consumers call this with the stream that it belongs to, from one thread at a time.
    let Some(source) = (unsafe { source(stream) }) else { return EINVAL };
    // An array that is released is the end.
    let next = source.chunks.next();
    let export = || next.map_or_else(FFI_ArrowArray::empty, |chunk| FFI_ArrowArray::new(&chunk.to_data()));
    let Some(array) = unless_panic(export) else { return EINVAL };
    // SAFETY: consumers pass a place for an array, which holds none.
    unsafe { out.write(array) };
    0
}

unsafe extern "C" fn get_last_error(_: *mut FFI_ArrowArrayStream) -> *const c_char {
    c"the stream has ended".as_ptr()
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: consumers release a stream that is not yet released.
    let Some(stream) = (unsafe { stream.as_mut() }) else { return };
    let source = stream.private_data().cast::<Source>();
    // SAFETY: what is written is a stream without callbacks, and what stood there must not be released again.
    unsafe { std::ptr::write(stream, FFI_ArrowArrayStream::empty()) };
    if !source.is_null() {
        // SAFETY: `stream_capsule` made it from a box, and nobody else frees it.
        drop(unsafe { Box::from_raw(source) });
    }
}
