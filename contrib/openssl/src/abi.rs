//! OpenSSL's provider interface: `core.h`, `core_dispatch.h` and `core_names.h` as of version 3.0, and the manual pages
//! provider(7) and provider-mac(7). The functions of the cipher are in `cipher`.
//!
//! OpenSSL calls functions with values of these types. Rust code has no way to make one, so each has come from OpenSSL,
//! which promises:
//!
//! * A `Context` is null or what `new_context` or `duplicate_context` of the same algorithm has returned. It has not been
//!   freed, and nobody else uses it during the call.
//! * A `Bytes` points to as many bytes as the call says, or is null.
//! * A `Params` is null or points to an array that ends with a null key. Keys end with a byte 0; data is null or has as
//!   many bytes as the element says.
//! * An `Out` is null or points to a place for a value, or for as many bytes as the call says.

#![allow(unsafe_code)]

mod cipher;

use crate::mac::{Answer, Mac, Number, OneTime, Refused, SipHash};
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::ptr;
use core::slice;

/// `OSSL_DISPATCH`.
#[repr(C)]
struct Dispatch {
    id: c_int,
    function: *const c_void,
}

/// `OSSL_ALGORITHM`.
#[repr(C)]
struct Algorithm {
    names: *const c_char,
    properties: *const c_char,
    implementation: *const Dispatch,
    description: *const c_char,
}

/// `OSSL_PARAM`.
#[repr(C)]
struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: usize,
    return_size: usize,
}

// SAFETY: the pointer is to a function, which never changes.
unsafe impl Sync for Dispatch {}
// SAFETY: the pointers are to constants and statics, which never change.
unsafe impl Sync for Algorithm {}
// SAFETY: a static element describes a parameter: its key is a constant, and its data is null.
unsafe impl Sync for Param {}

/// `OSSL_PARAM_INTEGER` and the next ones.
const INTEGER: c_uint = 1;
const UNSIGNED_INTEGER: c_uint = 2;
const OCTET_STRING: c_uint = 5;
const UTF8_PTR: c_uint = 6;

/// `OSSL_OP_CIPHER`.
const CIPHER: c_int = 2;
/// `OSSL_OP_MAC`.
const MAC: c_int = 3;

const KEY: &CStr = c"key";
const PROVIDER: [(&CStr, &CStr); 3] = [(c"name", c"keylane"), (c"version", VERSION), (c"buildinfo", VERSION)];
const STATUS: &CStr = c"status";
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

impl Number {
    /// The name of the parameter.
    const fn key(self) -> &'static CStr {
        match self {
            Number::Size => c"size",
            Number::C => c"c-rounds",
            Number::D => c"d-rounds",
        }
    }

    /// The size of the number in C: `size_t` or `unsigned int`.
    const fn size(self) -> usize {
        match self {
            Number::Size => size_of::<usize>(),
            Number::C | Number::D => size_of::<c_uint>(),
        }
    }
}

impl Param {
    /// The end of an array.
    const END: Param =
        Param { key: ptr::null(), data_type: 0, data: ptr::null_mut(), data_size: 0, return_size: 0 };

    /// The description of a parameter.
    const fn describe(key: &'static CStr, data_type: c_uint, data_size: usize) -> Param {
        Param { key: key.as_ptr(), data_type, data_size, return_size: usize::MAX, ..Param::END }
    }

    const fn number(number: Number) -> Param {
        Param::describe(number.key(), UNSIGNED_INTEGER, number.size())
    }

    fn is(&self, key: &CStr) -> bool {
        // SAFETY: the key of an element that is not the last one ends with a byte 0.
        unsafe { CStr::from_ptr(self.key) == key }
    }

    /// The bytes of the data.
    fn data(&self) -> Answer<&[u8]> {
        Bytes(self.data.cast()).slice(self.data_size)
    }

    /// The data as a key.
    fn octets(&self) -> Answer<&[u8]> {
        if self.data_type == OCTET_STRING { self.data() } else { Err(Refused) }
    }

    /// The data as a number that is not negative: an integer of any size, in the CPU's order of bytes.
    fn get(&self) -> Answer<usize> {
        let data = self.data()?;
        let mut bytes = data.iter().copied();
        let mut next = || if cfg!(target_endian = "little") { bytes.next_back() } else { bytes.next() };
        let mut number = 0_usize;
        let mut first = true;
        while let Some(byte) = next() {
            if first && self.data_type == INTEGER && byte >= 0x80 || number > usize::MAX >> 8 {
                return Err(Refused);
            }
            number = number << 8 | usize::from(byte);
            first = false;
        }
        match self.data_type {
            INTEGER | UNSIGNED_INTEGER if !first => Ok(number),
            _ => Err(Refused),
        }
    }

