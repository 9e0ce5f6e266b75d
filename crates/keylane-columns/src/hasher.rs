//! Hashing arrays, batches and rows.

use crate::algorithm::{Algorithm, Form, Tag};
use crate::error::ColumnError;
use crate::key::{ColumnKey, Mode};
use crate::parallel::ranges;
use crate::plain::{Hashed, Plain, zeros};
use crate::rows::{self, RowFault, RowField};
use crate::types::{check_plain, check_row};
use crate::value::Fault;
use arrow_array::{
    Array, ArrayRef, FixedSizeBinaryArray, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
    UInt64Array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::Schema;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// What becomes of nulls.
///
/// ```
/// use arrow_array::{Array, Int64Array};
/// use keylane::siphash::Key;
/// use keylane_columns::{Algorithm, ColumnError, ColumnHasher, ColumnKey, Nulls};
///
/// let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
/// let ages = Int64Array::from(vec![Some(30), None]);
/// let keep = ColumnHasher::new(&key, Algorithm::default());
/// assert!(keep.hash_array("age", &ages)?.is_null(1));
///
/// let refuse = keep.with_nulls(Nulls::Refuse);
/// assert_eq!(refuse.hash_array("age", &ages).unwrap_err(), ColumnError::Null { column: "age".into(), row: 1 });
/// # Ok::<(), ColumnError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nulls {
    /// In a column, a null stays null. In a row, it is a value like any other, so a row always has a tag.
    #[default]
    Keep,
    /// A null is an error that names the column and the row. In a row, this means the fields of the row, not what lies
    /// inside of lists and structs.
    Refuse,
}

/// Hashes columns and rows by KCE-1.
///
/// Slices, chunks, dictionaries, runs, views and the width of offsets change no tag. A call fails as a whole: it
/// returns all tags or an error.
///
/// ```
/// use arrow_array::{Int32Array, Int64Array, UInt64Array};
/// use keylane::siphash::{Key, SipHash24};
/// use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, Form};
///
/// let key = ColumnKey::new("shards", Key::from_bytes([7; 16]));
/// let hasher = ColumnHasher::new(&key, Algorithm::SipHash24).with_form(Form::UInt64)?;
/// let tags = hasher.hash_array("id", &Int32Array::from(vec![-1, 5]))?;
///
/// // Integers of every width have the message of 64 bits.
/// let plain = SipHash24::new(&Key::from_bytes([7; 16]));
/// let expected = UInt64Array::from(vec![plain.hash_u64(u64::MAX), plain.hash_u64(5)]);
/// assert_eq!(*tags, expected);
/// # Ok::<(), keylane_columns::ColumnError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ColumnHasher {
    key: ColumnKey,
    algorithm: Algorithm,
    form: Form,
    nulls: Nulls,
    threads: NonZeroUsize,
}

impl ColumnHasher {
    /// Chooses a key and a function. Tags are [`Form::Binary`], nulls stay, and one thread works.
    ///
    /// ```
    /// # use arrow_array::Int64Array;
    /// # use arrow_schema::DataType;
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::{Algorithm, ColumnHasher, ColumnKey};
    /// let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
    /// let tags = ColumnHasher::new(&key, Algorithm::SipHashX24).hash_array("id", &Int64Array::from(vec![1]))?;
    /// assert_eq!(*tags.data_type(), DataType::FixedSizeBinary(16));
    /// # Ok::<(), keylane_columns::ColumnError>(())
    /// ```
    pub fn new(key: &ColumnKey, algorithm: Algorithm) -> ColumnHasher {
        let (form, nulls, threads) = (Form::default(), Nulls::default(), NonZeroUsize::MIN);
        ColumnHasher { key: key.clone(), algorithm, form, nulls, threads }
    }

    /// Chooses how tags are stored.
    ///
    /// # Errors
    /// [`ColumnError::Form`]: a tag of 128 bits is no integer of 64 bits.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, Form};
    /// # let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
    /// assert!(ColumnHasher::new(&key, Algorithm::SipHash13).with_form(Form::Int64).is_ok());
    /// assert!(ColumnHasher::new(&key, Algorithm::SipHashX24).with_form(Form::Int64).is_err());
    /// ```
    pub fn with_form(self, form: Form) -> Result<ColumnHasher, ColumnError> {
        match form.data_type(self.algorithm) {
            Some(_) => Ok(ColumnHasher { form, ..self }),
            None => Err(ColumnError::Form { algorithm: self.algorithm, form }),
        }
    }

