//! Columns: one tag for each value.

use crate::algorithm::Tag;
use crate::leaf::{Leaf, Words};
use crate::parallel::ranges;
use crate::value::{Fault, Value, decimal, float, time};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, RunEndIndexType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, BooleanBufferBuilder, Buffer, NullBuffer};
use arrow_schema::DataType;
use keylane::siphash::BatchError;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

/// How many values are converted at a time: 8 KiB of integers, which stay in the L1 cache.
const PIECE: usize = 1024;

/// How many values of a fixed width are hashed at a time: memory for their tags is cleared before, and is then still in the
/// cache. Text gains from long calls instead.
const STEP: usize = 4096;

/// If a dictionary has more than this many times as many values as there are rows, only those that are referred to are
/// hashed. A value hashed by itself costs several times as much as one in a batch.
const SPARSE: usize = 4;

/// The tags of a column.
pub struct Hashed<T> {
    /// One for each row. Those of nulls mean nothing.
    pub tags: Vec<T>,
    pub nulls: Option<NullBuffer>,
    /// The rows of values without a message, in order.
    pub faults: Vec<usize>,
}

/// Hashes the chunks of one column.
pub struct Plain<'a, T: Tag> {
    hasher: &'a T::Hasher,
    threads: NonZeroUsize,
    /// The values of the last dictionary and their tags. The chunks of a column often share it.
    dictionary: Option<(ArrayRef, Arc<Hashed<T>>)>,
}

impl<'a, T: Tag> Plain<'a, T> {
    pub fn new(hasher: &'a T::Hasher, threads: NonZeroUsize) -> Self {
        Plain { hasher, threads, dictionary: None }
    }

    /// The tags of an array whose type has an encoding.
    pub fn hash(&mut self, array: &dyn Array) -> Result<Hashed<T>, Fault> {
        match array.data_type() {
            DataType::Dictionary(keys, _) => match **keys {
                DataType::Int8 => self.dictionary::<Int8Type>(array),
                DataType::Int16 => self.dictionary::<Int16Type>(array),
                DataType::Int32 => self.dictionary::<Int32Type>(array),
                DataType::Int64 => self.dictionary::<Int64Type>(array),
                DataType::UInt8 => self.dictionary::<UInt8Type>(array),
                DataType::UInt16 => self.dictionary::<UInt16Type>(array),
                DataType::UInt32 => self.dictionary::<UInt32Type>(array),
                DataType::UInt64 => self.dictionary::<UInt64Type>(array),
                _ => Err(Fault::Malformed),
            },
            DataType::RunEndEncoded(ends, _) => match ends.data_type() {
                DataType::Int16 => self.runs::<Int16Type>(array),
                DataType::Int32 => self.runs::<Int32Type>(array),
                DataType::Int64 => self.runs::<Int64Type>(array),
                _ => Err(Fault::Malformed),
            },
            _ => self.leaf(array),
        }
    }

