//! Columns: in, hashed, and out again. `keylane._columns` knows the kinds of columns that Python has.

use crate::algorithm::of_columns;
use crate::error::contradiction;
use crate::ffi::{self, Elements, Memory, NewList, Places};
use crate::{error, key, objects};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray,
    RecordBatch, RecordBatchOptions, RunArray, make_array,
};
use arrow_buffer::{BooleanBuffer, MutableBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use keylane_columns::{Algorithm, ColumnError, ColumnHasher, Form, METADATA_KEY, Mode, Nulls, hex};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// A column in Arrow's layout, in one chunk or more. Any library with Arrow's PyCapsules can take it.
#[pyclass(frozen, module = "keylane")]
pub struct Column {
    field: Field,
    chunks: Vec<ArrayRef>,
}

fn malformed(_: ArrowError) -> PyErr {
    contradiction()
}

/// Chunks as one array. `None` if they do not have one type.
fn concatenated(chunks: &[ArrayRef]) -> Option<ArrayRef> {
    ffi::unless_panic(|| joined(chunks)).flatten()
}

fn joined(chunks: &[ArrayRef]) -> Option<ArrayRef> {
    let data: Vec<ArrayData> = chunks.iter().map(|chunk| chunk.to_data()).collect();
    let first = data.first()?;
    if data.iter().any(|part| part.data_type() != first.data_type()) {
        return None;
    }
    let rows = data.iter().map(ArrayData::len).sum();
    let mut whole = MutableArrayData::new(data.iter().collect(), false, rows);
    for (place, part) in data.iter().enumerate() {
        whole.try_extend(place, 0, part.len()).ok()?;
    }
    Some(make_array(whole.freeze()))
}

#[pymethods]
impl Column {
    /// Takes the arrays of an object with Arrow's PyCapsules.
    #[staticmethod]
    #[pyo3(signature = (values, name = None, /))]
    fn from_arrow(values: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Column> {
        let (field, chunks) = ffi::import(values)?;
        let field = field.as_ref().clone();
        Ok(Column { field: name.map_or(field.clone(), |name| field.with_name(name)), chunks })
    }

    /// Takes the arrays of a series of Polars.
    #[staticmethod]
    #[pyo3(signature = (values, name, /))]
    fn from_polars(values: &Bound<'_, PyAny>, name: &str) -> PyResult<Column> {
        let column = Column::from_arrow(values, Some(name))?;
        check_polars(&column.field).map_err(PyTypeError::new_err)?;
        Ok(column)
    }

    /// Takes a buffer of numbers. `kind` says what integers of 64 bits mean: `s`, `ms`, `us` or `ns` since 1970 or as a
    /// duration, or days; the lowest integer then is a null. `mask` has a byte for each row, 1 for a null.
    #[staticmethod]
    #[pyo3(signature = (values, name, kind = None, mask = None, /))]
    fn from_buffer(
        values: &Bound<'_, PyAny>,
        name: &str,
        kind: Option<&str>,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Column> {
        let elements = ffi::elements(values)?;
        let mut nulls = mask.map(|mask| null_buffer(mask, elements.count)).transpose()?;
        let mut data_type = data_type(&elements)?;
        if let Some(kind) = kind {
            data_type = timely(&data_type, kind)?;
            let words = elements.bytes.typed_data::<i64>();
            let valid = BooleanBuffer::collect_bool(words.len(), |row| words.get(row) != Some(&i64::MIN));
            nulls = NullBuffer::union(nulls.as_ref(), Some(&NullBuffer::new(valid)));
        }
        Ok(Column::one(name, array(elements, data_type, nulls)?))
    }

    /// Takes a list of `str` or of `bytes`, or a NumPy array of them, in which None, NaN, `pandas.NA` and NaT are nulls.
    #[staticmethod]
    #[pyo3(signature = (values, name, /))]
    fn from_objects(values: &Bound<'_, PyAny>, name: &str) -> PyResult<Column> {
        Ok(Column::one(name, objects::array(name, values)?))
    }

    /// Takes a buffer of integers that say where in `values` the value of each row stands; a negative one is a null.
    #[staticmethod]
    #[pyo3(signature = (codes, values, name, /))]
    fn from_codes(codes: &Bound<'_, PyAny>, values: &Bound<'_, Column>, name: &str) -> PyResult<Column> {
        // Arrow checks codes once and trusts them from then on, but the owner of these may change them.
        let elements = ffi::elements(codes)?.owned()?;
        let data_type = data_type(&elements)?;
        let codes = array(elements, data_type, None)?;
        let values = match values.get().chunks.as_slice() {
            [values] => Arc::clone(values),
            chunks => concatenated(chunks).ok_or_else(contradiction)?,
        };
        let values = &values;
        let array = || match codes.data_type() {
            DataType::Int8 => dictionary::<Int8Type>(&codes, values).map_err(malformed),
            DataType::Int16 => dictionary::<Int16Type>(&codes, values).map_err(malformed),
            DataType::Int32 => dictionary::<Int32Type>(&codes, values).map_err(malformed),
            DataType::Int64 => dictionary::<Int64Type>(&codes, values).map_err(malformed),
            _ => Err(PyTypeError::new_err("codes are signed integers")),
        };
        Ok(Column::one(name, ffi::raised(array)?))
    }

    /// The columns of a table, which is a column of structs.
    fn fields(&self) -> PyResult<Vec<Column>> {
        let DataType::Struct(fields) = self.field.data_type() else {
            return Err(PyTypeError::new_err(format!("a table is needed, not {}", self.field.data_type())));
        };
        let mut columns: Vec<Column> = fields
            .iter()
            .map(|field| Column {
                field: field.as_ref().clone(),
                chunks: Vec::with_capacity(self.chunks.len()),
            })
            .collect();
        for chunk in &self.chunks {
            if chunk.null_count() > 0 {
                return Err(PyTypeError::new_err(
                    "a table has no rows that are null; this is a column of structs",
                ));
            }
            let structs = chunk.as_struct_opt().ok_or_else(contradiction)?;
            for (column, part) in columns.iter_mut().zip(structs.columns()) {
                column.chunks.push(Arc::clone(part));
            }
        }
        Ok(columns)
    }

    /// The same column under another name.
    #[pyo3(signature = (name, /))]
    fn renamed(&self, name: &str) -> Column {
        Column { field: self.field.clone().with_name(name), chunks: self.chunks.clone() }
    }

    /// The same column in chunks of at most `rows` rows. So many pseudonyms are within the reach of offsets of 32 bits.
    #[pyo3(signature = (rows = 1 << 25, /))]
    fn pieces(&self, rows: usize) -> PyResult<Column> {
        if rows == 0 {
            return Err(PyValueError::new_err("a piece has 1 or more rows"));
        }
        let cut = |chunk: &ArrayRef| {
            let starts = (0..chunk.len().max(1)).step_by(rows);
            starts.map(|start| chunk.slice(start, rows.min(chunk.len() - start))).collect::<Vec<_>>()
        };
        ffi::raised(|| {
            let chunks = self.chunks.iter().flat_map(cut).collect();
            Ok(Column { field: self.field.clone(), chunks })
        })
    }

    #[getter]
    fn name(&self) -> &str {
        self.field.name()
    }

    /// The type, as Arrow's Rust library writes it.
    #[getter]
    fn r#type(&self) -> String {
        self.field.data_type().to_string()
    }

    /// The metadata of the column, such as the line that says what tags are.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let metadata = PyDict::new(py);
        for (name, value) in self.field.metadata() {
            metadata.set_item(name, value)?;
        }
        Ok(metadata)
    }

    #[getter]
    fn null_count(&self) -> PyResult<usize> {
        ffi::raised(|| Ok(self.chunks.iter().map(|chunk| chunk.logical_null_count()).sum()))
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    fn __repr__(&self) -> String {
        format!("<keylane.Column {} of {} rows>", self.field.data_type(), self.__len__())
    }

    /// Tags, or whether rows are sampled, as a list; a null is None.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        ffi::raised(|| {
            let mut list = NewList::of(py, self.__len__())?;
            for chunk in &self.chunks {
                append(&mut list, py, chunk)?;
            }
            list.finish()
        })
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        match self.chunks.as_slice() {
            [chunk] => ffi::raised(|| ffi::array_capsules(py, &self.field, chunk)),
            chunks => {
                let whole = concatenated(chunks).ok_or_else(contradiction)?;
                ffi::array_capsules(py, &self.field, &whole)
            }
        }
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = requested_schema;
        Ok(ffi::stream_capsule(py, self.field.clone(), self.chunks.clone())?.into_any())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(ffi::schema_capsule(py, &self.field)?.into_any())
    }
}

