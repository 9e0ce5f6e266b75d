//! The pages of a column chunk, by their headers. A chunk is copied as it is only if its headers say the same as the footer:
//! the pages fill the chunk, its dictionary is the first of them, and they have its values. A chunk that contradicts itself
//! is refused, since readers would disagree about its values.
//!
//! Source: Apache Parquet's thrift definition, `PageHeader`.

use super::shape;
use super::thrift::{Struct, Value, kind};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::file::reader::ChunkReader;

/// A data page: where it starts, how long it is with its header, and its first row if that is known.
#[derive(Debug, PartialEq, Eq)]
struct Page {
    start: u64,
    len: u64,
    row: Option<u64>,
}

/// What the headers of a chunk say.
#[derive(Debug, Default)]
pub struct Pages {
    data: Vec<Page>,
    /// Whether the chunk is as the footer says, so that its bytes can be copied.
    pub is_plain: bool,
}

/// Why the pages of a chunk are not read.
#[derive(Debug)]
pub enum Fault {
    /// They contradict each other, their flags or the footer.
    Pages(&'static str),
    /// The library's error.
    Read(ParquetError),
}

/// What a chunk is part of.
pub struct Around<'a, R> {
    pub file: &'a R,
    /// Where the footer starts.
    pub end: u64,
    /// How many rows the row group has.
    pub rows: i64,
    /// Whether pages that say that they are not compressed may be compressed: Arrow C++ before 3.0 wrote such ones.
    pub flags_may_lie: bool,
}

const ENDS: &str = "its pages do not end where its chunk ends";
const HEADER: &str = "a page has no header that can be read";
const SIZES: &str = "a page says that it is not compressed, but its sizes differ";
const FLAGS: &str =
    "a page says that it is not compressed, which its writer, Arrow C++ before 3.0, also said of others";
const LEVELS: &str = "a page is shorter than its levels";
const DICTIONARY: &str = "its dictionary does not stand before its values";
const COUNTS: &str = "its pages do not have the number of values that the footer says";
const ROWS: &str = "it does not have the number of values that its row group says";

/// So much is read for a header at first, and at most.
const FIRST: usize = 1 << 12;
const MOST: usize = 1 << 24;

impl Pages {
    /// Reads the headers of a chunk.
    pub fn of<R: ChunkReader>(chunk: &ColumnChunkMetaData, around: &Around<'_, R>) -> Result<Pages, Fault> {
        let is_flat = chunk.column_descr().max_rep_level() == 0;
        let (values, rows) = (chunk.num_values(), around.rows);
        if values < 0
            || rows < 0
            || (is_flat && values != rows)
            || (values < rows)
            || (rows == 0 && values > 0)
        {
            return Err(Fault::Pages(ROWS));
        }
        if values == 0 {
            // What offsets say of no pages, writers do not agree on.
            return Ok(Pages::default());
        }
        let (start, len) = match (u64::try_from(first(chunk)), u64::try_from(chunk.compressed_size())) {
            (Ok(start), Ok(len)) => (start, len),
            _ => return Err(Fault::Pages(ENDS)),
        };
        let end = start.checked_add(len).filter(|end| *end <= around.end && start >= 4);
        let end = end.ok_or(Fault::Pages(ENDS))?;
        let mut walk = Walk { chunk, around, is_flat, counted: 0, rows: Some(0), uncompressed: 0 };
        let mut pages = Pages { data: Vec::new(), is_plain: true };
        let mut at = start;
        while at < end {
            if walk.counted == values {
                // Nothing is read behind the last value.
                pages.is_plain = false;
                break;
            }
            let (page, len) = header(around.file, at, end)?;
            pages.is_plain &= shape::PAGE.fits_struct(&page);
            let row = walk.rows;
            let body = walk.page(&page, at == start)?;
            let len = len.checked_add(body).filter(|len| *len <= end - at).ok_or(Fault::Pages(ENDS))?;
            match page.int(1) {
                Some(DATA | DATA_V2) => pages.data.push(Page { start: at, len, row }),
                Some(DICTIONARY_PAGE) => {}
                // An index page, which nobody writes.
                _ => pages.is_plain = false,
            }
            walk.uncompressed = walk.uncompressed.saturating_add(len - body);
            at += len;
        }
        if walk.counted != values {
            return Err(Fault::Pages(COUNTS));
        }
        if walk.rows.is_some_and(|found| i64::try_from(found) != Ok(rows)) {
            return Err(Fault::Pages(ROWS));
        }
        let data = pages.data.first().map(|page| page.start);
        pages.is_plain &= data == u64::try_from(chunk.data_page_offset()).ok()
            && chunk.dictionary_page_offset().is_some() == (data != Some(start))
            && i64::try_from(walk.uncompressed) == Ok(chunk.uncompressed_size());
        Ok(pages)
    }