    /// Writes a number below 128 in the CPU's order of bytes. Without data, only says how many bytes it has.
    fn put(&mut self, number: u8, size: usize) -> Answer {
        if !matches!(self.data_type, INTEGER | UNSIGNED_INTEGER) {
            return Err(Refused);
        }
        if self.data.is_null() {
            self.return_size = size;
            return Ok(());
        }
        if self.data_size == 0 || self.data_size > isize::MAX as usize {
            return Err(Refused);
        }
        // SAFETY: the data is not null, and OpenSSL promises as many bytes as the element says: not too many, as checked.
        let data = unsafe { slice::from_raw_parts_mut(self.data.cast::<u8>(), self.data_size) };
        data.fill(0);
        let low = if cfg!(target_endian = "little") { data.first_mut() } else { data.last_mut() };
        if let Some(low) = low {
            *low = number;
        }
        self.return_size = self.data_size;
        Ok(())
    }

    /// Writes the first bytes of some: as many as there is room for, at least one.
    fn put_octets(&mut self, bytes: &[u8]) -> Answer {
        let first = bytes.get(..self.data_size).filter(|first| !first.is_empty()).ok_or(Refused)?;
        if self.data_type != OCTET_STRING {
            return Err(Refused);
        }
        Out::<u8>(self.data.cast()).put_bytes(first, self.data_size)?;
        self.return_size = self.data_size;
        Ok(())
    }

    /// Writes the address of a constant text.
    fn put_text(&mut self, text: &'static CStr) -> Answer {
        if self.data_type != UTF8_PTR {
            return Err(Refused);
        }
        self.return_size = text.to_bytes().len();
        if !self.data.is_null() {
            // SAFETY: the data of an element of this type is a place for a pointer, which may have any alignment.
            unsafe { ptr::write_unaligned(self.data.cast::<*const c_char>(), text.as_ptr()) };
        }
        Ok(())
    }
}

/// A MAC or a cipher.
#[repr(transparent)]
struct Context<M>(*mut M);

impl<M> Context<M> {
    fn get(&mut self) -> Answer<&mut M> {
        // SAFETY: OpenSSL passes null or a context that `new` has made for this algorithm, and does not share it.
        unsafe { self.0.as_mut() }.ok_or(Refused)
    }

    fn new(mac: M) -> Self {
        Context(Box::into_raw(Box::new(mac)))
    }