impl Column {
    fn one(name: &str, array: ArrayRef) -> Column {
        Column { field: Field::new(name, array.data_type().clone(), true), chunks: vec![array] }
    }

    pub fn chunks(&self) -> &[ArrayRef] {
        &self.chunks
    }

    /// A column of the same name.
    pub fn like(&self, data_type: DataType, chunks: Vec<ArrayRef>) -> Column {
        Column { field: Field::new(self.field.name(), data_type, true), chunks }
    }

    /// The text that all rows have, as a name in SQL must be; `None` if there are no rows. Errors do not show it.
    pub fn one_text(&self) -> PyResult<Option<String>> {
        ffi::raised(|| self.text_of_all())
    }

    fn text_of_all(&self) -> PyResult<Option<String>> {
        let mut found: Option<&str> = None;
        for chunk in &self.chunks {
            let rows: Box<dyn Iterator<Item = Option<&str>>> = match chunk.data_type() {
                DataType::Utf8 => Box::new(chunk.as_string::<i32>().iter()),
                DataType::LargeUtf8 => Box::new(chunk.as_string::<i64>().iter()),
                DataType::Utf8View => Box::new(chunk.as_string_view().iter()),
                DataType::Null => Box::new(std::iter::repeat_n(None, chunk.len())),
                _ => {
                    return Err(PyTypeError::new_err(
                        "the first argument is the name of a key, as text; a key itself has no place in SQL",
                    ));
                }
            };
            for text in rows {
                let text = text.ok_or_else(|| PyValueError::new_err("the name of a key is null"))?;
                if *found.get_or_insert(text) != text {
                    return Err(PyValueError::new_err("the name of a key is one constant for all rows"));
                }
            }
        }
        Ok(found.map(String::from))
    }
}

