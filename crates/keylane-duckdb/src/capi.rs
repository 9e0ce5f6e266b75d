//! DuckDB's stable C API, version 1.2.0: its table of functions, and the memory of vectors. `entry` has what DuckDB calls.
//!
//! DuckDB hands over vectors that it has made flat: one value after another. Releases before 2.0 leave vectors inside of
//! structs and lists as they are, and the C API does not say how that is. Their objects begin with a byte that does, and
//! [`Shape`] reads it.
//!
//! Exceptions of C++ may pass through the calls that write, so that DuckDB reports them. Nothing of this crate panics;
//! if it did, the query would fail.
#![allow(unsafe_code)]

mod entry;

use crate::kind::{self, Kind};
use crate::names::Fault;
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::hint::select_unpredictable;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// A pointer to something of DuckDB's.
type Handle = *mut c_void;

/// Any function of the table.
type Entry = unsafe extern "C" fn();

/// A scalar function: what it reports to, its arguments, and where its results go.
type Scalar = unsafe extern "C-unwind" fn(Handle, Handle, Handle);

macro_rules! api {
    ($($slot:literal $name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of DuckDB that are used here.
        struct Api {
            $($name: unsafe extern "C-unwind" fn($($argument),*) $(-> $result)?,)*
            shape: Shape,
        }

        impl Api {
            /// Reads the functions from the table. `None` if one is missing.
            ///
            /// # Safety
            /// `table` is what DuckDB returned for version 1.2.0.
            unsafe fn load(table: *const Option<Entry>) -> Option<Api> {
                $(
                    // SAFETY: the table of version 1.2.0 has more places than this, and it only ever grows.
                    let place = unsafe { table.add($slot) };
                    // SAFETY: each place is a pointer to a function, or null.
                    let $name = unsafe { place.read() }?;
                    // SAFETY: in the order of duckdb_extension.h, the function in this place has this type.
                    let $name = unsafe {
                        std::mem::transmute::<Entry, unsafe extern "C-unwind" fn($($argument),*) $(-> $result)?>($name)
                    };
                )*
                Some(Api { $($name,)* shape: Shape::Flat })
            }
        }
    };
}

// The numbers are the places in `duckdb_ext_api_v1`, counted from 0. The names are the header's, without `duckdb_`.
api! {
    3 connect(Handle, *mut Handle) -> c_int;
    6 disconnect(*mut Handle);
    7 library_version() -> *const c_char;
    25 free(*mut c_void);
    156 create_logical_type(u32) -> Handle;
    166 get_type_id(Handle) -> u32;
    167 decimal_width(Handle) -> u8;
    168 decimal_scale(Handle) -> u8;
    169 decimal_internal_type(Handle) -> u32;
    170 enum_internal_type(Handle) -> u32;
    171 enum_dictionary_size(Handle) -> u32;
    172 enum_dictionary_value(Handle, u64) -> *mut c_char;
    173 list_type_child_type(Handle) -> Handle;
    174 array_type_child_type(Handle) -> Handle;
    175 array_type_array_size(Handle) -> u64;
    178 struct_type_child_count(Handle) -> u64;
    180 struct_type_child_type(Handle, u64) -> Handle;
    184 destroy_logical_type(*mut Handle);
    189 data_chunk_get_column_count(Handle) -> u64;
    190 data_chunk_get_vector(Handle, u64) -> Handle;
    191 data_chunk_get_size(Handle) -> u64;
    193 vector_get_column_type(Handle) -> Handle;
    194 vector_get_data(Handle) -> *mut c_void;
    195 vector_get_validity(Handle) -> *mut u64;
    196 vector_ensure_validity_writable(Handle);
    198 vector_assign_string_element_len(Handle, u64, *const c_char, u64);
    199 list_vector_get_child(Handle) -> Handle;
    200 list_vector_get_size(Handle) -> u64;
    203 struct_vector_get_child(Handle, u64) -> Handle;
    204 array_vector_get_child(Handle) -> Handle;
    209 create_scalar_function() -> Handle;
    210 destroy_scalar_function(*mut Handle);
    211 scalar_function_set_name(Handle, *const c_char);
    212 scalar_function_set_varargs(Handle, Handle);
    213 scalar_function_set_special_handling(Handle);
    215 scalar_function_add_parameter(Handle, Handle);
    216 scalar_function_set_return_type(Handle, Handle);
    218 scalar_function_set_function(Handle, Scalar);
    219 register_scalar_function(Handle, Handle) -> c_int;
    221 scalar_function_set_error(Handle, *const c_char);
}

/// What is known about the vectors inside of structs and lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// They are flat: releases from 2.0 on make them so.
    Flat,
    /// The first byte of a vector says what it is: releases 1.3 to 1.5.
    Tagged,
    /// The same, and the nulls of a constant vector cannot be read: releases 1.2.
    TaggedFlat,
}