    /// Chooses what becomes of nulls.
    ///
    /// ```
    /// # use arrow_array::Int64Array;
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, Nulls};
    /// # let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
    /// let hasher = ColumnHasher::new(&key, Algorithm::SipHashX24).with_nulls(Nulls::Refuse);
    /// assert!(hasher.hash_array("id", &Int64Array::from(vec![Some(1), None])).is_err());
    /// ```
    pub fn with_nulls(self, nulls: Nulls) -> ColumnHasher {
        ColumnHasher { nulls, ..self }
    }

    /// Chooses how many threads work on one call. They take ranges of rows; a small array has one range.
    ///
    /// ```
    /// # use arrow_array::Int64Array;
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, Form};
    /// # let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
    /// let one = ColumnHasher::new(&key, Algorithm::SipHash13);
    /// let two = one.clone().with_threads(2.try_into()?);
    /// let ids = Int64Array::from_iter_values(0..100_000);
    /// assert_eq!(&one.hash_array("id", &ids)?, &two.hash_array("id", &ids)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_threads(self, threads: NonZeroUsize) -> ColumnHasher {
        ColumnHasher { threads, ..self }
    }

    /// The line that says what a column of tags is. It stands in the metadata of a field, under [`METADATA_KEY`]. It
    /// names the key and shows its check value.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, Mode};
    /// let key = ColumnKey::new("users", Key::from_bytes([0; 16])).derive("users.email")?;
    /// let hasher = ColumnHasher::new(&key, Algorithm::SipHashX24);
    /// let line = "KCE-1; siphash-2-4-128; plain; key=users; check=ae4845b5; context=users.email";
    /// assert_eq!(hasher.metadata(Mode::Plain), line);
    /// # Ok::<(), keylane::siphash::ContextError>(())
    /// ```
    pub fn metadata(&self, mode: Mode) -> String {
        self.key.metadata(self.algorithm, mode)
    }

    /// The tags of one column. `column` names it in errors.
    ///
    /// # Errors
    /// * [`ColumnError::Type`], [`ColumnError::Depth`]: the type is not hashed by itself.
    /// * [`ColumnError::Null`]: a null, and nulls are refused.
    /// * [`ColumnError::Date`]: a date64 that is not whole days.
    /// * [`ColumnError::Malformed`], [`ColumnError::Long`], [`ColumnError::Memory`].
    ///
    /// ```
    /// use arrow_array::{Array, StringArray};
    /// use keylane::siphash::Key;
    /// use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, Form};
    ///
    /// let key = ColumnKey::new("users", Key::from_bytes([0; 16])).derive("users.email")?;
    /// let hasher = ColumnHasher::new(&key, Algorithm::SipHashX24).with_form(Form::Hex)?;
    /// let emails = StringArray::from(vec![Some("a@example.com"), None, Some("a@example.com")]);
    /// let tags = hasher.hash_array("email", &emails)?;
    /// assert!(tags.is_null(1));
    /// assert_eq!(tags.slice(0, 1).to_data(), tags.slice(2, 1).to_data());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hash_array(&self, column: &str, array: &dyn Array) -> Result<ArrayRef, ColumnError> {
        self.chunks(column, &[array])?.pop().ok_or_else(|| ColumnError::Malformed { column: column.into() })
    }

    /// The tags of one column in chunks, chunk by chunk. Rows in errors are counted from the first chunk on. The chunks
    /// may be encoded in different ways. A dictionary that chunks share is hashed once.
    ///
    /// # Errors
    /// The same as [`hash_array`](Self::hash_array).
    ///
    /// ```
    /// # use arrow_array::{ArrayRef, Int64Array};
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::{Algorithm, ColumnHasher, ColumnKey};
    /// # use std::sync::Arc;
    /// # let hasher = ColumnHasher::new(&ColumnKey::new("k", Key::from_bytes([7; 16])), Algorithm::default());
    /// let chunks: [ArrayRef; 2] = [Arc::new(Int64Array::from(vec![1, 2])), Arc::new(Int64Array::from(vec![3]))];
    /// let tags = hasher.hash_chunks("id", &chunks)?;
    /// let whole = hasher.hash_array("id", &Int64Array::from(vec![1, 2, 3]))?;
    /// assert_eq!(&tags[1], &whole.slice(2, 1));
    /// # Ok::<(), keylane_columns::ColumnError>(())
    /// ```
    pub fn hash_chunks(&self, column: &str, chunks: &[ArrayRef]) -> Result<Vec<ArrayRef>, ColumnError> {
        let chunks: Vec<&dyn Array> = chunks.iter().map(|chunk| &**chunk).collect();
        self.chunks(column, &chunks)
    }

    /// The batch with the tags of these columns in their places. The other columns stay as they are. The field of each
    /// column of tags gets the line of [`metadata`](Self::metadata), and loses the name of an extension type.
    ///
    /// # Errors
    /// * [`ColumnError::Missing`], [`ColumnError::Ambiguous`], [`ColumnError::Twice`]: `columns` does not name columns
    ///   of the batch.
    /// * The same as [`hash_array`](Self::hash_array).
    ///
    /// ```
    /// use arrow_array::{Int64Array, RecordBatch, StringArray};
    /// use keylane::siphash::Key;
    /// use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, METADATA_KEY};
    /// use std::sync::Arc;
    ///
    /// let batch = RecordBatch::try_from_iter([
    ///     ("email", Arc::new(StringArray::from(vec!["a@example.com"])) as _),
    ///     ("age", Arc::new(Int64Array::from(vec![30])) as _),
    /// ])?;
    /// let key = ColumnKey::new("users", Key::from_bytes([0; 16]));
    /// let tagged = ColumnHasher::new(&key, Algorithm::default()).hash_record_batch(&batch, &["email"])?;
    /// assert_eq!(tagged.column(1), batch.column(1));
    /// assert_eq!(
    ///     tagged.schema().field(0).metadata()[METADATA_KEY],
    ///     "KCE-1; siphash-2-4-128; plain; key=users; check=ae4845b5"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hash_record_batch(
        &self,
        batch: &RecordBatch,
        columns: &[&str],
    ) -> Result<RecordBatch, ColumnError> {
        let schema = batch.schema();
        let mut fields = schema.fields().to_vec();
        let mut arrays = batch.columns().to_vec();
        for (place, column) in places(&schema, columns)? {
            let (Some(field), Some(array)) = (fields.get_mut(place), arrays.get_mut(place)) else { continue };
            let tags = self.hash_array(column, array)?;
            let mut metadata = field.metadata().clone();
            metadata.retain(|key, _| !key.starts_with("ARROW:extension:"));
            metadata.insert(METADATA_KEY.to_string(), self.metadata(Mode::Plain));
            let nullable = field.is_nullable() || tags.null_count() > 0;
            let tagged = field.as_ref().clone().with_data_type(tags.data_type().clone());
            *field = Arc::new(tagged.with_nullable(nullable).with_metadata(metadata));
            *array = tags;
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let malformed = |_| ColumnError::Malformed { column: columns.join(", ") };
        RecordBatch::try_new_with_options(schema, arrays, &options).map_err(malformed)
    }

    /// One tag for the values of these columns, row by row, in the order of `columns`. Lists and structs are hashed
    /// too. The tags have no nulls.
    ///
    /// Without columns, all rows have one tag.
    ///
    /// # Errors
    /// The same as [`hash_record_batch`](Self::hash_record_batch).
    ///
    /// ```
    /// use arrow_array::{Int64Array, RecordBatch};
    /// use keylane::siphash::Key;
    /// use keylane_columns::{Algorithm, ColumnHasher, ColumnKey};
    /// use std::sync::Arc;
    ///
    /// let batch = RecordBatch::try_from_iter_with_nullable([
    ///     ("a", Arc::new(Int64Array::from(vec![Some(1), None])) as _, true),
    ///     ("b", Arc::new(Int64Array::from(vec![None, Some(1)])) as _, true),
    /// ])?;
    /// let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
    /// let hasher = ColumnHasher::new(&key, Algorithm::default());
    /// let tags = hasher.hash_rows(&batch, &["a", "b"])?;
    /// // (1, null) is not (null, 1), but it is once the columns change places.
    /// assert_ne!(&tags.slice(0, 1), &tags.slice(1, 1));
    /// assert_eq!(&tags.slice(0, 1), &hasher.hash_rows(&batch, &["b", "a"])?.slice(1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hash_rows(&self, batch: &RecordBatch, columns: &[&str]) -> Result<ArrayRef, ColumnError> {
        let places = places(&batch.schema(), columns)?;
        if self.algorithm.bits() == 64 {
            self.rows_of::<u64>(batch, &places)
        } else {
            self.rows_of::<u128>(batch, &places)
        }
    }

    fn chunks(&self, column: &str, chunks: &[&dyn Array]) -> Result<Vec<ArrayRef>, ColumnError> {
        if self.algorithm.bits() == 64 {
            self.chunks_of::<u64>(column, chunks)
        } else {
            self.chunks_of::<u128>(column, chunks)
        }
    }

    fn chunks_of<T: Stored>(
        &self,
        column: &str,
        chunks: &[&dyn Array],
    ) -> Result<Vec<ArrayRef>, ColumnError> {
        chunks.iter().try_for_each(|chunk| check_plain(column, chunk.data_type()))?;
        let hasher = T::hasher(self.key.key(), self.algorithm);
        let mut plain = Plain::<T>::new(&hasher, self.threads);
        let (mut tags, mut start) = (Vec::with_capacity(chunks.len()), 0_usize);
        for chunk in chunks {
            self.check_length(column, chunk.len())?;
            let failed = |fault| error(fault, column, start);
            let hashed = plain.hash(*chunk).map_err(failed)?;
            let nulls = hashed.nulls.as_ref().filter(|nulls| nulls.null_count() > 0);
            let null = nulls.and_then(|nulls| (0..nulls.len()).find(|&row| nulls.is_null(row)));
            if let (Nulls::Refuse, Some(row)) = (self.nulls, null) {
                return Err(ColumnError::Null { column: column.into(), row: start.saturating_add(row) });
            }
            if let Some(row) = hashed.faults.first() {
                return Err(error(Fault::Date, column, start.saturating_add(*row)));
            }
            tags.push(self.store(column, hashed)?);
            start = start.saturating_add(chunk.len());
        }
        Ok(tags)
    }

    fn rows_of<T: Stored>(
        &self,
        batch: &RecordBatch,
        places: &[(usize, &str)],
    ) -> Result<ArrayRef, ColumnError> {
        let mut fields = Vec::with_capacity(places.len());
        for &(place, column) in places {
            let array = batch.columns().get(place).ok_or(ColumnError::Missing { column: column.into() })?;
            check_row(column, array.data_type())?;
            fields.push(RowField::new(array).ok_or(ColumnError::Malformed { column: column.into() })?);
        }
        let named = |fault: RowFault| {
            let column = places.get(fault.column).map_or("", |&(_, column)| column);
            error(fault.fault, column, fault.row)
        };
        if self.nulls == Nulls::Refuse {
            for row in 0..batch.num_rows() {
                for (field, &(_, column)) in fields.iter().zip(places) {
                    if field.is_null(row).map_err(|fault| error(fault, column, row))? {
                        return Err(ColumnError::Null { column: column.into(), row });
                    }
                }
            }
        }
        let first = places.first().map_or("", |&(_, column)| column);
        self.check_length(first, batch.num_rows())?;
        let hasher = T::hasher(&self.key.key().row_key(), self.algorithm);
        let mut tags = zeros(batch.num_rows()).map_err(|fault| error(fault, first, 0))?;
        ranges(self.threads, &mut tags, |start, tags| rows::hash::<T>(&hasher, &fields, start, tags))
            .map_err(named)?;
        self.store(first, Hashed { tags, nulls: None, faults: Vec::new() })
    }

    /// Checks that the tags of `rows` rows fit one array.
    fn check_length(&self, column: &str, rows: usize) -> Result<(), ColumnError> {
        let digits = self.algorithm.bits() as usize / 4;
        let fits = |bytes| i32::try_from(bytes).is_ok();
        if self.form == Form::Hex && !rows.checked_mul(digits).is_some_and(fits) {
            return Err(ColumnError::Long { column: column.into(), rows });
        }
        Ok(())
    }

    /// The array of tags. Those of nulls become zeros, so that nothing of what lay behind a null is left.
    fn store<T: Stored>(&self, column: &str, hashed: Hashed<T>) -> Result<ArrayRef, ColumnError> {
        let Hashed { mut tags, nulls, .. } = hashed;
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        if let Some(nulls) = &nulls {
            for (tag, valid) in tags.iter_mut().zip(nulls.iter()) {
                *tag = if valid { *tag } else { T::default() };
            }
        }
        let malformed = || ColumnError::Malformed { column: column.into() };
        match self.form {
            Form::Binary => {
                let (width, count) = (T::BYTES as i32, tags.len());
                let array = FixedSizeBinaryArray::try_new_with_len(width, T::memory(tags), nulls, count);
                Ok(Arc::new(array.map_err(|_| malformed())?))
            }
            Form::Hex => hex(column, &tags, nulls),
            Form::UInt64 => {
                let words = ScalarBuffer::from(T::words64(tags).ok_or_else(malformed)?);
                Ok(Arc::new(UInt64Array::try_new(words, nulls).map_err(|_| malformed())?))
            }
            Form::Int64 => {
                let words = Buffer::from_vec(T::words64(tags).ok_or_else(malformed)?);
                let count = words.len() / 8;
                let words = ScalarBuffer::new(words, 0, count);
                Ok(Arc::new(Int64Array::try_new(words, nulls).map_err(|_| malformed())?))
            }
        }
    }
}

