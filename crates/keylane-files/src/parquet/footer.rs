//! Footers. The library gets a plain one: without what it cannot read of the columns that only stay, and without text that
//! it would check. The footer that it writes then gets back what the file says of these columns.
//!
//! Source: Apache Parquet's thrift definition, `FileMetaData` and what it contains.

use super::damage::{DAMAGED, damaged};
use super::shape;
use super::thrift::{Struct, Value, kind};
use crate::error::Error;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::ops::Range;

/// The footer of a file, as it stands there.
pub struct Footer {
    bytes: Vec<u8>,
    /// Where it starts.
    pub start: u64,
}

/// What becomes of the parts of a file.
pub struct Changes<'a> {
    /// For each root of the schema: whether its column is replaced by one of tags.
    pub roots: &'a [bool],
    /// For each leaf the same.
    pub leaves: &'a [bool],
    /// For each leaf its greatest levels of definition and repetition.
    pub levels: &'a [(i16, i16)],
    /// For each row group and leaf: whether the chunk was copied.
    pub copied: &'a [Vec<bool>],
}

const MAGIC: [u8; 4] = *b"PAR1";
const ENCRYPTED: [u8; 4] = *b"PARE";

/// How many bytes follow a footer: its length, and the magic bytes.
const TAIL: usize = 8;

// The kinds of leaves.
const BYTE_ARRAY: i64 = 6;
const FIXED_LEN_BYTE_ARRAY: i64 = 7;

// The fields of a schema's element that say what its values mean.
const CONVERTED: i16 = 6;
const LOGICAL: i16 = 10;

const TYPE: &str = "what the footer says of its type is damaged";

impl Footer {
    /// Reads the footer of a file.
    pub fn read(file: &File) -> Result<Footer, Error> {
        let short = || Error::table("the file is not Parquet, or it is cut short");
        let len = file.len();
        let end = len.checked_sub(TAIL as u64).ok_or_else(short)?;
        let tail = file.get_bytes(end, TAIL).map_err(|error| damaged(&error))?;
        let (size, magic) = tail.split_first_chunk::<4>().ok_or_else(short)?;
        if magic == ENCRYPTED {
            return Err(Error::table("the file is encrypted"));
        }
        let size = u32::from_le_bytes(*size);
        let start = end.checked_sub(size.into()).filter(|_| magic == MAGIC).ok_or_else(short)?;
        let bytes = file.get_bytes(start, size as usize).map_err(|error| damaged(&error))?;
        Ok(Footer { bytes: bytes.to_vec(), start })
    }