    fn leaf(&self, array: &dyn Array) -> Result<Hashed<T>, Fault> {
        if *array.data_type() == DataType::Null {
            // First, since it fails where there is no memory.
            let tags = zeros(array.len())?;
            let nulls = Some(NullBuffer::new_null(array.len()));
            return Ok(Hashed { tags, nulls, faults: Vec::new() });
        }
        let leaf = Leaf::new(array).ok_or(Fault::Malformed)?;
        let nulls = array.nulls();
        let step = |start: usize, tags: &mut [T]| {
            let part = leaf.range(start, start + tags.len()).ok_or(Fault::Malformed)?;
            let valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(start + row));
            let faults = hash_leaf::<T>(self.hasher, &part, &valid, nulls.is_some(), tags)?;
            Ok(faults.into_iter().map(|row| start + row).collect::<Vec<_>>())
        };
        let size = match leaf {
            Leaf::Bytes32(_) | Leaf::Bytes64(_) | Leaf::Views(..) => array.len().max(1),
            _ => STEP,
        };
        let (mut tags, mut faults) = (Vec::new(), Vec::new());
        if self.threads.get() == 1 {
            tags.try_reserve_exact(array.len()).map_err(|_| Fault::Memory)?;
            while tags.len() < array.len() {
                let start = tags.len();
                tags.resize(array.len().min(start + size), T::default());
                faults.extend(step(start, tags.get_mut(start..).unwrap_or_default())?);
            }
        } else {
            tags = zeros(array.len())?;
            faults = self.in_ranges(&mut tags, |first, tags| {
                let mut faults = Vec::new();
                for (start, tags) in (first..).step_by(size).zip(tags.chunks_mut(size)) {
                    faults.extend(step(start, tags)?.into_iter().map(|row| row - first));
                }
                Ok(faults)
            })?;
        }
        Ok(Hashed { tags, nulls: nulls.cloned(), faults })
    }

    /// Calls `work` for ranges of `tags`. It returns the rows without a message, counted from the start of the range.
    fn in_ranges(
        &self,
        tags: &mut [T],
        work: impl Fn(usize, &mut [T]) -> Result<Vec<usize>, Fault> + Sync,
    ) -> Result<Vec<usize>, Fault> {
        let faults = Mutex::new(Vec::new());
        ranges(self.threads, tags, |start, tags| {
            let found = work(start, tags)?;
            if !found.is_empty() {
                let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
                faults.extend(found.into_iter().map(|row| start + row));
            }
            Ok(())
        })?;
        let mut faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
        faults.sort_unstable();
        Ok(faults)
    }

    /// Hashes the values once, then gathers their tags.
    fn dictionary<K: ArrowDictionaryKeyType>(&mut self, array: &dyn Array) -> Result<Hashed<T>, Fault> {
        let array = array.as_dictionary_opt::<K>().ok_or(Fault::Malformed)?;
        let keys = array.keys().values();
        let present = array.keys().nulls();
        if array.values().len() / SPARSE > keys.len()
            && let Some(leaf) = Leaf::new(array.values())
        {
            return self.picked(keys, present, &leaf, array.values().logical_nulls().as_ref());
        }
        let values = self.values(array.values())?;
        let is_key = |row: usize| present.is_none_or(|present| present.is_valid(row));
        let place = |row: usize| keys.get(row).map_or(usize::MAX, |key| key.to_usize().unwrap_or(usize::MAX));
        let mut tags = zeros(keys.len())?;
        ranges(self.threads, &mut tags, |start, tags| {
            for (row, tag) in (start..).zip(tags) {
                match values.tags.get(place(row)) {
                    Some(&found) => *tag = found,
                    None if is_key(row) => return Err(Fault::Malformed),
                    None => {}
                }
            }
            Ok(())
        })?;
        let nulls = match &values.nulls {
            None => present.cloned(),
            Some(nulls) => {
                // Keys may lie in memory that their owner changes, so none is trusted.
                let is_value = |place| place < nulls.len() && nulls.is_valid(place);
                let valid = |row| is_key(row) && is_value(place(row));
                Some(NullBuffer::new(BooleanBuffer::collect_bool(keys.len(), valid)))
            }
        };
        let refers = |row: &usize| is_key(*row) && values.faults.binary_search(&place(*row)).is_ok();
        let faults = if values.faults.is_empty() { vec![] } else { (0..keys.len()).filter(refers).collect() };
        Ok(Hashed { tags, nulls, faults })
    }

    /// Hashes the values of a large dictionary to which a few keys refer, one by one.
    fn picked<N: ArrowNativeType>(
        &self,
        keys: &[N],
        present: Option<&NullBuffer>,
        leaf: &Leaf<'_>,
        nulls: Option<&NullBuffer>,
    ) -> Result<Hashed<T>, Fault> {
        let place = |row: usize| keys.get(row).and_then(|key| key.to_usize()).unwrap_or(usize::MAX);
        let is_null = |place: usize| nulls.is_some_and(|nulls| place < nulls.len() && nulls.is_null(place));
        let valid = |row: usize| present.is_none_or(|present| present.is_valid(row)) && !is_null(place(row));
        let mut tags = zeros(keys.len())?;
        let faults = self.in_ranges(&mut tags, |start, tags| {
            let (mut text, mut faults) = (Vec::new(), Vec::new());
            for (row, tag) in tags.iter_mut().enumerate().filter(|&(row, _)| valid(start + row)) {
                text.clear();
                match leaf.value(place(start + row), &mut text) {
                    Ok(Some(value)) => *tag = hash_value::<T>(self.hasher, value, &text),
                    Ok(None) => {}
                    Err(Fault::Date) => faults.push(row),
                    Err(fault) => return Err(fault),
                }
            }
            Ok(faults)
        })?;
        let nulls = NullBuffer::new(BooleanBuffer::collect_bool(keys.len(), valid));
        Ok(Hashed { tags, nulls: Some(nulls), faults })
    }

    /// The tags of a dictionary's values, perhaps from the chunk before.
    fn values(&mut self, values: &ArrayRef) -> Result<Arc<Hashed<T>>, Fault> {
        if let Some((seen, hashed)) = &self.dictionary
            && Arc::ptr_eq(seen, values)
        {
            return Ok(Arc::clone(hashed));
        }
        let hashed = Arc::new(self.hash(values)?);
        self.dictionary = Some((Arc::clone(values), Arc::clone(&hashed)));
        Ok(hashed)
    }

    /// Hashes the value of each run once.
    fn runs<R: RunEndIndexType>(&mut self, array: &dyn Array) -> Result<Hashed<T>, Fault> {
        let array = array.as_run_opt::<R>().ok_or(Fault::Malformed)?;
        let (start, rows) = (array.run_ends().offset(), array.run_ends().len());
        let stop = start.checked_add(rows).ok_or(Fault::Malformed)?;
        let mut tags = zeros(rows)?;
        let ends = array.run_ends().values();
        let before = |row: usize| move |end: &R::Native| end.to_usize().is_some_and(|end| end <= row);
        let first = ends.partition_point(before(start));
        let last = ends.partition_point(before(stop.saturating_sub(1)));
        let runs = if rows == 0 { 0 } else { last.saturating_sub(first).saturating_add(1) };
        if first.checked_add(runs).is_none_or(|end| end > array.values().len() || end > ends.len()) {
            return Err(Fault::Malformed);
        }
        let values = self.hash(&array.values().slice(first, runs))?;
        let mut valid = values.nulls.as_ref().map(|_| BooleanBufferBuilder::new(rows));
        let (mut at, mut faults) = (0, Vec::new());
        for (run, (tag, end)) in values.tags.iter().zip(ends.iter().skip(first)).enumerate() {
            let end = end.to_usize().ok_or(Fault::Malformed)?.saturating_sub(start).min(rows);
            tags.get_mut(at..end).ok_or(Fault::Malformed)?.fill(*tag);
            if let (Some(valid), Some(nulls)) = (&mut valid, &values.nulls) {
                valid.append_n(end - at, nulls.is_valid(run));
            }
            if values.faults.binary_search(&run).is_ok() {
                faults.push(at);
            }
            at = end;
        }
        if at != rows {
            return Err(Fault::Malformed);
        }
        let nulls = valid.map(|mut valid| NullBuffer::new(valid.finish()));
        Ok(Hashed { tags, nulls, faults })
    }
}