/// Refuses columns of Python objects. Polars hands them over as bytes of fixed size, which are addresses, and has no
/// other use for this type.
pub fn check_polars(field: &Field) -> Result<(), String> {
    match field.data_type() {
        DataType::FixedSizeBinary(_) => {
            Err(format!("column {}: Python objects are not hashed", field.name()))
        }
        DataType::Struct(fields) => fields.iter().try_for_each(|field| check_polars(field)),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            check_polars(item)
        }
        _ => Ok(()),
    }
}

/// Appends the values of an array of tags to a list.
fn append<'py>(list: &mut NewList<'py>, py: Python<'py>, array: &ArrayRef) -> PyResult<()> {
    match array.data_type() {
        DataType::UInt64 => {
            let tags = array.as_primitive::<UInt64Type>();
            append_each(list, py, array, |row| ffi::python_integer(py, tags.value(row)))
        }
        DataType::Int64 => {
            let tags = array.as_primitive::<Int64Type>();
            append_each(list, py, array, |row| Ok(tags.value(row).into_pyobject(py)?.into_any()))
        }
        DataType::FixedSizeBinary(_) => {
            let tags = array.as_fixed_size_binary();
            append_each(list, py, array, |row| Ok(PyBytes::new(py, tags.value(row)).into_any()))
        }
        DataType::Utf8 => {
            let tags = array.as_string::<i32>();
            append_each(list, py, array, |row| Ok(PyString::new(py, tags.value(row)).into_any()))
        }
        DataType::Boolean => {
            let tags = array.as_boolean();
            append_each(list, py, array, |row| Ok(tags.value(row).into_pyobject(py)?.to_owned().into_any()))
        }
        other => append_each(list, py, array, |_| {
            Err(PyTypeError::new_err(format!("a column of {other} has no list here")))
        }),
    }
}

/// Appends the object of each row that is not null, and None for a null.
fn append_each<'py>(
    list: &mut NewList<'py>,
    py: Python<'py>,
    array: &ArrayRef,
    object: impl Fn(usize) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<()> {
    let nulls = array.nulls();
    (0..array.len()).try_for_each(|row| {
        let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
        list.push(if is_null { py.None().into_bound(py) } else { object(row)? })
    })
}

/// The nulls of a mask with a byte for each row.
fn null_buffer(mask: &Bound<'_, PyAny>, rows: usize) -> PyResult<NullBuffer> {
    let mask = ffi::elements(mask)?;
    let bytes = mask.bytes.as_slice();
    if mask.width != 1 || bytes.len() != rows {
        return Err(PyValueError::new_err("a mask has one byte for each row"));
    }
    Ok(NullBuffer::new(BooleanBuffer::collect_bool(rows, |row| bytes.get(row) == Some(&0))))
}