    /// The footer as it stands in the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The names of the table's columns.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let names = || {
            let (file, _) = Struct::read(&self.bytes)?;
            let elements = file.get(2)?.structs()?;
            let name = |root: Range<usize>| {
                let name = elements.get(root.start)?.get(4)?.binary()?;
                String::from_utf8(name.to_vec()).ok()
            };
            roots(&elements)?.into_iter().map(name).collect::<Option<Vec<String>>>()
        };
        names().ok_or_else(|| Error::table(DAMAGED))
    }

    /// The elements of the schema for each of the table's columns.
    pub fn columns(&self) -> Option<Vec<Vec<Vec<u8>>>> {
        let (file, _) = Struct::read(&self.bytes)?;
        let elements = file.get(2)?.structs()?;
        let column = |root: Range<usize>| Some(elements.get(root)?.iter().map(Struct::write).collect());
        roots(&elements)?.into_iter().map(column).collect()
    }

    /// The footer for the library, which reads the columns at these places only.
    pub fn plain(&self, sources: &[usize]) -> Result<Vec<u8>, Error> {
        let wrong = || Error::table(DAMAGED);
        let (file, _) = Struct::read(&self.bytes).ok_or_else(wrong)?;
        let elements = file.get(2).and_then(Value::structs).ok_or_else(wrong)?;
        let roots = roots(&elements).ok_or_else(wrong)?;
        elements.first().filter(|table| shape::ELEMENT.fits_struct(table)).ok_or_else(wrong)?;
        let mut schema: Vec<Vec<u8>> = elements.first().map(Struct::write).into_iter().collect();
        for (number, root) in roots.into_iter().enumerate() {
            let is_read = sources.contains(&number);
            let plain =
                |element: &Struct<'_>| if is_read { readable(element) } else { bare(element) }.write();
            let elements = elements.get(root).unwrap_or_default();
            if !elements.iter().all(|element| shape::ELEMENT.fits_struct(element)) {
                let name = elements.first().and_then(|root| root.get(4)).and_then(Value::binary);
                let name = String::from_utf8_lossy(name.unwrap_or_default()).into_owned();
                return Err(Error::table(TYPE).in_column(&name));
            }
            schema.extend(elements.iter().map(plain));
        }
        let groups = file.get(4).and_then(Value::structs).ok_or_else(wrong)?;
        let groups: Result<Vec<Vec<u8>>, Error> = groups.iter().map(plain_group).collect();
        let mut plain = file.only(&[1, 3, 5, 6]);
        plain.set(2, Some(Value::list(kind::STRUCT, &schema)));
        plain.set(4, Some(Value::list(kind::STRUCT, &groups?)));
        if file.get(8).is_some() {
            return Err(Error::table("the file is encrypted, or it has an encrypted signature"));
        }
        Ok(plain.write())
    }

    /// The end of a file that the library wrote, with what this footer says of the columns that stay.
    pub fn graft(&self, mut written: Vec<u8>, changes: &Changes<'_>) -> Option<Vec<u8>> {
        let end = written.len().checked_sub(TAIL)?;
        let size = u32::from_le_bytes(*written.get(end..)?.first_chunk()?);
        let start = end.checked_sub(usize::try_from(size).ok()?)?;
        let new = self.grafted(written.get(start..end)?, changes)?;
        written.truncate(start);
        written.extend_from_slice(&new);
        written.extend_from_slice(&u32::try_from(new.len()).ok()?.to_le_bytes());
        written.extend_from_slice(&MAGIC);
        Some(written)
    }

    fn grafted(&self, written: &[u8], changes: &Changes<'_>) -> Option<Vec<u8>> {
        let (old, _) = Struct::read(&self.bytes)?;
        let (mut new, _) = Struct::read(written)?;
        if let Some(version) = old.get(1).filter(|version| version.kind == kind::I32) {
            new.set(1, Some(version.clone()));
        }
        let schema = grafted_schema(&old, &new, changes)?;
        new.set(2, Some(schema));
        let mut groups = Vec::new();
        let (from, to) = (old.get(4)?.structs()?, new.get(4)?.structs()?);
        for ((old, new), copied) in from.iter().zip(to).zip(changes.copied) {
            groups.push(grafted_group(old, new, copied, changes)?);
        }
        new.set(4, Some(Value::list(kind::STRUCT, &groups)));
        let orders = grafted_orders(&old, &new, changes);
        new.set(7, orders);
        Some(new.write())
    }
}

/// The elements of each root, in a schema whose first element is the table.
fn roots(elements: &[Struct<'_>]) -> Option<Vec<Range<usize>>> {
    let children = |at: usize| {
        let element: &Struct<'_> = elements.get(at)?;
        element.int(5).map_or(Some(0), |count| usize::try_from(count).ok())
    };
    let (mut all, mut at) = (Vec::new(), 1);
    for _ in 0..children(0)? {
        let (start, mut left) = (at, 1_usize);
        while left > 0 {
            left = (left - 1).checked_add(children(at)?)?;
            at += 1;
        }
        all.push(start..at);
    }
    (at == elements.len()).then_some(all)
}

/// An element of the schema without what its values mean.
fn bare<'a>(element: &Struct<'a>) -> Struct<'a> {
    element.only(&[1, 2, 3, 4, 5, 9])
}