/// So many tags of 0. Pages that the system hands out are zeros already, so nothing is written.
pub fn zeros<T: Tag>(count: usize) -> Result<Vec<T>, Fault> {
    // `vec!` aborts where there is not enough memory.
    Vec::<T>::new().try_reserve_exact(count).map_err(|_| Fault::Memory)?;
    Ok(vec![T::default(); count])
}

/// The tag of one value, whose text is `text` if it is text.
fn hash_value<T: Tag>(hasher: &T::Hasher, value: Value<'_>, text: &[u8]) -> T {
    match value {
        Value::Integer(bits) | Value::Float(bits) => T::one(hasher, &bits.to_le_bytes()),
        Value::Wide(bits) => T::one(hasher, &bits.to_le_bytes()),
        Value::Bytes(bytes) => T::one(hasher, bytes),
        Value::Short(bytes, length) => T::one(hasher, bytes.get(..length).unwrap_or_default()),
        Value::Text => T::one(hasher, text),
    }
}

/// Hashes the values of a leaf, and returns the rows of those that are not null and have no message.
fn hash_leaf<T: Tag>(
    hasher: &T::Hasher,
    leaf: &Leaf<'_>,
    valid: &impl Fn(usize) -> bool,
    has_nulls: bool,
    tags: &mut [T],
) -> Result<Vec<usize>, Fault> {
    let whole = |result: Result<(), BatchError>| result.map(|()| Vec::new()).map_err(|_| Fault::Malformed);
    match *leaf {
        Leaf::Null => Ok(Vec::new()),
        Leaf::Bool(ref bits) => whole(widen(hasher, bits.iter().map(u64::from), tags)),
        Leaf::I8(values) => whole(widen(hasher, values.iter().map(|&x| x as u64), tags)),
        Leaf::I16(values) => whole(widen(hasher, values.iter().map(|&x| x as u64), tags)),
        Leaf::I32(values) => whole(widen(hasher, values.iter().map(|&x| x as u64), tags)),
        Leaf::U8(values) => whole(widen(hasher, values.iter().map(|&x| u64::from(x)), tags)),
        Leaf::U16(values) => whole(widen(hasher, values.iter().map(|&x| u64::from(x)), tags)),
        Leaf::U32(values) => whole(widen(hasher, values.iter().map(|&x| u64::from(x)), tags)),
        Leaf::U64(values) => whole(T::u64s(hasher, values, tags)),
        // In memory a little-endian integer is its message.
        Leaf::I64(Words { memory, .. }) if cfg!(target_endian = "little") => {
            whole(T::rows(hasher, memory, 8, tags))
        }
        Leaf::I64(Words { words, .. }) => whole(widen(hasher, words.iter().map(|&x| x as u64), tags)),
        Leaf::F16(values) => whole(widen(hasher, values.iter().map(|x| float(x.to_f64())), tags)),
        Leaf::F32(values) => whole(widen(hasher, values.iter().map(|&x| float(f64::from(x))), tags)),
        Leaf::F64(values) => whole(widen(hasher, values.iter().map(|&x| float(x)), tags)),
        Leaf::Bytes32(values) => whole(T::offsets(hasher, values.bytes, values.offsets, tags)),
        Leaf::Bytes64(values) => whole(T::offsets(hasher, values.bytes, values.offsets, tags)),
        Leaf::Fixed(rows) => whole(T::rows(hasher, rows.bytes, rows.width, tags)),
        Leaf::Views(views, buffers) if has_nulls => {
            whole(views_with_nulls(hasher, views, buffers, valid, tags))
        }
        Leaf::Views(views, buffers) => whole(T::views(hasher, views, &memory(buffers), tags)),
        Leaf::Date(_) => mixed(hasher, valid, tags, |row, text| leaf.value(row, text)),
        Leaf::Time32(values, unit) => {
            mixed(hasher, valid, tags, |row, _| each(values, row, |t| time(i64::from(t), unit)))
        }
        Leaf::Time64(values, unit) => {
            mixed(hasher, valid, tags, |row, _| each(values, row, |t| time(t, unit)))
        }
        Leaf::Decimal32(values, scale) => {
            mixed(hasher, valid, tags, |row, text| each(values, row, |n| decimal(n, scale, text)))
        }
        Leaf::Decimal64(values, scale) => {
            mixed(hasher, valid, tags, |row, text| each(values, row, |n| decimal(n, scale, text)))
        }
        Leaf::Decimal128(values, scale) => {
            mixed(hasher, valid, tags, |row, text| each(values, row, |n| decimal(n, scale, text)))
        }
        Leaf::Decimal256(values, scale) => {
            mixed(hasher, valid, tags, |row, text| each(values, row, |n| decimal(n, scale, text)))
        }
    }
}