/// The first byte of a vector in releases 1.x.
const FLAT: u8 = 0;
const CONSTANT: u8 = 2;

/// The functions of the one DuckDB in this process that has loaded the extension.
static API: OnceLock<Api> = OnceLock::new();

fn contradiction() -> Fault {
    Fault::new("a vector contradicts itself")
}

fn count(number: u64) -> Result<usize, Fault> {
    usize::try_from(number).map_err(|_| contradiction())
}

/// A logical type, which is destroyed with this value.
struct LogicalType {
    api: &'static Api,
    handle: Handle,
}

impl LogicalType {
    /// The type of this number, which has no parameters.
    fn simple(api: &'static Api, number: u32) -> LogicalType {
        // SAFETY: the function takes any number.
        let handle = unsafe { (api.create_logical_type)(number) };
        LogicalType { api, handle }
    }

    /// Calls a function of the table with this type.
    fn ask<R>(&self, function: unsafe extern "C-unwind" fn(Handle) -> R) -> R {
        // SAFETY: the handle is that of a type that was not destroyed. DuckDB checks the kind of type.
        unsafe { function(self.handle) }
    }

    fn inner(&self, function: unsafe extern "C-unwind" fn(Handle) -> Handle) -> LogicalType {
        LogicalType { api: self.api, handle: self.ask(function) }
    }

    /// What the type is to KCE-1, with at most `levels` levels of lists, arrays and structs.
    fn kind(&self, levels: usize) -> Result<Kind, Fault> {
        self.kind_of(self.ask(self.api.get_type_id), levels)
    }

    /// The same for a type whose number is known.
    fn kind_of(&self, number: u32, levels: usize) -> Result<Kind, Fault> {
        let api = self.api;
        let below = || levels.checked_sub(1).ok_or_else(|| Fault::new("more than 64 levels of nested types"));
        Ok(match number {
            kind::DECIMAL => Kind::Decimal {
                bytes: kind::simple(self.ask(api.decimal_internal_type)).width(),
                width: self.ask(api.decimal_width),
                scale: self.ask(api.decimal_scale),
            },
            kind::ENUM => Kind::Enum {
                bytes: kind::simple(self.ask(api.enum_internal_type)).width(),
                words: count(u64::from(self.ask(api.enum_dictionary_size)))?,
            },
            kind::LIST => Kind::List(Box::new(self.inner(api.list_type_child_type).kind(below()?)?)),
            kind::ARRAY => {
                let size = count(self.ask(api.array_type_array_size))?;
                Kind::Array(Box::new(self.inner(api.array_type_child_type).kind(below()?)?), size)
            }
            kind::STRUCT => {
                let field = |place| {
                    // SAFETY: the type is a struct, and has more fields than `place`.
                    let handle = unsafe { (api.struct_type_child_type)(self.handle, place) };
                    LogicalType { api, handle }.kind(below()?)
                };
                Kind::Struct((0..self.ask(api.struct_type_child_count)).map(field).collect::<Result<_, _>>()?)
            }
            number => kind::simple(number),
        })
    }
}

impl Drop for LogicalType {
    fn drop(&mut self) {
        // SAFETY: the handle came from DuckDB, and is destroyed once. Null is allowed.
        unsafe { (self.api.destroy_logical_type)(&raw mut self.handle) }
    }
}