/// An element of a column that is hashed, without what would change no tag: text is read as its bytes.
fn readable<'a>(element: &Struct<'a>) -> Struct<'a> {
    const DECIMAL: i16 = 5;
    const ALWAYS_NULL: i16 = 11;
    let logical = element.get(LOGICAL).and_then(Value::fields).and_then(|union| union.choice());
    let keeps = match element.int(1).filter(|_| element.int(5).unwrap_or(0) == 0) {
        Some(BYTE_ARRAY) => match logical {
            Some(logical) => [DECIMAL, ALWAYS_NULL].contains(&logical),
            None => element.int(CONVERTED) == Some(DECIMAL.into()),
        },
        // The library's last one is Geography, 18.
        Some(FIXED_LEN_BYTE_ARRAY) => logical.is_none_or(|logical| (1..=18).contains(&logical)),
        _ => true,
    };
    let mut plain = element.clone();
    if !keeps {
        plain.set(CONVERTED, None);
        plain.set(LOGICAL, None);
    }
    plain
}

/// A row group with what places and counts its values. Refuses chunks that are encrypted or in other files.
fn plain_group(group: &Struct<'_>) -> Result<Vec<u8>, Error> {
    let wrong = || Error::table(DAMAGED);
    let mut chunks = Vec::new();
    for chunk in group.get(1).and_then(Value::structs).ok_or_else(wrong)? {
        let meta = chunk.get(3).and_then(Value::fields);
        if let Some(key) = chunk.get(8).or_else(|| chunk.get(9)) {
            // The key of a column comes with the column's path.
            let of_column = key.fields().and_then(|key| key.get(2)?.fields().map(|key| path(key.get(1))));
            let name = of_column.unwrap_or_else(|| path(meta.as_ref().and_then(|meta| meta.get(3))));
            return Err(Error::table(format!("column {name}: it is encrypted")));
        }
        if chunk.get(1).is_some() {
            let name = path(meta.as_ref().and_then(|meta| meta.get(3)));
            return Err(Error::table(format!("column {name}: its values are in another file")));
        }
        let meta = meta.ok_or_else(wrong)?;
        let mut plain = meta.only(&[1, 3, 4, 5, 6, 7, 9]);
        plain.set(2, Some(Value::list::<&[u8]>(kind::I32, &[])));
        // Some writers have values of their own under the numbers of newer fields.
        for id in [14, 15] {
            plain.set(id, meta.get(id).filter(|value| value.int().is_some()).cloned());
        }
        // Some writers mean by 0, or by a place behind the values, that there is no dictionary.
        let before = |at: &i64| *at > 0 && meta.int(9).is_some_and(|data| *at < data);
        plain.set(11, meta.get(11).filter(|place| place.int().as_ref().is_some_and(before)).cloned());
        let mut chunk = chunk.only(&[2, 4, 5, 6, 7]);
        chunk.set(3, Some(plain.value()));
        chunks.push(chunk.write());
    }
    let mut plain = group.only(&[2, 3]);
    plain.set(1, Some(Value::list(kind::STRUCT, &chunks)));
    Ok(plain.write())
}

/// The path of a column, for a person.
fn path(parts: Option<&Value<'_>>) -> String {
    let parts = parts.and_then(Value::items);
    let name = |part: &[u8]| {
        let name = Value { kind: kind::BINARY, bytes: part.into() };
        name.binary().map(|name| String::from_utf8_lossy(name).into_owned())
    };
    let parts: Vec<String> =
        parts.map_or_else(Vec::new, |(_, parts)| parts.into_iter().filter_map(name).collect());
    parts.join(".")
}