    /// Whether an index says where these pages are.
    pub fn agree(&self, index: &OffsetIndexMetaData) -> bool {
        let locations = index.page_locations();
        locations.len() == self.data.len()
            && locations.iter().zip(&self.data).all(|(location, page)| {
                u64::try_from(location.offset) == Ok(page.start)
                    && u64::try_from(location.compressed_page_size) == Ok(page.len)
                    && page.row.is_none_or(|row| u64::try_from(location.first_row_index) == Ok(row))
            })
            && locations.first().is_none_or(|location| location.first_row_index == 0)
            && locations.is_sorted_by_key(|location| location.first_row_index)
    }

    /// How many data pages there are.
    pub fn count(&self) -> usize {
        self.data.len()
    }
}

/// Where the first page of a chunk is.
fn first(chunk: &ColumnChunkMetaData) -> i64 {
    chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset())
}

// The kinds of pages.
const DATA: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;
const DATA_V2: i64 = 3;

struct Walk<'a, R> {
    chunk: &'a ColumnChunkMetaData,
    around: &'a Around<'a, R>,
    is_flat: bool,
    /// How many values the pages so far have.
    counted: i64,
    /// How many rows they have, if that is known.
    rows: Option<u64>,
    /// How long they are without compression.
    uncompressed: u64,
}

impl<R> Walk<'_, R> {
    /// Notes a page, and how many bytes follow its header.
    fn page(&mut self, page: &Struct<'_>, is_first: bool) -> Result<u64, Fault> {
        let size = |id| page.int(id).and_then(|size| u64::try_from(size).ok()).ok_or(Fault::Pages(HEADER));
        let (uncompressed, compressed) = (size(2)?, size(3)?);
        let is_stored = self.chunk.compression() == Compression::UNCOMPRESSED;
        if is_stored && compressed != uncompressed {
            return Err(Fault::Pages(SIZES));
        }
        let part = |id| page.get(id).and_then(Value::fields).ok_or(Fault::Pages(HEADER));
        match page.int(1) {
            Some(DATA) => {
                let values = self.count(&part(5)?)?;
                self.rows = self.rows.filter(|_| self.is_flat).map(|rows| rows.saturating_add(values));
            }
            Some(DATA_V2) => {
                let head = part(8)?;
                let values = self.count(&head)?;
                let of =
                    |id| head.int(id).and_then(|size| u64::try_from(size).ok()).ok_or(Fault::Pages(HEADER));
                let (nulls, rows, levels) = (of(2)?, of(3)?, of(5)?.saturating_add(of(6)?));
                if nulls > values || rows > values || (self.is_flat && rows != values) {
                    return Err(Fault::Pages(COUNTS));
                }
                if levels > compressed || levels > uncompressed {
                    return Err(Fault::Pages(LEVELS));
                }
                if !is_stored && head.get(7).is_some_and(|flag| flag.kind == kind::FALSE) {
                    if compressed != uncompressed {
                        return Err(Fault::Pages(SIZES));
                    }
                    if self.around.flags_may_lie && compressed > levels {
                        return Err(Fault::Pages(FLAGS));
                    }
                }
                self.rows = self.rows.map(|known| known.saturating_add(rows));
            }
            Some(DICTIONARY_PAGE) if is_first && part(7).is_ok() => {}
            Some(DICTIONARY_PAGE) => return Err(Fault::Pages(DICTIONARY)),
            _ => {}
        }
        self.uncompressed = self.uncompressed.saturating_add(uncompressed);
        Ok(compressed)
    }

    /// Counts the values of a data page.
    fn count(&mut self, head: &Struct<'_>) -> Result<u64, Fault> {
        let values = head.int(1).and_then(|values| u64::try_from(values).ok()).ok_or(Fault::Pages(HEADER))?;
        self.counted = self.counted.saturating_add_unsigned(values);
        Ok(values)
    }
}

/// The header of the page that starts there, and how long it is.
fn header<R: ChunkReader>(file: &R, at: u64, end: u64) -> Result<(Struct<'static>, u64), Fault> {
    let left = usize::try_from(end - at).unwrap_or(MOST).min(MOST);
    let mut size = FIRST.min(left);
    loop {
        let bytes = file.get_bytes(at, size).map_err(Fault::Read)?;
        if let Some((page, len)) = Struct::read(&bytes) {
            return Ok((page.owned(), len as u64));
        }
        if size == left {
            return Err(Fault::Pages(HEADER));
        }
        size = size.saturating_mul(4).min(left);
    }
}
