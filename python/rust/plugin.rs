//! Expressions for Polars: the four C functions of its plugins, over Arrow's C data interface. Polars calls them from
//! its own threads, where no Python runs. A plan keeps the name of a key; the key stays in the registry.

#![allow(unsafe_code)]

use crate::algorithm::of_columns;
use crate::column::{check_polars, form, nulls, repeated, rows_of, strong};
use crate::ffi::{at_least_one, guarded, received};
use crate::{key, kwargs};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, Field};
use keylane_columns::ColumnHasher;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::mem::ManuallyDrop;
use std::ptr;
use std::slice;

/// A series as Polars hands it over: a field, and a pointer to each chunk. `release` frees all but the arrays, which the
/// receiver moves out.
#[repr(C)]
pub struct SeriesExport {
    field: *mut FFI_ArrowSchema,
    arrays: *mut *mut FFI_ArrowArray,
    len: usize,
    release: Option<unsafe extern "C" fn(*mut SeriesExport)>,
    private_data: *mut c_void,
}

/// A series that was moved out.
struct Series {
    name: String,
    chunks: Vec<ArrayRef>,
}

impl Series {
    fn rows(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }
}

/// The version of this interface: the major one in the high 16 bits, the minor one in the low.
#[unsafe(no_mangle)]
pub extern "C" fn _polars_plugin_get_version() -> u32 {
    1
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::new(CString::default());
}

/// Why the last call of this thread failed.
#[unsafe(no_mangle)]
pub extern "C" fn _polars_plugin_get_last_error_message() -> *const c_char {
    LAST_ERROR.with(|error| error.borrow().as_ptr())
}

fn failed(error: &ArrowError) {
    let message = match error {
        ArrowError::ComputeError(message) => message.clone(),
        other => other.to_string(),
    };
    let message = CString::new(message.replace('\0', "")).unwrap_or_default();
    LAST_ERROR.with(|error| *error.borrow_mut() = message);
}

fn error(message: impl ToString) -> ArrowError {
    ArrowError::ComputeError(message.to_string())
}

/// What the arguments of an expression say.
struct Call {
    hasher: ColumnHasher,
    data_type: DataType,
}

/// Reads the arguments. Without `with_key` the hasher has a key of zeros, and nothing is hashed with it.
fn call(arguments: &[u8], with_key: bool) -> Result<Call, ArrowError> {
    let arguments =
        kwargs::read(arguments).ok_or_else(|| error("the arguments of the expression are not understood"))?;
    let get = |name: &str| arguments.get(name).map(String::as_str).unwrap_or_default();
    let algorithm = of_columns(get("alg")).map_err(error)?;
    if get("strong") == "yes" {
        strong(algorithm).map_err(error)?;
    }
    let form = form(Some(get("form")).filter(|form| !form.is_empty()), algorithm).map_err(error)?;
    let nulls = nulls(get("nulls")).map_err(error)?;
    let mut found = if with_key {
        key::named(get("key")).map_err(error)?
    } else {
        keylane_columns::ColumnKey::new("", keylane::siphash::Key::from_bytes([0; 16]))
    };
    let mut count = 0;
    while let Some(context) = arguments.get(&format!("context{count}")) {
        found = found.derive(context).map_err(error)?;
        count += 1;
    }
    let hasher = ColumnHasher::new(&found, algorithm).with_nulls(nulls).with_form(form).map_err(error)?;
    let data_type = form.data_type(algorithm).ok_or_else(|| error("tags of 128 bits do not fit integers"))?;
    Ok(Call { hasher, data_type })
}

fn column(arguments: &[u8], inputs: &[Series]) -> Result<Vec<ArrayRef>, ArrowError> {
    let [input] = inputs else { return Err(error("the expression has one column")) };
    call(arguments, true)?.hasher.hash_chunks(&input.name, &input.chunks).map_err(error)
}