    /// Drops it, which wipes its key.
    fn free(self) {
        if !self.0.is_null() {
            // SAFETY: OpenSSL frees a context that `new` has made, and only once.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

/// Bytes of the caller.
#[repr(transparent)]
struct Bytes(*const u8);

impl Bytes {
    /// If there are none, any pointer will do.
    fn slice<'a>(&self, length: usize) -> Answer<&'a [u8]> {
        if length == 0 {
            return Ok(&[]);
        }
        if self.0.is_null() || length > isize::MAX as usize {
            return Err(Refused);
        }
        // SAFETY: the pointer is not null, the length not too large, and OpenSSL promises this many bytes for the call.
        Ok(unsafe { slice::from_raw_parts(self.0, length) })
    }
}

/// Parameters of the caller.
#[repr(transparent)]
struct Params(*mut Param);

impl Params {
    /// Passes each element to `visit`, until one is refused.
    fn each(&self, mut visit: impl FnMut(&mut Param) -> Answer) -> Answer {
        let mut next = self.0;
        // SAFETY: the pointer is null or at an element of the array, whose last one has a null key.
        while let Some(param) = unsafe { next.as_mut() } {
            if param.key.is_null() {
                break;
            }
            visit(param)?;
            // SAFETY: this element is not the last one, so another follows in the array.
            next = unsafe { next.add(1) };
        }
        Ok(())
    }
}

/// A place for a value.
#[repr(transparent)]
struct Out<T>(*mut T);

impl<T> Out<T> {
    fn put(&self, value: T) -> Answer {
        if self.0.is_null() {
            return Err(Refused);
        }
        // SAFETY: the pointer is not null, and OpenSSL promises a place for a value there.
        unsafe { ptr::write(self.0, value) };
        Ok(())
    }
}

impl Out<u8> {
    /// Writes bytes to a place that has `room` for them.
    fn put_bytes(&self, bytes: &[u8], room: usize) -> Answer {
        if self.0.is_null() || room < bytes.len() {
            return Err(Refused);
        }
        // SAFETY: the pointer is not null, and OpenSSL promises `room` bytes there, which are enough. A slice of this
        // stack frame lies elsewhere.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.0, bytes.len()) };
        Ok(())
    }
}

impl Out<u8> {
    /// Copies the caller's bytes to a place that has `room` for them, and hands out the place. Both may overlap.
    fn copied<'a>(&self, from: &Bytes, length: usize, room: usize) -> Answer<&'a mut [u8]> {
        if length == 0 {
            return Ok(&mut []);
        }
        if self.0.is_null() || from.0.is_null() || room < length || length > isize::MAX as usize {
            return Err(Refused);
        }
        // SAFETY: neither pointer is null. OpenSSL promises `length` bytes at one and `room` bytes at the other, which are
        // enough, as checked. They may overlap.
        unsafe { ptr::copy(from.0, self.0, length) };
        // SAFETY: the same place, whose bytes are initialised now. Nobody else uses it during the call, and `from` is not
        // read any more.
        Ok(unsafe { slice::from_raw_parts_mut(self.0, length) })
    }
}

/// 1, or 0 if the call was refused.
fn status(answer: Answer) -> c_int {
    c_int::from(answer.is_ok())
}

extern "C" fn new_context<M: Mac>(_provider: *const c_void) -> Context<M> {
    Context::new(M::new())
}

extern "C" fn duplicate_context<M: Mac>(mut context: Context<M>) -> Context<M> {
    context.get().map_or(Context(ptr::null_mut()), |mac| Context::new(mac.duplicate()))
}

extern "C" fn free_context<M: Mac>(context: Context<M>) {
    context.free();
}

/// Sets the numbers first, and then the key, which uses them.
fn set<M: Mac>(mac: &mut M, params: &Params) -> Answer {
    params.each(|param| match M::SETTABLE.iter().find(|number| param.is(number.key())) {
        Some(&number) => mac.set(number, param.get()?),
        None => Ok(()),
    })?;
    params.each(|param| if param.is(KEY) { mac.set_key(param.octets()?) } else { Ok(()) })
}

extern "C" fn init<M: Mac>(mut context: Context<M>, key: Bytes, length: usize, params: Params) -> c_int {
    let mut init = || {
        let mac = context.get()?;
        set(mac, &params)?;
        if key.0.is_null() { mac.restart() } else { mac.set_key(key.slice(length)?) }
    };
    status(init())
}

extern "C" fn update<M: Mac>(mut context: Context<M>, piece: Bytes, length: usize) -> c_int {
    let mut update = || context.get()?.update(piece.slice(length)?);
    status(update())
}

extern "C" fn finish<M: Mac>(
    mut context: Context<M>,
    out: Out<u8>,
    written: Out<usize>,
    room: usize,
) -> c_int {
    let mut finish = || {
        // OpenSSL passes a number on, whatever the answer is.
        written.put(0)?;
        let mac = context.get()?;
        let size = mac.get(Number::Size);
        if out.0.is_null() || room < size {
            return Err(Refused);
        }
        let tag = mac.finish()?;
        out.put_bytes(tag.get(..size).unwrap_or(&tag), room)?;
        written.put(size)
    };
    status(finish())
}

extern "C" fn get_params<M: Mac>(params: Params) -> c_int {
    get_context_params(Context(&mut M::new()), params)
}

extern "C" fn get_context_params<M: Mac>(mut context: Context<M>, params: Params) -> c_int {
    let mut get = || {
        let mac = context.get()?;
        params.each(|param| match M::GETTABLE.iter().find(|number| param.is(number.key())) {
            Some(&number) => param.put(mac.get(number) as u8, number.size()),
            None => Ok(()),
        })
    };
    status(get())
}

extern "C" fn set_context_params<M: Mac>(mut context: Context<M>, params: Params) -> c_int {
    let mut set = || set(context.get()?, &params);
    status(set())
}

/// A MAC with its descriptions.
trait Described: Mac {
    const GETTABLE_PARAMS: &'static [Param];
    const SETTABLE_PARAMS: &'static [Param];
}

impl Described for SipHash {
    const GETTABLE_PARAMS: &'static [Param] =
        &[Param::number(Number::Size), Param::number(Number::C), Param::number(Number::D), Param::END];
    const SETTABLE_PARAMS: &'static [Param] = &[
        Param::number(Number::Size),
        Param::number(Number::C),
        Param::number(Number::D),
        Param::describe(KEY, OCTET_STRING, 0),
        Param::END,
    ];
}

impl Described for OneTime {
    const GETTABLE_PARAMS: &'static [Param] = &[Param::number(Number::Size), Param::END];
    const SETTABLE_PARAMS: &'static [Param] = &[Param::describe(KEY, OCTET_STRING, 0), Param::END];
}

extern "C" fn gettable_params<M: Described>(_provider: *const c_void) -> *const Param {
    M::GETTABLE_PARAMS.as_ptr()
}

extern "C" fn gettable_context_params<M: Described>(
    _context: *const c_void,
    _provider: *const c_void,
) -> *const Param {
    M::GETTABLE_PARAMS.as_ptr()
}

extern "C" fn settable_context_params<M: Described>(
    _context: *const c_void,
    _provider: *const c_void,
) -> *const Param {
    M::SETTABLE_PARAMS.as_ptr()
}

/// The end of a list of functions.
const END: Dispatch = Dispatch { id: 0, function: ptr::null() };

/// The functions of a MAC, by `OSSL_FUNC_MAC_NEWCTX` and the next numbers.
const fn functions<M: Described>() -> [Dispatch; 13] {
    [
        Dispatch { id: 1, function: new_context::<M> as *const c_void },
        Dispatch { id: 2, function: duplicate_context::<M> as *const c_void },
        Dispatch { id: 3, function: free_context::<M> as *const c_void },
        Dispatch { id: 4, function: init::<M> as *const c_void },
        Dispatch { id: 5, function: update::<M> as *const c_void },
        Dispatch { id: 6, function: finish::<M> as *const c_void },
        Dispatch { id: 7, function: get_params::<M> as *const c_void },
        Dispatch { id: 8, function: get_context_params::<M> as *const c_void },
        Dispatch { id: 9, function: set_context_params::<M> as *const c_void },
        Dispatch { id: 10, function: gettable_params::<M> as *const c_void },
        Dispatch { id: 11, function: gettable_context_params::<M> as *const c_void },
        Dispatch { id: 12, function: settable_context_params::<M> as *const c_void },
        END,
    ]
}

impl Algorithm {
    /// The end of a list.
    const END: Algorithm = Algorithm {
        names: ptr::null(),
        properties: ptr::null(),
        implementation: ptr::null(),
        description: ptr::null(),
    };
}

static SIPHASH: [Dispatch; 13] = functions::<SipHash>();
static POLY1305: [Dispatch; 13] = functions::<OneTime>();

static MACS: [Algorithm; 3] = [
    Algorithm {
        names: c"SIPHASH".as_ptr(),
        properties: c"provider=keylane".as_ptr(),
        implementation: SIPHASH.as_ptr(),
        description: c"SipHash by keylane".as_ptr(),
    },
    Algorithm {
        names: c"POLY1305".as_ptr(),
        properties: c"provider=keylane".as_ptr(),
        implementation: POLY1305.as_ptr(),
        description: c"Poly1305 by keylane".as_ptr(),
    },
    Algorithm::END,
];

extern "C" fn query(_provider: *const c_void, operation: c_int, no_cache: Out<c_int>) -> *const Algorithm {
    // OpenSSL may remember the answer. Nothing is lost if it has no place for that.
    let _ = no_cache.put(0);
    match operation {
        CIPHER => cipher::CIPHERS.as_ptr(),
        MAC => MACS.as_ptr(),
        _ => ptr::null(),
    }
}

static PROVIDER_PARAMS: [Param; 5] = [
    Param::describe(PROVIDER[0].0, UTF8_PTR, 0),
    Param::describe(PROVIDER[1].0, UTF8_PTR, 0),
    Param::describe(PROVIDER[2].0, UTF8_PTR, 0),
    Param::describe(STATUS, UNSIGNED_INTEGER, size_of::<c_uint>()),
    Param::END,
];

extern "C" fn gettable_provider_params(_provider: *const c_void) -> *const Param {
    PROVIDER_PARAMS.as_ptr()
}

extern "C" fn get_provider_params(_provider: *const c_void, params: Params) -> c_int {
    status(params.each(|param| {
        if param.is(STATUS) {
            return param.put(1, size_of::<c_uint>());
        }
        match PROVIDER.iter().find(|(key, _)| param.is(key)) {
            Some(&(_, text)) => param.put_text(text),
            None => Ok(()),
        }
    }))
}

/// The functions of the provider, by `OSSL_FUNC_PROVIDER_GETTABLE_PARAMS` and the next numbers.
static FUNCTIONS: [Dispatch; 4] = [
    Dispatch { id: 1025, function: gettable_provider_params as *const c_void },
    Dispatch { id: 1026, function: get_provider_params as *const c_void },
    Dispatch { id: 1027, function: query as *const c_void },
    END,
];

/// OpenSSL's first call.
#[unsafe(no_mangle)]
extern "C" fn OSSL_provider_init(
    handle: *const c_void,
    _core: *const c_void,
    functions: Out<*const c_void>,
    provider: Out<*const c_void>,
) -> c_int {
    status(functions.put(FUNCTIONS.as_ptr().cast()).and_then(|()| provider.put(handle)))
}