/// The type of a buffer's elements.
fn data_type(elements: &Elements) -> PyResult<DataType> {
    let refused =
        |reason: &str| PyTypeError::new_err(format!("a buffer of {reason} is not hashed as a column"));
    Ok(match (elements.format.as_str(), elements.width) {
        ("?", 1) => DataType::Boolean,
        ("b", 1) => DataType::Int8,
        ("B", 1) => DataType::UInt8,
        ("h" | "i" | "l" | "q" | "n", 2) => DataType::Int16,
        ("h" | "i" | "l" | "q" | "n", 4) => DataType::Int32,
        ("h" | "i" | "l" | "q" | "n", 8) => DataType::Int64,
        ("H" | "I" | "L" | "Q" | "N", 2) => DataType::UInt16,
        ("H" | "I" | "L" | "Q" | "N", 4) => DataType::UInt32,
        ("H" | "I" | "L" | "Q" | "N", 8) => DataType::UInt64,
        ("e", 2) => DataType::Float16,
        ("f", 4) => DataType::Float32,
        ("d", 8) => DataType::Float64,
        (format, width) => match format.strip_suffix('x').map(|count| count.parse::<usize>()) {
            Some(count)
                if count.as_ref().is_ok_and(|&count| count == width) || (format == "x" && width == 1) =>
            {
                DataType::FixedSizeBinary(i32::try_from(width).map_err(|_| refused("so wide elements"))?)
            }
            _ if format.ends_with('w') || format == "u" => {
                return Err(refused("text in UCS-4"));
            }
            _ => return Err(refused(&format!("the format {format:?}"))),
        },
    })
}

/// The type of integers that count units of time.
fn timely(data_type: &DataType, kind: &str) -> PyResult<DataType> {
    if *data_type != DataType::Int64 {
        return Err(PyTypeError::new_err("times are integers of 64 bits"));
    }
    let (family, unit) = kind.split_once(' ').unwrap_or((kind, ""));
    let unit = match unit {
        "s" => TimeUnit::Second,
        "ms" => TimeUnit::Millisecond,
        "us" => TimeUnit::Microsecond,
        "ns" => TimeUnit::Nanosecond,
        _ if family == "days" => return Ok(DataType::Int64),
        _ => return Err(PyTypeError::new_err("a unit of time is s, ms, us or ns")),
    };
    Ok(if family == "duration" { DataType::Duration(unit) } else { DataType::Timestamp(unit, None) })
}

fn array(elements: Elements, data_type: DataType, nulls: Option<NullBuffer>) -> PyResult<ArrayRef> {
    let Elements { bytes, count, .. } = elements;
    if data_type == DataType::Boolean {
        let bytes = bytes.as_slice();
        let values = BooleanBuffer::collect_bool(count, |row| bytes.get(row).is_some_and(|&byte| byte != 0));
        return Ok(Arc::new(BooleanArray::new(values, nulls)));
    }
    let data = ArrayData::builder(data_type).len(count).add_buffer(bytes).nulls(nulls).build();
    Ok(make_array(data.map_err(malformed)?))
}

fn dictionary<K>(codes: &ArrayRef, values: &ArrayRef) -> Result<ArrayRef, ArrowError>
where
    K: ArrowDictionaryKeyType + ArrowPrimitiveType<Native: Default + PartialOrd>,
{
    let codes = codes.as_primitive::<K>().values().clone();
    let valid = BooleanBuffer::collect_bool(codes.len(), |row| {
        codes.get(row).is_some_and(|&code| code >= K::Native::default())
    });
    let keys = PrimitiveArray::<K>::try_new(codes, Some(NullBuffer::new(valid)))?;
    Ok(Arc::new(DictionaryArray::try_new(keys, Arc::clone(values))?))
}

/// Runs `work` while other threads run Python. Where Arrow's crate panics, the column contradicts itself.
fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R, ColumnError> + Send) -> PyResult<R> {
    py.detach(|| ffi::unless_panic(work)).ok_or_else(contradiction)?.map_err(error::column)
}

/// A prepared function under a key, for `keylane._columns`. It shows no key.
#[pyclass(frozen, module = "keylane._keylane")]
pub struct Hasher {
    hasher: ColumnHasher,
    algorithm: Algorithm,
    form: Form,
    /// Tags below this are in the sample.
    below: Option<u128>,
}

#[pymethods]
impl Hasher {
    /// `uint64`, `int64`, `binary`, `hex` or, for a sample, `bool`.
    #[getter]
    fn form(&self) -> String {
        if self.below.is_some() { "bool".into() } else { self.form.to_string() }
    }

    #[getter]
    fn bytes(&self) -> u32 {
        self.algorithm.bits() / 8
    }