/// The arguments of one call: columns with the same number of rows.
pub struct Chunk<'a> {
    api: &'static Api,
    handle: Handle,
    rows: usize,
    life: PhantomData<&'a ()>,
}

impl<'a> Chunk<'a> {
    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> u64 {
        // SAFETY: the handle is that of a chunk, during the call that DuckDB made with it.
        unsafe { (self.api.data_chunk_get_column_count)(self.handle) }
    }

    /// An argument, counted from 0.
    pub fn column(&self, place: u64) -> Result<Column<'a>, Fault> {
        if place >= self.columns() {
            return Err(Fault::new("an argument is missing"));
        }
        let api = self.api;
        // SAFETY: the handle is that of a chunk, which has more columns than `place`.
        let handle = unsafe { (api.data_chunk_get_vector)(self.handle, place) };
        // SAFETY: the handle is that of a vector of the chunk.
        let logical = unsafe { (api.vector_get_column_type)(handle) };
        let logical = LogicalType { api, handle: logical };
        let number = logical.ask(api.get_type_id);
        let kind = logical.kind_of(number, LEVELS)?;
        if kind.nested().is_some() && api.shape != Shape::Flat && tag(handle) != FLAT {
            return Err(Fault::new("nested values are not hashed in this release of DuckDB"));
        }
        Ok(Column { api, handle, rows: self.rows, kind, number, life: PhantomData })
    }
}

/// So many levels of nested types are hashed.
const LEVELS: usize = 64;

/// The first byte of a vector.
fn tag(vector: Handle) -> u8 {
    // SAFETY: a vector is an object of more than one byte, which nobody writes during the call.
    unsafe { vector.cast::<u8>().read() }
}

/// A column of a chunk, and its type.
pub struct Column<'a> {
    api: &'static Api,
    handle: Handle,
    rows: usize,
    kind: Kind,
    number: u32,
    life: PhantomData<&'a ()>,
}

impl<'a> Column<'a> {
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// DuckDB's number of the type.
    pub fn number(&self) -> u32 {
        self.number
    }

    pub fn vector(&'a self) -> Result<Vector<'a>, Fault> {
        // DuckDB has made the vectors of a chunk flat.
        Vector::new(self.api, self.handle, self.rows, &self.kind, None)
    }
}

/// A flat vector of a known type. Its memory has `rows` values.
pub struct Vector<'a> {
    api: &'static Api,
    handle: Handle,
    rows: usize,
    kind: &'a Kind,
    nulls: Option<NullBuffer>,
}

/// A vector inside of another one.
pub struct Child<'a> {
    /// The values; one, if all are the same.
    pub vector: Vector<'a>,
    /// How many there are, if all are the same.
    pub copies: Option<usize>,
}