#[inline(always)]
fn each<I: Copy>(
    values: &[I],
    row: usize,
    value: impl FnOnce(I) -> Value<'static>,
) -> Result<Option<Value<'static>>, Fault> {
    values.get(row).map(|&x| Some(value(x))).ok_or(Fault::Malformed)
}

/// Hashes integers of 64 bits that are made from others, a piece at a time.
#[inline(always)]
fn widen<T: Tag>(
    hasher: &T::Hasher,
    mut words: impl Iterator<Item = u64>,
    tags: &mut [T],
) -> Result<(), BatchError> {
    let mut piece = [0; PIECE];
    for tags in tags.chunks_mut(PIECE) {
        let piece = piece.get_mut(..tags.len()).unwrap_or_default();
        for (place, word) in piece.iter_mut().zip(&mut words) {
            *place = word;
        }
        T::u64s(hasher, piece, tags)?;
    }
    Ok(())
}

/// The bytes of buffers, which are no `AsRef<[u8]>` in Arrow 59.
fn memory(buffers: &[Buffer]) -> Vec<&[u8]> {
    buffers.iter().map(Buffer::as_slice).collect()
}

/// Views of nulls may hold anything: an empty message takes their place.
fn views_with_nulls<T: Tag>(
    hasher: &T::Hasher,
    views: &[u128],
    buffers: &[Buffer],
    valid: impl Fn(usize) -> bool,
    tags: &mut [T],
) -> Result<(), BatchError> {
    let buffers = memory(buffers);
    let mut piece = [0; PIECE];
    let starts = (0..).step_by(PIECE);
    for ((start, views), tags) in starts.zip(views.chunks(PIECE)).zip(tags.chunks_mut(PIECE)) {
        let piece = piece.get_mut(..views.len()).unwrap_or_default();
        for (row, (place, &view)) in (start..).zip(piece.iter_mut().zip(views)) {
            *place = if valid(row) { view } else { 0 };
        }
        T::views(hasher, piece, &buffers, tags)?;
    }
    Ok(())
}

