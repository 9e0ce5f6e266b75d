//! What DuckDB calls: the function that loads the extension, those of SQL, and one for code that has a key.

use super::{API, Api, Chunk, Handle, LogicalType, Scalar, count, shape, write, zeros};
use crate::functions::{returns, run};
use crate::kind;
use crate::names::{Fault, KEYS};
use keylane::siphash::Key;
use keylane_columns::{ColumnKey, KeyError, SqlFunction};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls the function number `F`, and hands its tags or its error to DuckDB.
///
/// # Safety
/// DuckDB calls it, as the function that was registered.
unsafe extern "C-unwind" fn call<const F: usize>(info: Handle, chunk: Handle, output: Handle) {
    let Some(api) = API.get() else { return };
    let Some(&function) = SqlFunction::ALL.get(F) else { return };
    // SAFETY: `chunk` is a chunk, until this function returns.
    let rows = unsafe { (api.data_chunk_get_size)(chunk) };
    let done = count(rows).and_then(|rows| {
        let chunk = Chunk { api, handle: chunk, rows, life: PhantomData };
        let short = if returns(function) == kind::UBIGINT {
            // SAFETY: `output` is a flat vector of UBIGINT for as many rows, and nothing else writes it.
            unsafe { zeros(api, output, rows)? }
        } else {
            &mut []
        };
        let done = catch_unwind(AssertUnwindSafe(|| run(function, &chunk, short)));
        done.unwrap_or_else(|panic| {
            // Whatever it holds may panic again when it is dropped.
            std::mem::forget(panic);
            Err(Fault::new("a defect of keylane; please report it"))
        })
    });
    match done.and_then(|tags| write(api, output, &tags)) {
        Ok(()) => {}
        Err(fault) => {
            let text = format!("{}: {}", function.name(), fault.text()).replace('\0', "\u{fffd}");
            let text = CString::new(text).unwrap_or_default();
            // SAFETY: `info` belongs to this call, and DuckDB copies the text.
            unsafe { (api.scalar_function_set_error)(info, text.as_ptr()) }
        }
    }
}

/// What DuckDB offers while it loads an extension.
#[repr(C)]
pub struct Access {
    set_error: unsafe extern "C-unwind" fn(Handle, *const c_char),
    get_database: unsafe extern "C-unwind" fn(Handle) -> *const Handle,
    get_api: unsafe extern "C-unwind" fn(Handle, *const c_char) -> *const c_void,
}

/// Adds the functions to a database. DuckDB calls it by this name.
///
/// # Safety
/// DuckDB calls it with what belongs to the extension that it loads.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn keylane_init_c_api(info: Handle, access: *const Access) -> bool {
    // SAFETY: DuckDB passes its functions, which live during the call.
    let Some(access) = (unsafe { access.as_ref() }) else { return false };
    match load(info, access) {
        Ok(()) => true,
        Err(text) => {
            // SAFETY: `info` belongs to this call, and DuckDB copies the text.
            unsafe { (access.set_error)(info, text.as_ptr()) };
            false
        }
    }
}

fn load(info: Handle, access: &Access) -> Result<(), &'static CStr> {
    // SAFETY: `info` belongs to this call.
    let table = unsafe { (access.get_api)(info, c"v1.2.0".as_ptr()) };
    if table.is_null() {
        return Err(c"keylane needs DuckDB's C API, version 1.2.0");
    }
    // SAFETY: DuckDB returned the table for this version.
    let found = unsafe { Api::load(table.cast()) };
    let mut found = found.ok_or(c"keylane: DuckDB's C API lacks a function")?;
    found.shape = shape(&found);
    let connect = found.connect as *const ();
    let api = API.get_or_init(|| found);
    if !std::ptr::eq(api.connect as *const (), connect) {
        return Err(c"keylane is loaded by another DuckDB in this process; one at a time has it");
    }
    // SAFETY: `info` belongs to this call.
    let database = unsafe { (access.get_database)(info) };
    // SAFETY: the pointer is null or that of a database.
    let database = *unsafe { database.as_ref() }.ok_or(c"keylane: there is no database")?;
    let mut connection: Handle = std::ptr::null_mut();
    // SAFETY: the database is open, and `connection` has room for one.
    if unsafe { (api.connect)(database, &raw mut connection) } != 0 {
        return Err(c"keylane: no connection to the database");
    }
    let calls: [Scalar; SqlFunction::ALL.len()] = [call::<0>, call::<1>, call::<2>, call::<3>];
    let added =
        SqlFunction::ALL.iter().zip(calls).all(|(&function, call)| add(api, connection, function, call));
    // SAFETY: the connection was opened here, and is closed once.
    unsafe { (api.disconnect)(&raw mut connection) };
    if added { Ok(()) } else { Err(c"keylane: a function of this name exists already") }
}

/// Registers a function, and says whether DuckDB took it.
fn add(api: &'static Api, connection: Handle, function: SqlFunction, call: Scalar) -> bool {
    let (any, returns) = (LogicalType::simple(api, kind::ANY), LogicalType::simple(api, returns(function)));
    // SAFETY: the function takes nothing.
    let mut scalar = unsafe { (api.create_scalar_function)() };
    let name = CString::new(function.name()).unwrap_or_default();
    // SAFETY: `scalar` is a function that is being made, and DuckDB copies the name.
    unsafe { (api.scalar_function_set_name)(scalar, name.as_ptr()) };
    // SAFETY: the same, and DuckDB copies the type.
    unsafe { (api.scalar_function_add_parameter)(scalar, any.handle) };
    if function == SqlFunction::Rows {
        // SAFETY: the same.
        unsafe { (api.scalar_function_set_varargs)(scalar, any.handle) };
    } else {
        // SAFETY: the same.
        unsafe { (api.scalar_function_add_parameter)(scalar, any.handle) };
    }
    // SAFETY: the same.
    unsafe { (api.scalar_function_set_return_type)(scalar, returns.handle) };
    // SAFETY: the same.
    unsafe { (api.scalar_function_set_special_handling)(scalar) };
    // SAFETY: the same. The function lives as long as the process, since DuckDB never unloads an extension.
    unsafe { (api.scalar_function_set_function)(scalar, call) };
    // SAFETY: the connection is open, and the function is whole.
    let state = unsafe { (api.register_scalar_function)(connection, scalar) };
    // SAFETY: DuckDB has a copy. The function is destroyed once.
    unsafe { (api.destroy_scalar_function)(&raw mut scalar) };
    state == 0
}

/// Binds a name to a key of 16 bytes in this process, for code that has a key and no file.
///
/// It returns 0 if the name has this key now, 1 if the name is refused, 2 if it is bound to another key, and 3 if a
/// pointer is null.
///
/// # Safety
/// `name` is null or points to text that ends with a zero byte. `key` is null or points to 16 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn keylane_duckdb_bind(name: *const c_char, key: *const [u8; 16]) -> c_int {
    // SAFETY: `key` is null or points to 16 bytes, which have no alignment.
    let Some(&key) = (unsafe { key.as_ref() }) else { return 3 };
    if name.is_null() {
        return 3;
    }
    // SAFETY: `name` points to text that ends with a zero byte.
    let Ok(name) = unsafe { CStr::from_ptr(name) }.to_str() else { return 1 };
    match catch_unwind(|| KEYS.bind(ColumnKey::new(name, Key::from_bytes(key)))) {
        Ok(Ok(())) => 0,
        Ok(Err(KeyError::Bound { .. })) => 2,
        _ => 1,
    }
}