impl<'a> Vector<'a> {
    /// A flat vector with its type. What is not `wanted` counts as null, so that its memory is not looked at.
    fn new(
        api: &'static Api,
        handle: Handle,
        rows: usize,
        kind: &'a Kind,
        wanted: Option<&NullBuffer>,
    ) -> Result<Vector<'a>, Fault> {
        // SAFETY: the handle is that of a flat vector, or of a constant one in a release that allows it.
        let validity = unsafe { (api.vector_get_validity)(handle) };
        let mut nulls = None;
        if !validity.is_null() {
            let words = rows.div_ceil(64);
            // SAFETY: the mask of a vector has a bit for each of its rows, in whole words of 64 bits. Nobody writes it
            // during the call.
            let words = unsafe { std::slice::from_raw_parts(validity, words) };
            let bits = Buffer::from_vec(words.iter().map(|word| word.to_le()).collect::<Vec<u64>>());
            nulls = Some(NullBuffer::new(BooleanBuffer::new(bits, 0, rows)));
        }
        let nulls = NullBuffer::union(nulls.as_ref(), wanted).filter(|nulls| nulls.null_count() > 0);
        Ok(Vector { api, handle, rows, kind, nulls })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn kind(&self) -> &'a Kind {
        self.kind
    }

    /// Which rows are null; `None` if there are none.
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| row >= nulls.len() || nulls.is_null(row))
    }

    /// The memory: the type's width in bytes for each row.
    pub fn bytes(&self) -> Result<&'a [u8], Fault> {
        let length = self.rows.checked_mul(self.kind.width()).ok_or_else(contradiction)?;
        if length == 0 {
            return Ok(&[]);
        }
        // SAFETY: the handle is that of a flat vector.
        let data = unsafe { (self.api.vector_get_data)(self.handle) };
        if data.is_null() {
            return Err(contradiction());
        }
        // SAFETY: a flat vector has a value of this width for each row. Nobody writes it during the call.
        Ok(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) })
    }

    /// Calls `each` with the text of every row; that of a null is empty.
    #[inline(always)]
    pub fn texts(&self, mut each: impl FnMut(&'a [u8])) -> Result<(), Fault> {
        for (row, view) in self.views()?.iter().enumerate() {
            each(if self.is_null(row) { &[] } else { text(view)? });
        }
        Ok(())
    }

    /// The text of a row; empty if there is none.
    pub fn text(&self, row: usize) -> Result<&'a [u8], Fault> {
        match self.views()?.get(row) {
            Some(view) if !self.is_null(row) => text(view),
            _ => Ok(&[]),
        }
    }

    fn views(&self) -> Result<&'a [[u8; 16]], Fault> {
        let Kind::Text = self.kind else { return Err(contradiction()) };
        Ok(self.bytes()?.as_chunks::<16>().0)
    }

    /// Where the elements of each row begin, how many there are, and the elements.
    pub fn list(&self) -> Result<(Vec<i64>, Vec<i64>, Child<'a>), Fault> {
        let Kind::List(item) = self.kind else { return Err(contradiction()) };
        // SAFETY: the handle is that of a vector of lists.
        let size = count(unsafe { (self.api.list_vector_get_size)(self.handle) })?;
        // SAFETY: the handle is that of a vector of lists.
        let child = unsafe { (self.api.list_vector_get_child)(self.handle) };
        let (entries, _) = self.bytes()?.as_chunks::<16>();
        let (mut starts, mut sizes) = (Vec::with_capacity(self.rows), Vec::with_capacity(self.rows));
        let mut wanted = vec![false; size];
        for (row, entry) in entries.iter().enumerate() {
            let (start, length) = if self.is_null(row) { (0, 0) } else { pair(entry) };
            let (start, length) = (count(start)?, count(length)?);
            let end = start.checked_add(length).ok_or_else(contradiction)?;
            if length > 0 {
                wanted.get_mut(start..end).ok_or_else(contradiction)?.fill(true);
            }
            starts.push(if length > 0 { start as i64 } else { 0 });
            sizes.push(length as i64);
        }
        let wanted = NullBuffer::new(BooleanBuffer::from(wanted));
        Ok((starts, sizes, self.child(child, size, item, Some(&wanted))?))
    }

    /// The elements of arrays of one size.
    pub fn array(&self) -> Result<(usize, Child<'a>), Fault> {
        let Kind::Array(item, size) = self.kind else { return Err(contradiction()) };
        // SAFETY: the handle is that of a vector of arrays.
        let child = unsafe { (self.api.array_vector_get_child)(self.handle) };
        let rows = self.rows.checked_mul(*size).ok_or_else(contradiction)?;
        let wanted = self.nulls.as_ref().map(|nulls| nulls.expand(*size));
        Ok((*size, self.child(child, rows, item, wanted.as_ref())?))
    }

    /// The fields of structs.
    pub fn fields(&self) -> Result<Vec<Child<'a>>, Fault> {
        let Kind::Struct(fields) = self.kind else { return Err(contradiction()) };
        let field = |(place, kind): (u64, &'a Kind)| {
            // SAFETY: the handle is that of a vector of structs, which have more fields than `place`.
            let child = unsafe { (self.api.struct_vector_get_child)(self.handle, place) };
            self.child(child, self.rows, kind, self.nulls.as_ref())
        };
        (0..).zip(fields).map(field).collect()
    }

    fn child(
        &self,
        handle: Handle,
        rows: usize,
        kind: &'a Kind,
        wanted: Option<&NullBuffer>,
    ) -> Result<Child<'a>, Fault> {
        let api = self.api;
        if handle.is_null() {
            return Err(contradiction());
        }
        match (api.shape, if api.shape == Shape::Flat { FLAT } else { tag(handle) }) {
            (_, FLAT) => Ok(Child { vector: Vector::new(api, handle, rows, kind, wanted)?, copies: None }),
            (Shape::Tagged, CONSTANT) => {
                let any = rows > 0 && wanted.is_none_or(|wanted| wanted.null_count() < wanted.len());
                let any = NullBuffer::new(BooleanBuffer::from(vec![any]));
                Ok(Child { vector: Vector::new(api, handle, 1, kind, Some(&any))?, copies: Some(rows) })
            }
            _ => Err(Fault::new(
                "a value inside of a struct or list lies in memory in a way that this release of DuckDB does not \
                 show; store the values in a table first",
            )),
        }
    }

    /// The words of an enum with these codes, in their order.
    pub fn words(&self, codes: &BTreeSet<usize>) -> Result<Vec<Vec<u8>>, Fault> {
        let Kind::Enum { words, .. } = self.kind else { return Err(contradiction()) };
        // SAFETY: the handle is that of a vector.
        let logical = unsafe { (self.api.vector_get_column_type)(self.handle) };
        let logical = LogicalType { api: self.api, handle: logical };
        let word = |&code: &usize| {
            if code >= *words {
                return Err(contradiction());
            }
            // SAFETY: the type is an enum with more words than `code`.
            let text = unsafe { (self.api.enum_dictionary_value)(logical.handle, code as u64) };
            if text.is_null() {
                return Err(contradiction());
            }
            // SAFETY: DuckDB made a copy of the word, with a zero byte at its end.
            let word = unsafe { CStr::from_ptr(text) }.to_bytes().to_vec();
            // SAFETY: the copy is ours, and is freed once.
            unsafe { (self.api.free)(text.cast()) };
            Ok(word)
        };
        codes.iter().map(word).collect()
    }
}