fn rows(arguments: &[u8], inputs: &[Series]) -> Result<Vec<ArrayRef>, ArrowError> {
    let call = call(arguments, true)?;
    // A literal has one row, which stands for all.
    let rows = inputs.iter().map(Series::rows).find(|&rows| rows != 1);
    let rows = rows.unwrap_or(usize::from(!inputs.is_empty()));
    let mut columns = Vec::with_capacity(inputs.len());
    for input in inputs {
        let chunks = match input.rows() {
            found if found == rows => input.chunks.clone(),
            1 if rows == 0 => input.chunks.iter().take(1).map(|chunk| chunk.slice(0, 0)).collect(),
            1 => input
                .chunks
                .iter()
                .filter(|chunk| chunk.len() == 1)
                .map(|chunk| repeated(chunk, rows))
                .collect::<Result<_, _>>()?,
            _ => return Err(error("the columns of a row have different lengths")),
        };
        columns.push((input.name.as_str(), chunks));
    }
    let columns: Vec<(&str, &[ArrayRef])> =
        columns.iter().map(|(name, chunks)| (*name, chunks.as_slice())).collect();
    rows_of(&call.hasher, &columns, rows).map_err(error)
}

type Work = fn(&[u8], &[Series]) -> Result<Vec<ArrayRef>, ArrowError>;

/// Moves the inputs out, hashes them, and hands the tags over.
///
/// # Safety
/// As Polars calls a plugin: `inputs` are `count` series to be moved out, `arguments` has `length` bytes, and `out` is a
/// place for a series.
unsafe fn run(
    inputs: *mut SeriesExport,
    count: usize,
    arguments: *const u8,
    length: usize,
    out: *mut SeriesExport,
    work: Work,
) {
    // SAFETY: the caller hands over `count` series.
    let taken = unsafe { take_all(inputs, count) };
    // SAFETY: the caller hands over `length` bytes.
    let arguments = unsafe { bytes(arguments, length) };
    let result = guarded(|| {
        let inputs = taken?;
        let tags = work(arguments, &inputs)?;
        let field = field(inputs.first().map_or("", |input| &input.name), call(arguments, false)?.data_type);
        Ok(export(FFI_ArrowSchema::try_from(&field)?, &tags))
    });
    match result {
        // SAFETY: the caller passes a place for a series, which holds none.
        Ok(series) => unsafe { out.write(series) },
        Err(error) => failed(&error),
    }
}