    /// The tags of a column.
    #[pyo3(signature = (column, /))]
    fn column(&self, py: Python<'_>, column: &Bound<'_, Column>) -> PyResult<Column> {
        let column = column.get();
        detached(py, || self.hash(&self.hasher, column))
    }

    /// The tags of a column as memory for NumPy, and a byte for each row that says whether it is null, if any is. In
    /// the form hex, the digits have 4 bytes each, as NumPy has text.
    #[pyo3(signature = (column, /))]
    fn memory(&self, py: Python<'_>, column: &Bound<'_, Column>) -> PyResult<(Memory, Option<Memory>)> {
        let column = column.get();
        detached(py, || Ok(self.hash(&self.plainly()?, column)?.into_memory(self.form)))
    }

    /// Puts the tags of a column into a NumPy array of objects: as text in the form hex, else as bytes. A null is None.
    #[pyo3(signature = (column, places, /))]
    fn objects(&self, py: Python<'_>, column: &Bound<'_, Column>, places: &Bound<'_, PyAny>) -> PyResult<()> {
        let column = column.get();
        let tags = detached(py, || self.hash(&self.plainly()?, column))?;
        let mut places = Places::of(places, tags.__len__())?;
        for chunk in &tags.chunks {
            let tags = chunk.as_fixed_size_binary_opt().ok_or_else(contradiction)?;
            for row in 0..tags.len() {
                places.push(match tags.value(row) {
                    _ if tags.is_null(row) => py.None().into_bound(py),
                    tag if self.form == Form::Hex => text(py, tag)?,
                    tag => PyBytes::new(py, tag).into_any(),
                })?;
            }
        }
        Ok(())
    }

    /// The tags of rows.
    #[pyo3(signature = (columns, rows, /))]
    fn rows(&self, py: Python<'_>, columns: Vec<Bound<'_, Column>>, rows: usize) -> PyResult<Column> {
        self.rows_by(py, &self.hasher, &columns, rows)
    }

    /// The tags of rows as memory for NumPy.
    #[pyo3(signature = (columns, rows, /))]
    fn rows_memory(&self, py: Python<'_>, columns: Vec<Bound<'_, Column>>, rows: usize) -> PyResult<Memory> {
        let hasher = self.plainly().map_err(error::column)?;
        let tags = self.rows_by(py, &hasher, &columns, rows)?;
        Ok(py.detach(|| tags.into_memory(self.form)).0)
    }

    fn __repr__(&self) -> &'static str {
        "<keylane hasher>"
    }

    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err("a hasher holds a key and is not pickled"))
    }
}

impl Hasher {
    /// The same without hexadecimal digits.
    fn plainly(&self) -> Result<ColumnHasher, ColumnError> {
        let form = if self.form == Form::Hex { Form::Binary } else { self.form };
        self.hasher.clone().with_form(form)
    }

    fn hash(&self, hasher: &ColumnHasher, column: &Column) -> Result<Column, ColumnError> {
        let name = column.field.name();
        let chunks = hasher.hash_chunks(shown(name), &column.chunks)?;
        let Some(below) = self.below else { return Ok(self.tags(hasher, name, chunks, Mode::Plain)) };
        let chunks: Vec<ArrayRef> = chunks.iter().map(|chunk| sampled(chunk, below)).collect();
        Ok(Column { field: Field::new(name, DataType::Boolean, false), chunks })
    }

    fn tags(&self, hasher: &ColumnHasher, name: &str, chunks: Vec<ArrayRef>, mode: Mode) -> Column {
        let data_type = chunks.first().map_or(DataType::Null, |chunk| chunk.data_type().clone());
        let metadata = HashMap::from([(METADATA_KEY.to_owned(), hasher.metadata(mode))]);
        let field = Field::new(name, data_type, mode == Mode::Plain).with_metadata(metadata);
        Column { field, chunks }
    }