/// The two numbers of 64 bits in 16 bytes of memory.
fn pair(bytes: &[u8; 16]) -> (u64, u64) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
    (u64::from_ne_bytes([a, b, c, d, e, f, g, h]), u64::from_ne_bytes([i, j, k, l, m, n, o, p]))
}

/// A view holds strings of up to so many bytes itself.
const INSIDE: usize = 12;

/// The text that a view holds, or that it points at. The view is that of a row that is not null.
///
/// Short and long strings alternate, so a branch would often mispredict: 6 ns a value.
#[inline(always)]
fn text(view: &[u8; 16]) -> Result<&[u8], Fault> {
    let (length, inside) = view.split_first_chunk::<4>().ok_or_else(contradiction)?;
    let (_, address) = view.split_last_chunk::<8>().ok_or_else(contradiction)?;
    let length = u32::from_ne_bytes(*length) as usize;
    let outside = std::ptr::with_exposed_provenance::<u8>(usize::from_ne_bytes(*address));
    let start = select_unpredictable(length <= INSIDE, inside.as_ptr(), outside);
    // SAFETY: a view holds up to 12 bytes; a longer one ends with the address of its bytes. Both live as long as the
    // vector.
    Ok(unsafe { std::slice::from_raw_parts(start, length) })
}

/// The memory of results as words of 64 bits, which are zeros.
///
/// # Safety
/// `output` is a flat vector with room for `words` words. Nothing else uses its memory during the call.
unsafe fn zeros<'a>(api: &'static Api, output: Handle, words: usize) -> Result<&'a mut [u64], Fault> {
    // SAFETY: `output` is a flat vector.
    let data = unsafe { (api.vector_get_data)(output) }.cast::<u64>();
    if data.is_null() || !data.is_aligned() {
        return Err(contradiction());
    }
    // SAFETY: the vector has room for so many words.
    unsafe { data.write_bytes(0, words) };
    // SAFETY: the same memory, which has values now. Only this call has it.
    Ok(unsafe { std::slice::from_raw_parts_mut(data, words) })
}