/// The field of the tags.
fn field(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

/// Moves series out.
///
/// # Safety
/// `inputs` are `count` series of Polars, which nobody else moves out.
unsafe fn take_all(inputs: *mut SeriesExport, count: usize) -> Result<Vec<Series>, ArrowError> {
    if count == 0 || inputs.is_null() {
        return Ok(Vec::new());
    }
    // SAFETY: the caller hands over `count` series.
    let inputs = unsafe { slice::from_raw_parts_mut(inputs, count) };
    // All are moved out before anything can fail, so that all are freed.
    let taken: Vec<_> = inputs
        .iter_mut()
        .map(|input| {
            // SAFETY: the series is one of Polars, which is moved out once.
            unsafe { take(input) }
        })
        .collect();
    let import = |(schema, arrays): (FFI_ArrowSchema, Vec<FFI_ArrowArray>)| {
        let field = Field::try_from(&schema)?;
        let received = |array| received(array, field.data_type());
        let chunks = arrays.into_iter().map(received).collect::<Result<_, _>>()?;
        check_polars(&field).map_err(error)?;
        Ok(Series { name: field.name().clone(), chunks: at_least_one(chunks, field.data_type()) })
    };
    guarded(|| taken.into_iter().map(import).collect())
}

/// Moves the field and the arrays of a series out, and frees the rest.
///
/// # Safety
/// `input` is a series of Polars that was not yet moved out.
unsafe fn take(input: &mut SeriesExport) -> (FFI_ArrowSchema, Vec<FFI_ArrowArray>) {
    let pointers = if input.len == 0 || input.arrays.is_null() {
        &[]
    } else {
        // SAFETY: a series has `len` pointers to arrays.
        unsafe { slice::from_raw_parts(input.arrays, input.len) }
    };
    let arrays = pointers
        .iter()
        .map(|&array| {
            // SAFETY: each pointer is to an array, which the receiver moves out. What stays is released already.
            unsafe { FFI_ArrowArray::from_raw(array) }
        })
        .collect();
    // SAFETY: a series has a field. What stays is released already, so `release` does not release it again.
    let schema = unsafe { FFI_ArrowSchema::from_raw(input.field) };
    if let Some(release) = input.release {
        // SAFETY: the series is released once, after its arrays were moved out.
        unsafe { release(input) };
    }
    (schema, arrays)
}

/// # Safety
/// `start` is null or has `length` bytes.
unsafe fn bytes<'a>(start: *const u8, length: usize) -> &'a [u8] {
    if start.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { slice::from_raw_parts(start, length) }
}

/// What a series that is handed over keeps in `private_data`.
struct Kept {
    schema: FFI_ArrowSchema,
    arrays: Vec<*mut FFI_ArrowArray>,
}

fn export(schema: FFI_ArrowSchema, tags: &[ArrayRef]) -> SeriesExport {
    let arrays =
        tags.iter().map(|tags| Box::into_raw(Box::new(FFI_ArrowArray::new(&tags.to_data())))).collect();
    let kept = Box::into_raw(Box::new(Kept { schema, arrays }));
    // SAFETY: `kept` was just made from a box, and nobody else has it.
    let Kept { schema, arrays } = unsafe { &mut *kept };
    SeriesExport {
        field: schema,
        len: arrays.len(),
        arrays: arrays.as_mut_ptr(),
        release: Some(release),
        private_data: kept.cast(),
    }
}

/// Frees what Polars does not move out of a series: the boxes, not the arrays in them.
unsafe extern "C" fn release(series: *mut SeriesExport) {
    // SAFETY: Polars releases a series of ours once.
    let Some(series) = (unsafe { series.as_mut() }) else { return };
    series.release = None;
    let kept = series.private_data.cast::<Kept>();
    if kept.is_null() {
        return;
    }
    series.private_data = ptr::null_mut();
    // SAFETY: `export` made it from a box.
    let kept = unsafe { Box::from_raw(kept) };
    for &array in &kept.arrays {
        // SAFETY: `export` made each from a box; the array in it belongs to Polars now.
        drop(unsafe { Box::from_raw(array.cast::<ManuallyDrop<FFI_ArrowArray>>()) });
    }
}

/// The type of the tags, before there are any.
///
/// # Safety
/// As Polars calls a plugin: `fields` are `count` schemas, `arguments` has `length` bytes, and `out` is a place for a
/// schema.
unsafe fn describe(
    fields: *const FFI_ArrowSchema,
    count: usize,
    out: *mut FFI_ArrowSchema,
    arguments: *const u8,
    length: usize,
) {
    let fields = if count == 0 || fields.is_null() {
        &[]
    } else {
        // SAFETY: the caller hands over `count` schemas.
        unsafe { slice::from_raw_parts(fields, count) }
    };
    // SAFETY: the caller hands over `length` bytes.
    let arguments = unsafe { bytes(arguments, length) };
    let result = guarded(|| {
        let name = fields.first().and_then(FFI_ArrowSchema::name).unwrap_or_default();
        FFI_ArrowSchema::try_from(&field(name, call(arguments, false)?.data_type))
    });
    match result {
        // SAFETY: the caller passes a place for a schema, which holds none.
        Ok(schema) => unsafe { out.write(schema) },
        Err(error) => failed(&error),
    }
}

/// # Safety
/// Polars calls this, as `describe` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _polars_plugin_field_keylane_column(
    fields: *const FFI_ArrowSchema,
    count: usize,
    out: *mut FFI_ArrowSchema,
    arguments: *const u8,
    length: usize,
) {
    // SAFETY: Polars hands over what `describe` needs.
    unsafe { describe(fields, count, out, arguments, length) }
}

/// # Safety
/// Polars calls this, as `describe` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _polars_plugin_field_keylane_rows(
    fields: *const FFI_ArrowSchema,
    count: usize,
    out: *mut FFI_ArrowSchema,
    arguments: *const u8,
    length: usize,
) {
    // SAFETY: Polars hands over what `describe` needs.
    unsafe { describe(fields, count, out, arguments, length) }
}

/// # Safety
/// Polars calls this, as `run` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _polars_plugin_keylane_column(
    inputs: *mut SeriesExport,
    count: usize,
    arguments: *const u8,
    length: usize,
    out: *mut SeriesExport,
    _: *const c_void,
) {
    // SAFETY: Polars hands over what `run` needs.
    unsafe { run(inputs, count, arguments, length, out, column) }
}

/// # Safety
/// Polars calls this, as `run` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _polars_plugin_keylane_rows(
    inputs: *mut SeriesExport,
    count: usize,
    arguments: *const u8,
    length: usize,
    out: *mut SeriesExport,
    _: *const c_void,
) {
    // SAFETY: Polars hands over what `run` needs.
    unsafe { run(inputs, count, arguments, length, out, rows) }
}
