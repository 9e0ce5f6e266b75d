//! The functions of the cipher: provider-cipher(7).

#![forbid(unsafe_code)]

use super::{
    Algorithm, Bytes, Context, Dispatch, END, INTEGER, OCTET_STRING, Out, Param, Params, UNSIGNED_INTEGER,
    status,
};
use crate::aead::{Aead, KEY, NONCE};
use crate::mac::{Answer, Refused};
use core::ffi::{CStr, c_int, c_uint, c_void};
use core::ptr;

const KEY_LENGTH: &CStr = c"keylen";
const NONCE_LENGTH: &CStr = c"ivlen";
const TAG: &CStr = c"tag";
const TAG_LENGTH: &CStr = c"taglen";
const RECORD: &CStr = c"tlsaad";
const RECORD_OVERHEAD: &CStr = c"tlsaadpad";
const RECORD_NONCE: &CStr = c"tlsivfixed";

/// What a cipher says of itself: a number, its type, and its size in C. Whatever else OpenSSL asks for is 0 then.
const CONSTANTS: [(&CStr, u8, c_uint, usize); 6] = [
    (c"mode", 0, UNSIGNED_INTEGER, size_of::<c_uint>()),
    (KEY_LENGTH, KEY as u8, UNSIGNED_INTEGER, size_of::<usize>()),
    (NONCE_LENGTH, NONCE as u8, UNSIGNED_INTEGER, size_of::<usize>()),
    (c"blocksize", 1, UNSIGNED_INTEGER, size_of::<usize>()),
    (c"aead", 1, INTEGER, size_of::<c_int>()),
    (c"custom-iv", 1, INTEGER, size_of::<c_int>()),
];

extern "C" fn new_context(_provider: *const c_void) -> Context<Aead> {
    Context::new(Aead::new())
}

extern "C" fn duplicate_context(mut context: Context<Aead>) -> Context<Aead> {
    context.get().map_or(Context(ptr::null_mut()), |cipher| Context::new(cipher.duplicate()))
}

extern "C" fn free_context(context: Context<Aead>) {
    context.free();
}

/// The bytes, unless the pointer is null.
fn given<'a>(bytes: &Bytes, length: usize) -> Answer<Option<&'a [u8]>> {
    if bytes.0.is_null() { Ok(None) } else { bytes.slice(length).map(Some) }
}

extern "C" fn init<const SEAL: bool>(
    mut context: Context<Aead>,
    key: Bytes,
    key_length: usize,
    nonce: Bytes,
    nonce_length: usize,
    params: Params,
) -> c_int {
    let mut init = || {
        let cipher = context.get()?;
        cipher.init(SEAL, given(&key, key_length)?, given(&nonce, nonce_length)?)?;
        set(cipher, &params)
    };
    status(init())
}

extern "C" fn update(
    mut context: Context<Aead>,
    out: Out<u8>,
    written: Out<usize>,
    room: usize,
    piece: Bytes,
    length: usize,
) -> c_int {
    let mut update = || {
        // OpenSSL passes a number on, whatever the answer is.
        written.put(0)?;
        let cipher = context.get()?;
        if length == 0 {
            return Ok(());
        }
        if out.0.is_null() {
            cipher.aad(piece.slice(length)?)?;
            return written.put(length);
        }
        written.put(cipher.text(out.copied(&piece, length, room)?)?)
    };
    status(update())
}

extern "C" fn finish(mut context: Context<Aead>, _out: Out<u8>, written: Out<usize>, _room: usize) -> c_int {
    let mut finish = || {
        written.put(0)?;
        context.get()?.finish()
    };
    status(finish())
}

/// `EVP_Cipher`: a piece, or the end if there is none.
extern "C" fn cipher(
    context: Context<Aead>,
    out: Out<u8>,
    written: Out<usize>,
    room: usize,
    piece: Bytes,
    length: usize,
) -> c_int {
    if piece.0.is_null() {
        finish(context, out, written, room)
    } else {
        update(context, out, written, room, piece, length)
    }
}

extern "C" fn get_params(params: Params) -> c_int {
    status(params.each(|param| match CONSTANTS.iter().find(|(key, ..)| param.is(key)) {
        Some(&(_, number, _, size)) => param.put(number, size),
        None => Ok(()),
    }))
}