/// The schema that was written, with the elements of the columns that stay.
fn grafted_schema(old: &Struct<'_>, new: &Struct<'_>, changes: &Changes<'_>) -> Option<Value<'static>> {
    let (old, new) = (old.get(2)?.structs()?, new.get(2)?.structs()?);
    let (from, to) = (roots(&old)?, roots(&new)?);
    let mut table = old.first()?.clone();
    table.set(5, Some(Value::int32(i32::try_from(to.len()).ok()?)));
    let mut schema = vec![table.write()];
    for (number, root) in to.into_iter().enumerate() {
        let elements = match (changes.roots.get(number), from.get(number)) {
            (Some(false), Some(root)) => old.get(root.clone())?,
            _ => new.get(root)?,
        };
        schema.extend(elements.iter().map(Struct::write));
    }
    Some(Value::list(kind::STRUCT, &schema))
}

/// A row group that was written, with what is said of the chunks that stay.
fn grafted_group(
    old: &Struct<'_>,
    mut new: Struct<'_>,
    copied: &[bool],
    changes: &Changes<'_>,
) -> Option<Vec<u8>> {
    let (from, to) = (old.get(1)?.structs()?, new.get(1)?.structs()?);
    let mut chunks: Vec<Vec<u8>> = Vec::new();
    for (leaf, mut chunk) in to.into_iter().enumerate() {
        if changes.leaves.get(leaf) == Some(&false) {
            let (old, mut meta) = (from.get(leaf)?.get(3)?.fields()?, chunk.get(3)?.fields()?);
            // The metadata of the chunk; of a copy, its encodings and statistics too.
            let stay: &[i16] = if *copied.get(leaf)? { &[2, 8, 12, 13, 16, 17] } else { &[8] };
            for &id in stay {
                let value = shape::CHUNK.of(&old, id);
                // A list of encodings must be there: without the file's own, the one that was written.
                if value.is_some() || id != 2 {
                    meta.set(id, value);
                }
            }
            let levels = changes.levels.get(leaf)?;
            if meta.get(16).and_then(Value::fields).is_some_and(|sizes| !has_levels(&sizes, *levels)) {
                meta.set(16, None);
            }
            let meta = meta.value();
            chunk.set(3, Some(meta));
        }
        chunks.push(chunk.write());
    }
    let sorted = sorting(old, changes);
    new.set(1, Some(Value::list(kind::STRUCT, &chunks)));
    new.set(4, sorted);
    Some(new.write())
}

/// Whether the histograms of a chunk's sizes have a number for each level of repetition and definition, if they are there.
fn has_levels(sizes: &Struct<'_>, (defined, repeated): (i16, i16)) -> bool {
    [(2, repeated), (3, defined)].into_iter().all(|(id, most)| {
        let count = sizes.get(id).and_then(Value::items).map_or(0, |(_, items)| items.len());
        count == 0 || Ok(count - 1) == usize::try_from(most)
    })
}

/// The columns by which a row group is sorted, up to the first one that is replaced.
fn sorting(group: &Struct<'_>, changes: &Changes<'_>) -> Option<Value<'static>> {
    let columns = group.get(4)?.structs()?;
    let stays = |column: &&Struct<'_>| {
        let leaf = column.int(1).and_then(|leaf| usize::try_from(leaf).ok());
        shape::SORTING.fits_struct(column) && leaf.and_then(|leaf| changes.leaves.get(leaf)) == Some(&false)
    };
    let kept: Vec<Vec<u8>> = columns.iter().take_while(stays).map(Struct::write).collect();
    (!kept.is_empty()).then(|| Value::list(kind::STRUCT, &kept))
}

/// The orders of statistics: the file's own for the columns that stay. A file without orders stays without.
fn grafted_orders(old: &Struct<'_>, new: &Struct<'_>, changes: &Changes<'_>) -> Option<Value<'static>> {
    let (old, new) = (old.get(7)?.structs()?, new.get(7)?.structs()?);
    let orders = new.iter().enumerate().map(|(leaf, order)| {
        if changes.leaves.get(leaf) == Some(&false) { old.get(leaf) } else { Some(order) }
    });
    let orders: Option<Vec<Vec<u8>>> = orders.map(|order| order.map(Struct::write)).collect();
    Some(Value::list(kind::STRUCT, &orders?))
}