    fn rows_by(
        &self,
        py: Python<'_>,
        hasher: &ColumnHasher,
        columns: &[Bound<'_, Column>],
        rows: usize,
    ) -> PyResult<Column> {
        let columns: Vec<(&str, &[ArrayRef])> = columns
            .iter()
            .map(|column| (column.get().field.name().as_str(), column.get().chunks.as_slice()))
            .collect();
        for (place, &(name, chunks)) in columns.iter().enumerate() {
            let found: usize = chunks.iter().map(|chunk| chunk.len()).sum();
            if found != rows {
                let name = if name.is_empty() { &format!("{place} (unnamed)") } else { name };
                return Err(PyValueError::new_err(format!("column {name} has {found} rows, not {rows}")));
            }
        }
        let chunks = detached(py, || rows_of(hasher, &columns, rows))?;
        Ok(self.tags(hasher, "row", chunks, Mode::Row))
    }
}

impl Column {
    /// The values of all chunks in memory of their own, and a byte for each null. Bytes become digits in the form hex.
    fn into_memory(self, form: Form) -> (Memory, Option<Memory>) {
        let is_null = |chunk: &ArrayRef| {
            let nulls = chunk.nulls().cloned();
            (0..chunk.len()).map(move |row| u8::from(nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))))
        };
        let nulls = self.chunks.iter().any(|chunk| chunk.null_count() > 0);
        let nulls =
            nulls.then(|| Memory::new(self.chunks.iter().flat_map(is_null).collect::<Vec<u8>>().into()));
        let mut parts: Vec<MutableBuffer> = self.chunks.into_iter().map(own_memory).collect();
        let values = match parts.len() {
            1 => parts.pop().unwrap_or_default(),
            _ => {
                let mut whole = MutableBuffer::new(parts.iter().map(MutableBuffer::len).sum());
                parts.iter().for_each(|part| whole.extend_from_slice(part.as_slice()));
                whole
            }
        };
        (Memory::new(if form == Form::Hex { wide_digits(values.as_slice()) } else { values }), nulls)
    }
}

/// The digits of a tag as text.
fn text<'py>(py: Python<'py>, tag: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let text = |digits: &[[u8; 2]]| Ok(PyString::from_bytes(py, digits.as_flattened())?.into_any());
    match (<&[u8; 16]>::try_from(tag), <&[u8; 8]>::try_from(tag)) {
        (Ok(tag), _) => text(&hex(tag)),
        (_, Ok(tag)) => text(&hex(tag)),
        _ => Err(contradiction()),
    }
}

/// The digits of tags, each in 4 bytes. A tag has 8 or 16 bytes.
fn wide_digits(tags: &[u8]) -> MutableBuffer {
    let mut text = MutableBuffer::new(8 * tags.len());
    for bytes in tags.as_chunks::<8>().0 {
        text.extend_from_slice(hex(bytes).map(|pair| pair.map(u32::from)).as_flattened());
    }
    text
}

/// The memory of an array that nobody else has, without a copy if that is so.
fn own_memory(array: ArrayRef) -> MutableBuffer {
    if let Some(bits) = array.as_boolean_opt() {
        return bits.values().iter().map(u8::from).collect::<Vec<u8>>().into();
    }
    let data = array.to_data();
    drop(array);
    let (start, length) = (data.offset(), data.len());
    let width = match data.data_type() {
        DataType::FixedSizeBinary(width) => usize::try_from(*width).unwrap_or_default(),
        _ => 8,
    };
    let Some(buffer) = data.buffers().first().cloned() else { return MutableBuffer::new(0) };
    drop(data);
    let range = start * width..(start + length) * width;
    if range.start == 0 && range.end == buffer.len() {
        return buffer.into_mutable().unwrap_or_else(|shared| {
            let mut copy = MutableBuffer::new(shared.len());
            copy.extend_from_slice(shared.as_slice());
            copy
        });
    }
    let mut copy = MutableBuffer::new(range.len());
    copy.extend_from_slice(buffer.as_slice().get(range).unwrap_or_default());
    copy
}

/// Whether each tag is below a limit. A null is not in the sample.
fn sampled(tags: &ArrayRef, below: u128) -> ArrayRef {
    let tags = tags.as_primitive::<UInt64Type>();
    let inside =
        |row: usize| tags.is_valid(row) && tags.values().get(row).is_some_and(|&tag| u128::from(tag) < below);
    Arc::new(BooleanArray::new(BooleanBuffer::collect_bool(tags.len(), inside), None))
}