/// The tags that are no integers, and the nulls of all.
#[derive(Default)]
pub struct Tags {
    pub bytes: Vec<u8>,
    /// The bytes of each tag; 0 if the tags are integers.
    pub width: usize,
    pub nulls: Option<NullBuffer>,
}

/// Writes what is not an integer, and the nulls.
fn write(api: &'static Api, output: Handle, tags: &Tags) -> Result<(), Fault> {
    if !tags.bytes.is_empty() {
        // SAFETY: `output` is a flat vector of VARCHAR or BLOB with as many rows as there are tags.
        unsafe { write_long(api, output, &tags.bytes, tags.width)? }
    }
    let Some(nulls) = &tags.nulls else { return Ok(()) };
    // SAFETY: `output` is a flat vector.
    unsafe { (api.vector_ensure_validity_writable)(output) };
    // SAFETY: the same vector, which has a mask now.
    let validity = unsafe { (api.vector_get_validity)(output) };
    if validity.is_null() {
        return Err(contradiction());
    }
    // SAFETY: the mask has a bit for each row, in whole words. Only this call has it.
    let words = unsafe { std::slice::from_raw_parts_mut(validity, nulls.len().div_ceil(64)) };
    for row in (!nulls.inner()).set_indices() {
        if let Some(word) = words.get_mut(row / 64) {
            *word &= !(1 << (row % 64));
        }
    }
    Ok(())
}

/// Writes strings of one width, which lie one after another in `bytes`. DuckDB copies all of them at once, as the string
/// of the first row, and the views of the rows then refer to parts of this copy.
///
/// # Safety
/// `output` is a flat vector of VARCHAR or BLOB with room for these strings. Nothing else uses its memory during the call.
unsafe fn write_long(api: &'static Api, output: Handle, bytes: &[u8], width: usize) -> Result<(), Fault> {
    if width <= INSIDE {
        return Err(contradiction());
    }
    // SAFETY: the vector has at least one row, and DuckDB copies the bytes into memory that lives as long as the vector.
    unsafe {
        (api.vector_assign_string_element_len)(output, 0, bytes.as_ptr().cast(), bytes.len() as u64);
    }
    // SAFETY: `output` is a flat vector.
    let first = unsafe { (api.vector_get_data)(output) }.cast::<[u64; 2]>();
    if first.is_null() {
        return Err(contradiction());
    }
    // SAFETY: DuckDB has just written the view of the first row.
    let [_, start] = unsafe { first.read_unaligned() };
    // SAFETY: a view has 16 bytes, and the vector has one for each row.
    let views = unsafe { zeros(api, output, 2 * (bytes.len() / width))? };
    let views = views.as_chunks_mut::<2>().0.iter_mut();
    for ((view, string), address) in views.zip(bytes.chunks_exact(width)).zip((start..).step_by(width)) {
        *view = long_view(string, address);
    }
    Ok(())
}

/// The view of a string that does not fit one, and lies at `address`: its length, its first 4 bytes, and the address.
fn long_view(string: &[u8], address: u64) -> [u64; 2] {
    let [a, b, c, d] = (string.len() as u32).to_ne_bytes();
    let [e, f, g, h] = string.first_chunk().copied().unwrap_or_default();
    [u64::from_ne_bytes([a, b, c, d, e, f, g, h]), address]
}

/// What this release does with vectors inside of others.
fn shape(api: &Api) -> Shape {
    // SAFETY: the function takes nothing.
    let version = unsafe { (api.library_version)() };
    if version.is_null() {
        return Shape::Flat;
    }
    // SAFETY: DuckDB's version is text that is never freed.
    let version = unsafe { CStr::from_ptr(version) }.to_bytes();
    match version {
        [b'v', b'1', b'.', b'2', b'.', ..] => Shape::TaggedFlat,
        [b'v', b'1', b'.', ..] => Shape::Tagged,
        _ => Shape::Flat,
    }
}