/// The key of the metadata of a field of tags.
///
/// ```
/// assert_eq!(keylane_columns::METADATA_KEY, "keylane");
/// ```
pub const METADATA_KEY: &str = "keylane";

fn error(fault: Fault, column: &str, row: usize) -> ColumnError {
    let column = column.into();
    match fault {
        Fault::Date => ColumnError::Date { column, row },
        Fault::Malformed => ColumnError::Malformed { column },
        Fault::Memory => ColumnError::Memory { column },
    }
}

/// Where the columns of these names are.
fn places<'a>(schema: &Schema, columns: &[&'a str]) -> Result<Vec<(usize, &'a str)>, ColumnError> {
    let mut seen = HashSet::new();
    let place = |&column: &&'a str| {
        if !seen.insert(column) {
            return Err(ColumnError::Twice { column: column.into() });
        }
        let mut found = schema.fields().iter().enumerate().filter(|(_, field)| field.name() == column);
        match (found.next(), found.next()) {
            (Some((place, _)), None) => Ok((place, column)),
            (None, _) => Err(ColumnError::Missing { column: column.into() }),
            (Some(_), Some(_)) => Err(ColumnError::Ambiguous { column: column.into() }),
        }
    };
    columns.iter().map(place).collect()
}

/// How tags become the memory of arrays.
trait Stored: Tag {
    /// The bytes of all tags, as the reference implementation writes them.
    fn memory(tags: Vec<Self>) -> Buffer;
    /// The tags, if they have 64 bits.
    fn words64(tags: Vec<Self>) -> Option<Vec<u64>>;
}