/// Hashes values of several kinds. A piece at a time, each kind goes to its batch call, and its tags to their rows.
#[inline(always)]
fn mixed<'a, T: Tag>(
    hasher: &T::Hasher,
    valid: &impl Fn(usize) -> bool,
    tags: &mut [T],
    value: impl Fn(usize, &mut Vec<u8>) -> Result<Option<Value<'a>>, Fault>,
) -> Result<Vec<usize>, Fault> {
    let mut words = [0; PIECE];
    let (mut wide, mut wide_rows) = (Vec::new(), Vec::new());
    let (mut text, mut offsets, mut text_rows) = (Vec::new(), Vec::new(), Vec::new());
    let (mut faults, mut start) = (Vec::new(), 0);
    for tags in tags.chunks_mut(PIECE) {
        for (row, word) in words.iter_mut().take(tags.len()).enumerate() {
            let before = text.len();
            *word = match value(start + row, &mut text) {
                Ok(Some(Value::Integer(bits) | Value::Float(bits))) => bits,
                Ok(Some(Value::Wide(bits))) => {
                    wide.push(bits);
                    wide_rows.push(row);
                    0
                }
                Ok(Some(Value::Text)) => {
                    offsets.push(before as i64);
                    text_rows.push(row);
                    0
                }
                Ok(Some(Value::Bytes(_) | Value::Short(..))) => return Err(Fault::Malformed),
                Ok(None) => 0,
                Err(Fault::Date) => {
                    if valid(start + row) {
                        faults.push(start + row);
                    }
                    0
                }
                Err(fault) => return Err(fault),
            };
        }
        let malformed = |_| Fault::Malformed;
        T::u64s(hasher, words.get(..tags.len()).unwrap_or_default(), tags).map_err(malformed)?;
        if !wide.is_empty() {
            scatter(tags, &wide_rows, |tags| T::u128s(hasher, &wide, tags)).map_err(malformed)?;
            wide.clear();
            wide_rows.clear();
        }
        if !offsets.is_empty() {
            offsets.push(text.len() as i64);
            scatter(tags, &text_rows, |tags| T::offsets(hasher, &text, &offsets, tags)).map_err(malformed)?;
            text.clear();
            offsets.clear();
            text_rows.clear();
        }
        start += tags.len();
    }
    Ok(faults)
}

/// Computes one tag for each of `rows`, and puts it there.
fn scatter<T: Tag>(
    tags: &mut [T],
    rows: &[usize],
    hash: impl FnOnce(&mut [T]) -> Result<(), BatchError>,
) -> Result<(), BatchError> {
    let mut some = [T::default(); PIECE];
    let some = some.get_mut(..rows.len()).unwrap_or_default();
    hash(some)?;
    for (&row, &tag) in rows.iter().zip(some.iter()) {
        if let Some(place) = tags.get_mut(row) {
            *place = tag;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Algorithm;
    use keylane::siphash::Key;

    fn hash(leaf: &Leaf<'_>, valid: impl Fn(usize) -> bool, count: usize) -> Result<Vec<u64>, Fault> {
        let hasher = u64::hasher(&Key::from_bytes([7; 16]), Algorithm::SipHash24);
        let mut tags = zeros(count)?;
        let faults = hash_leaf::<u64>(&hasher, leaf, &valid, true, &mut tags)?;
        assert_eq!(faults, []);
        Ok(tags)
    }

    /// Arrays from other languages may hold such views, which arrow-rs itself would not make.
    #[test]
    fn views_behind_nulls_may_be_anything() {
        let short = u128::from_le_bytes(*b"\x02\0\0\0ab\0\0\0\0\0\0\0\0\0\0");
        let far = u128::MAX >> 1;
        for count in [3, 40, 3 * PIECE + 1] {
            let views: Vec<u128> = (0..count).map(|row| if row % 3 == 1 { far } else { short }).collect();
            let tags = hash(&Leaf::Views(&views, &[]), |row| row % 3 != 1, count).expect("tags");
            let right = hash(&Leaf::Views(&[short], &[]), |_| true, 1).expect("a tag");
            assert!(tags.iter().enumerate().all(|(row, tag)| row % 3 == 1 || *tag == right[0]));
            assert_eq!(hash(&Leaf::Views(&views, &[]), |_| true, count), Err(Fault::Malformed));
        }
    }

    #[test]
    fn bad_offsets_are_an_error() {
        for offsets in [[0, 9], [2, 1], [-1, 1]] {
            let leaf = Leaf::Bytes32(crate::leaf::Bytes { bytes: b"bytes", offsets: &offsets });
            assert_eq!(hash(&leaf, |_| true, 1), Err(Fault::Malformed));
            assert!(leaf.value(0, &mut Vec::new()).is_err());
        }
    }
}