extern "C" fn get_context_params(mut context: Context<Aead>, params: Params) -> c_int {
    let mut get = || {
        let cipher = context.get()?;
        params.each(|param| {
            if param.is(TAG) {
                return param.put_octets(&cipher.tag()?);
            }
            let number = if param.is(KEY_LENGTH) {
                KEY as u8
            } else if param.is(NONCE_LENGTH) {
                NONCE as u8
            } else if param.is(TAG_LENGTH) {
                cipher.tag_length()
            } else if param.is(RECORD_OVERHEAD) {
                cipher.record_overhead()
            } else {
                return Ok(());
            };
            param.put(number, size_of::<usize>())
        })
    };
    status(get())
}

fn set(cipher: &mut Aead, params: &Params) -> Answer {
    let is = |length, wanted| if length == wanted { Ok(()) } else { Err(Refused) };
    params.each(|param| {
        if param.is(KEY_LENGTH) {
            is(param.get()?, KEY)
        } else if param.is(NONCE_LENGTH) {
            is(param.get()?, NONCE)
        } else if param.is(TAG) {
            let tag = if param.data.is_null() { None } else { Some(param.octets()?) };
            cipher.expect(param.data_size, tag)
        } else if param.is(RECORD) {
            cipher.announce(param.octets()?)
        } else if param.is(RECORD_NONCE) {
            cipher.set_nonce(param.octets()?)
        } else {
            Ok(())
        }
    })
}

extern "C" fn set_context_params(mut context: Context<Aead>, params: Params) -> c_int {
    let mut set = || set(context.get()?, &params);
    status(set())
}

static PARAMS: [Param; 7] = {
    let [a, b, c, d, e, f] = CONSTANTS;
    [describe(a), describe(b), describe(c), describe(d), describe(e), describe(f), Param::END]
};

const fn describe((key, _, data_type, size): (&'static CStr, u8, c_uint, usize)) -> Param {
    Param::describe(key, data_type, size)
}

const fn size(key: &'static CStr) -> Param {
    Param::describe(key, UNSIGNED_INTEGER, size_of::<usize>())
}

static GETTABLE: [Param; 6] = [
    size(KEY_LENGTH),
    size(NONCE_LENGTH),
    size(TAG_LENGTH),
    Param::describe(TAG, OCTET_STRING, 0),
    size(RECORD_OVERHEAD),
    Param::END,
];

static SETTABLE: [Param; 6] = [
    size(KEY_LENGTH),
    size(NONCE_LENGTH),
    Param::describe(TAG, OCTET_STRING, 0),
    Param::describe(RECORD, OCTET_STRING, 0),
    Param::describe(RECORD_NONCE, OCTET_STRING, 0),
    Param::END,
];

extern "C" fn gettable_params(_provider: *const c_void) -> *const Param {
    PARAMS.as_ptr()
}

extern "C" fn gettable_context_params(_context: *const c_void, _provider: *const c_void) -> *const Param {
    GETTABLE.as_ptr()
}

extern "C" fn settable_context_params(_context: *const c_void, _provider: *const c_void) -> *const Param {
    SETTABLE.as_ptr()
}

/// The functions of the cipher, by `OSSL_FUNC_CIPHER_NEWCTX` and the next numbers.
static FUNCTIONS: [Dispatch; 15] = [
    Dispatch { id: 1, function: new_context as *const c_void },
    Dispatch { id: 2, function: init::<true> as *const c_void },
    Dispatch { id: 3, function: init::<false> as *const c_void },
    Dispatch { id: 4, function: update as *const c_void },
    Dispatch { id: 5, function: finish as *const c_void },
    Dispatch { id: 6, function: cipher as *const c_void },
    Dispatch { id: 7, function: free_context as *const c_void },
    Dispatch { id: 8, function: duplicate_context as *const c_void },
    Dispatch { id: 9, function: get_params as *const c_void },
    Dispatch { id: 10, function: get_context_params as *const c_void },
    Dispatch { id: 11, function: set_context_params as *const c_void },
    Dispatch { id: 12, function: gettable_params as *const c_void },
    Dispatch { id: 13, function: gettable_context_params as *const c_void },
    Dispatch { id: 14, function: settable_context_params as *const c_void },
    END,
];

pub(super) static CIPHERS: [Algorithm; 2] = [
    Algorithm {
        names: c"ChaCha20-Poly1305".as_ptr(),
        properties: c"provider=keylane".as_ptr(),
        implementation: FUNCTIONS.as_ptr(),
        description: c"ChaCha20-Poly1305 by keylane".as_ptr(),
    },
    Algorithm::END,
];