/// The tags of rows, whose columns may have different chunks.
pub fn rows_of(
    hasher: &ColumnHasher,
    columns: &[(&str, &[ArrayRef])],
    rows: usize,
) -> Result<Vec<ArrayRef>, ColumnError> {
    let names = unique(columns.iter().map(|&(name, _)| name));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut ends = BTreeSet::from([rows]);
    for (_, chunks) in columns {
        let mut end = 0;
        ends.extend(chunks.iter().map(|chunk| {
            end += chunk.len();
            end
        }));
    }
    // An empty table has types too, which may be refused.
    if rows > 0 {
        ends.remove(&0);
    }
    // Where each column stands: a chunk, and a row in it.
    let mut places = vec![(0_usize, 0_usize); columns.len()];
    let (mut start, mut tags) = (0, Vec::with_capacity(ends.len()));
    for end in ends {
        let mut arrays = Vec::with_capacity(columns.len());
        for (((_, chunks), place), unique) in columns.iter().zip(&mut places).zip(&names) {
            let malformed = || ColumnError::Malformed { column: (*unique).into() };
            while end > start && chunks.get(place.0).is_some_and(|chunk| chunk.len() == place.1) {
                *place = (place.0 + 1, 0);
            }
            let Some(chunk) = chunks.get(place.0) else {
                return Err(malformed());
            };
            if end - start > chunk.len() - place.1 {
                return Err(malformed());
            }
            arrays.push(chunk.slice(place.1, end - start));
            place.1 += end - start;
        }
        let schema: Vec<Field> = names
            .iter()
            .zip(&arrays)
            .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
            .collect();
        let given: Vec<&str> = names.iter().take(arrays.len()).copied().collect();
        let options = RecordBatchOptions::new().with_row_count(Some(end - start));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(schema)), arrays, &options)
            .map_err(|_| ColumnError::Malformed { column: names.join(", ") })?;
        tags.push(hasher.hash_rows(&batch, &given).map_err(|error| later(error, start))?);
        start = end;
    }
    Ok(tags)
}

/// An error of a batch that begins at row `start`.
fn later(error: ColumnError, start: usize) -> ColumnError {
    match error {
        ColumnError::Null { column, row } => ColumnError::Null { column, row: row + start },
        ColumnError::Date { column, row } => ColumnError::Date { column, row: row + start },
        other => other,
    }
}

/// The name of a column in an error.
fn shown(name: &str) -> &str {
    if name.is_empty() { "(unnamed)" } else { name }
}

/// Names for errors, of which each stands once.
fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    let fresh = |(place, name): (usize, &'a str)| {
        let mut fresh = if name.is_empty() { format!("{place} (unnamed)") } else { name.to_owned() };
        while !seen.insert(fresh.clone()) {
            fresh = format!("{fresh} (field {place})");
        }
        fresh
    };
    names.enumerate().map(fresh).collect()
}

/// An array of one row, repeated `rows` times.
pub fn repeated(array: &ArrayRef, rows: usize) -> Result<ArrayRef, ArrowError> {
    let ends =
        Int32Array::from(vec![i32::try_from(rows).map_err(|_| ArrowError::OffsetOverflowError(rows))?]);
    Ok(Arc::new(RunArray::<Int32Type>::try_new(&ends, array)?))
}

/// What nulls become.
pub fn nulls(name: &str) -> Result<Nulls, String> {
    match name {
        "keep" => Ok(Nulls::Keep),
        "error" => Ok(Nulls::Refuse),
        _ => Err("nulls is \"keep\" or \"error\"".into()),
    }
}

/// How tags are stored. By default 64 bits are an unsigned integer, 128 bits are bytes.
pub fn form(name: Option<&str>, algorithm: Algorithm) -> Result<Form, String> {
    Ok(match name {
        None if algorithm.bits() == 64 => Form::UInt64,
        None | Some("binary") => Form::Binary,
        Some("hex") => Form::Hex,
        Some("uint64") => Form::UInt64,
        Some("int64") => Form::Int64,
        Some(_) => return Err("form is \"binary\", \"hex\", \"uint64\" or \"int64\"".into()),
    })
}

/// What the functions for columns have in common.
struct Options<'a> {
    algorithm: Algorithm,
    form: Option<&'a str>,
    nulls: &'a str,
    threads: isize,
    context: Option<&'a str>,
    below: Option<u128>,
}

impl Options<'_> {
    /// The key meets no frame of Python from here on.
    fn hasher<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Hasher>> {
        let form = form(self.form, self.algorithm).map_err(PyValueError::new_err)?;
        let threads = usize::try_from(self.threads).ok().and_then(NonZeroUsize::new);
        let threads = threads.ok_or_else(|| PyValueError::new_err("threads is 1 or more"))?;
        let nulls = nulls(self.nulls).map_err(PyValueError::new_err)?;
        let found = key::for_columns(key, self.context)?;
        let hasher = ColumnHasher::new(&found, self.algorithm).with_nulls(nulls).with_threads(threads);
        let hasher = hasher.with_form(form).map_err(error::column)?;
        Bound::new(key.py(), Hasher { hasher, algorithm: self.algorithm, form, below: self.below })
    }
}

/// A function of `keylane._columns`.
pub fn adapter<'py>(py: Python<'py>, function: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("keylane._columns")?.getattr(function)
}