impl Stored for u64 {
    fn memory(mut tags: Vec<u64>) -> Buffer {
        // On a little-endian CPU this changes nothing, and the loop is removed.
        tags.iter_mut().for_each(|tag| *tag = tag.to_le());
        Buffer::from_vec(tags)
    }

    fn words64(tags: Vec<u64>) -> Option<Vec<u64>> {
        Some(tags)
    }
}

impl Stored for u128 {
    fn memory(mut tags: Vec<u128>) -> Buffer {
        tags.iter_mut().for_each(|tag| *tag = tag.to_le());
        Buffer::from_vec(tags)
    }

    fn words64(_: Vec<u128>) -> Option<Vec<u64>> {
        None
    }
}

/// Tags as hexadecimal text; a null is empty. The caller has checked that offsets of 32 bits reach the end.
fn hex<T: Tag>(column: &str, tags: &[T], nulls: Option<NullBuffer>) -> Result<ArrayRef, ColumnError> {
    let memory = |_| ColumnError::Memory { column: column.into() };
    let (mut text, mut offsets) = (Vec::new(), Vec::new());
    text.try_reserve_exact(tags.len() * T::BYTES * 2).map_err(memory)?;
    offsets.try_reserve_exact(tags.len() + 1).map_err(memory)?;
    offsets.push(0_i32);
    for (row, tag) in tags.iter().enumerate() {
        if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
            text.extend_from_slice(tag.digits().as_ref().as_flattened());
        }
        offsets.push(text.len() as i32);
    }
    let (offsets, text) = (OffsetBuffer::new(ScalarBuffer::from(offsets)), Buffer::from_vec(text));
    let array = StringArray::try_new(offsets, text, nulls);
    Ok(Arc::new(array.map_err(|_| ColumnError::Malformed { column: column.into() })?))
}
