//! Columns of Python objects: text, bytes, and missing values.

use crate::error::contradiction;
use crate::ffi::{Part, bytes_of};
use arrow_array::{ArrayRef, LargeBinaryArray, LargeStringArray, NullArray};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyFloat, PyString};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Bytes,
}

/// So many objects are looked at before the next ones, so that they stay in the cache.
const BLOCK: usize = 1024;

/// The array of a list or a tuple of `str` or of `bytes`, or of a NumPy array with such. None, NaN, `pandas.NA` and NaT
/// are nulls.
pub fn array(column: &str, objects: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let count = Part::whole(objects)?;
    let mut kind = None;
    let mut text: Vec<u8> = Vec::new();
    let mut offsets: Vec<i64> = Vec::with_capacity(count + 1);
    let mut valid = BooleanBufferBuilder::new(count);
    offsets.push(0);
    for start in (0..count).step_by(BLOCK) {
        // Nobody changes a part of its own.
        let part = Part::of(objects, start, count.min(start + BLOCK))?;
        for at in 0..part.len() {
            let Some(object) = part.item(at) else { break };
            let row = start + at;
            let (found, bytes) = if object.is_instance_of::<PyString>() {
                let text = <&str>::extract(object).map_err(|_| {
                    PyValueError::new_err(format!("{}text that is not Unicode", place(column, row)))
                })?;
                (Kind::Text, text.as_bytes())
            } else if let Some(bytes) = bytes_of(object) {
                (Kind::Bytes, bytes)
            } else if is_missing(&object)? {
                valid.append(false);
                offsets.push(text.len() as i64);
                continue;
            } else {
                return Err(refused(column, row, &object, kind)?);
            };
            if kind.is_some_and(|kind| kind != found) {
                return Err(refused(column, row, &object, kind)?);
            }
            kind = Some(found);
            valid.append(true);
            text.extend_from_slice(bytes);
            offsets.push(text.len() as i64);
        }
    }
    let rows = offsets.len() - 1;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let nulls = Some(NullBuffer::new(valid.finish())).filter(|nulls| nulls.null_count() > 0);
    let text = Buffer::from_vec(text);
    let malformed = |_| contradiction();
    Ok(match kind {
        Some(Kind::Text) => Arc::new(LargeStringArray::try_new(offsets, text, nulls).map_err(malformed)?),
        Some(Kind::Bytes) => Arc::new(LargeBinaryArray::try_new(offsets, text, nulls).map_err(malformed)?),
        None => Arc::new(NullArray::new(rows)),
    })
}

fn place(column: &str, row: usize) -> String {
    if column.is_empty() { format!("row {row}: ") } else { format!("column {column}, row {row}: ") }
}

/// The error for an object that is neither text nor bytes, or is one of them among the other.
fn refused(
    column: &str,
    row: usize,
    object: &Borrowed<'_, '_, PyAny>,
    kind: Option<Kind>,
) -> PyResult<PyErr> {
    let name = object.get_type().name()?;
    let among = match kind {
        Some(Kind::Text) => " among text",
        Some(Kind::Bytes) => " among bytes",
        None => "",
    };
    let hint = if object.is_instance_of::<PyByteArray>() || among.is_empty() {
        "; a column of objects holds str or bytes, other values need a typed column"
    } else {
        ""
    };
    Ok(PyTypeError::new_err(format!("{}a value of type {name}{among}{hint}", place(column, row))))
}

/// Whether an object stands for a missing value: None, NaN, `pandas.NA` or `pandas.NaT`.
fn is_missing(object: &Borrowed<'_, '_, PyAny>) -> PyResult<bool> {
    if object.is_none() {
        return Ok(true);
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(number.value().is_nan());
    }
    let kind = object.get_type();
    let name = kind.name()?;
    Ok((name == "NAType" || name == "NaTType")
        && kind.module()?.to_str().is_ok_and(|module| module.starts_with("pandas.")))
}