/// The tags of a column by KCE-1, as a column of the same kind: a buffer, a NumPy array, a pandas Series or Index, a
/// Polars Series, a list of str or bytes, or anything with Arrow's PyCapsules.
///
/// key: a Key, a KeyRef, the name of a key, or 16 bytes. context: hashes under the subkey for it. nulls: "keep", or
/// "error". form: "uint64", "int64", "binary" or "hex". threads: how many work on a large column.
#[pyfunction]
#[pyo3(signature = (values, key, alg = "siphash-1-3-64", *, nulls = "keep", form = None, threads = 1, context = None))]
pub fn hash_column<'py>(
    values: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    alg: &str,
    nulls: &str,
    form: Option<&str>,
    threads: isize,
    context: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let algorithm = of_columns(alg).map_err(PyValueError::new_err)?;
    let hasher = Options { algorithm, form, nulls, threads, context, below: None }.hasher(key)?;
    adapter(values.py(), "hash_column")?.call1((values, hasher))
}

/// Pseudonyms: the tags of a column with 128 bits, as hexadecimal digits or as bytes. Anything less is refused.
///
/// Pseudonyms are not anonymous: whoever has the key can link them to people again. The arguments are those of
/// hash_column.
#[pyfunction]
#[pyo3(signature = (values, key, alg = "siphash-2-4-128", *, nulls = "keep", form = "hex", threads = 1, context = None))]
pub fn pseudonymize<'py>(
    values: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    alg: &str,
    nulls: &str,
    form: &str,
    threads: isize,
    context: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let algorithm = of_columns(alg).map_err(PyValueError::new_err)?;
    strong(algorithm).map_err(PyValueError::new_err)?;
    let hasher = Options { algorithm, form: Some(form), nulls, threads, context, below: None }.hasher(key)?;
    adapter(values.py(), "hash_column")?.call1((values, hasher))
}

/// Refuses what is not enough for pseudonyms.
pub fn strong(algorithm: Algorithm) -> Result<(), &'static str> {
    match algorithm {
        Algorithm::SipHashX24 => Ok(()),
        _ => Err("pseudonyms have siphash-2-4-128; use hash_column for anything less"),
    }
}

/// One tag for each row of a table, or of a dict or list of columns. A list holds columns, not rows. The order of the
/// columns counts, their names do not.
///
/// columns: the names of those to hash, or one name. The other arguments are those of hash_column.
#[pyfunction]
#[pyo3(signature = (
    table, key, alg = "siphash-1-3-64", *, columns = None, nulls = "keep", form = None, threads = 1, context = None,
))]
#[expect(clippy::too_many_arguments)]
pub fn hash_rows<'py>(
    table: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    alg: &str,
    columns: Option<&Bound<'py, PyAny>>,
    nulls: &str,
    form: Option<&str>,
    threads: isize,
    context: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let algorithm = of_columns(alg).map_err(PyValueError::new_err)?;
    let hasher = Options { algorithm, form, nulls, threads, context, below: None }.hasher(key)?;
    adapter(table.py(), "hash_rows")?.call1((table, hasher, columns))
}

/// Whether each row is in a sample of this fraction of all values. Equal values share the answer, in every table and
/// engine; a null is never in the sample, and a smaller sample is part of a larger one.
#[pyfunction]
#[pyo3(signature = (values, key, fraction, *, threads = 1, context = None))]
pub fn sample<'py>(
    values: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    fraction: f64,
    threads: isize,
    context: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    if !(0.0..=1.0).contains(&fraction) {
        return Err(PyValueError::new_err("a fraction is from 0 to 1"));
    }
    // A product with a power of two is exact.
    let below = Some((fraction * 18_446_744_073_709_551_616.0).ceil() as u128);
    let algorithm = Algorithm::SipHash13;
    let hasher = Options { algorithm, form: None, nulls: "keep", threads, context, below }.hasher(key)?;
    adapter(values.py(), "hash_column")?.call1((values, hasher))
}

/// The line that says what a column of tags is.
#[pyfunction]
#[pyo3(signature = (key, alg = "siphash-2-4-128", *, rows = false, context = None))]
pub fn metadata(key: &Bound<'_, PyAny>, alg: &str, rows: bool, context: Option<&str>) -> PyResult<String> {
    let hasher =
        ColumnHasher::new(&key::for_columns(key, context)?, of_columns(alg).map_err(PyValueError::new_err)?);
    Ok(hasher.metadata(if rows { Mode::Row } else { Mode::Plain }))
}
